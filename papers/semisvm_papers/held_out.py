"""Tasks made of other tasks: some unlabeled rows become test rows, or are left out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm_papers.tasks import Task, TaskSource


@dataclass(frozen=True)
class _Changed(TaskSource):
    """Every task of another source, changed by random numbers of its split."""

    inner: TaskSource

    @property
    def load(self) -> str:
        """The loader underneath."""
        name: str = self.inner.load  # type: ignore[attr-defined]
        return name

    def tasks(self) -> Iterator[Task]:
        for split, task in enumerate(self.inner.tasks()):
            yield self._changed(task, np.random.RandomState(split))

    @abstractmethod
    def _changed(self, task: Task, random: np.random.RandomState) -> Task:
        """The task of this split."""


@dataclass(frozen=True)
class HeldOut(_Changed):
    """A random share of the unlabeled rows is kept from training and scored (section 5.5 of the survey)."""

    share: float

    def _changed(self, task: Task, random: np.random.RandomState) -> Task:
        unlabeled = random.permutation(task.unlabeled)
        return _with_test(task, unlabeled[: round(self.share * len(unlabeled))])


@dataclass(frozen=True)
class HeldOutOfAll(_Changed):
    """A random share of all rows is kept from training and scored; the labeled rows stay (two halves: 0.5)."""

    share: float

    def _changed(self, task: Task, random: np.random.RandomState) -> Task:
        unlabeled, n_test = random.permutation(task.unlabeled), round(self.share * len(task.y))
        if n_test > len(unlabeled):
            raise ValueError(
                f"held_out_of_all = {self.share:g} was given, which are {n_test} rows, but only {len(unlabeled)} are "
                "unlabeled: give less."
            )
        return _with_test(task, unlabeled[:n_test])


@dataclass(frozen=True)
class BiasedHeldOut(_Changed):
    """The share of the unlabeled rows that lies farthest along a random direction is kept from training and scored.

    The direction makes a random angle, even between 0 and 90 degrees, with the line through the two class means;
    ``facts`` of the task hold it as ``angle``. So Figure 10 of the survey sets test rows apart from unlabeled ones.
    """

    share: float

    def _changed(self, task: Task, random: np.random.RandomState) -> Task:
        line = task.X[task.y == 1].mean(axis=0) - task.X[task.y == 0].mean(axis=0)
        line = line / np.linalg.norm(line)
        across = random.normal(size=len(line))
        across -= (across @ line) * line
        across /= np.linalg.norm(across)
        angle = random.uniform(0, np.pi / 2)
        sign = random.choice([-1.0, 1.0])
        # v = +-cos(angle) line + sin(angle) across
        direction = sign * np.cos(angle) * line + np.sin(angle) * across
        unlabeled = task.unlabeled
        order = unlabeled[np.argsort(-(task.X[unlabeled] @ direction), kind="stable")]
        test = order[: round(self.share * len(order))]
        return _with_test(task, test, {"angle": float(np.degrees(angle))})


@dataclass(frozen=True)
class FewerUnlabeled(_Changed):
    """So many of the unlabeled rows, the same ones first as their number grows; the others take no part."""

    n_kept: int

    def _changed(self, task: Task, random: np.random.RandomState) -> Task:
        unlabeled = task.unlabeled
        if self.n_kept > len(unlabeled):
            raise ValueError(
                f"keep_unlabeled = {self.n_kept} was given, but only {len(unlabeled)} rows are unlabeled: give fewer."
            )
        kept = np.sort(np.concatenate([task.labeled, random.permutation(unlabeled)[: self.n_kept]]))
        return Task(task.X[kept], task.y[kept], np.flatnonzero(np.isin(kept, task.labeled)))


def _with_test(task: Task, test: np.ndarray, facts: dict[str, float] | None = None) -> Task:
    return Task(task.X, task.y, task.labeled, task.validation, np.sort(test), "T", facts=facts or {})
