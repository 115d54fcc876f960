"""A schedule turns a problem into stages, from an easy one to the problem itself; each starts where the last ended."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from semisvm.losses import Annealed, Loss, SmoothedGaussian, SmoothedSquaredHinge
from semisvm.objective import Point, Problem
from semisvm.spaces.space import Space

Stage = tuple[Mapping[str, object], Problem]
"""What a trace should show of the stage, and the stage's problem."""
SEEDED: dict[str, Any] = {"rng": 0} if "rng" in signature(eigsh).parameters else {}
"""Lanczos draws a vector where products give no new direction: the same one in every fit, from SciPy 1.17 on."""


class Schedule(ABC):
    @abstractmethod
    def stages(self, problem: Problem) -> Iterator[Stage]:
        """The stages of the path, the last one at full weight."""

    def finished(self, stage: Problem, point: Point) -> bool:
        """Whether the path may end after this stage, though stages are left."""
        return False


@dataclass(frozen=True)
class AnnealedWeight(Schedule):
    """The weight of the unlabeled points grows: C_star times each factor in turn, after a supervised start at 0."""

    factors: tuple[float, ...] = tuple(2.0 ** (i - 10) for i in range(11))
    """The survey's list: 2^-10, 2^-9, ..., 1."""
    start: bool = True
    """Begin with a stage of weight 0, the supervised solution."""

    @classmethod
    def geometric(cls, n_stages: int | None, first: float = 2.0**-10) -> "AnnealedWeight":
        """The published list for None, else n_stages factors from `first` to 1; a single one is the problem itself."""
        if n_stages is None:
            return cls()
        return cls((1.0,) if n_stages == 1 else tuple(np.geomspace(first, 1.0, n_stages)))

    def stages(self, problem: Problem) -> Generator[Stage, object, None]:
        for factor in (0.0, *self.factors) if self.start else self.factors:
            weights = problem.weights.copy()
            weights[problem.unlabeled] *= factor
            yield {"weight": factor}, problem.replace(weights=weights)


@dataclass(frozen=True)
class Cooling(Schedule):
    """The temperature of an `Annealed` unlabeled loss falls by `cooling` until the labels are nearly certain.

    Temperatures are in units of the mean weight C_star of the unlabeled points: the first is 10, as in the survey.
    """

    first: float = 10.0
    cooling: float = 1.5
    certain: float = 1e-6
    """The path ends when the entropy of the labels (a sum over points, in nats) is below this."""
    n_stages: int | None = None
    """A fixed number of temperatures instead of ending by entropy."""
    lowest: float = 1e-12
    """No temperature is below this: labels that it does not decide are not decided by a lower one."""

    def stages(self, problem: Problem) -> Generator[Stage, object, None]:
        temperature, stage = self.first, 0
        while self.n_stages is None or stage < self.n_stages:
            yield {"temperature": temperature}, self.cooled(problem, temperature)
            if self.n_stages is None and temperature == self.lowest:
                return
            temperature, stage = max(temperature / self.cooling, self.lowest), stage + 1

    def cooled(self, problem: Problem, temperature: float) -> Problem:
        """The problem at a temperature, which is in units of C_star."""
        loss = problem.unlabeled_loss
        if not isinstance(loss, Annealed):
            raise TypeError(f"Cooling was given {type(loss).__name__} as unlabeled loss and needs an Annealed one.")
        weights = problem.weights[problem.unlabeled]
        C_star = weights.mean(axis=0)
        # the loss wants T over each point's own weight; a point without weight gets a nearly infinite one
        alike = bool(np.all(weights == weights[:1])) or not C_star.all()
        over_weights = temperature if alike else temperature * C_star / np.maximum(weights, 1e-12 * C_star)
        return problem.replace(unlabeled_loss=Annealed(loss.loss, over_weights, loss.n_positive))

    def finished(self, stage: Problem, point: Point) -> bool:
        if self.n_stages is not None:
            return False
        open_columns = np.flatnonzero(label_entropy(stage, point) >= self.certain)
        return not len(open_columns) or self._tied(stage, point, open_columns)

    def _tied(self, stage: Problem, point: Point, columns: np.ndarray) -> bool:
        """Whether no temperature can decide the labels that are open: they are those of equal rows.

        Equal rows have equal scores under every function, so no temperature decides which of them is positive.
        """
        loss, space = stage.unlabeled_loss, stage.space
        assert isinstance(loss, Annealed)
        if loss.n_positive is None:
            return False
        scores = stage.objective().scores(point, stage.unlabeled)
        least = self.certain / len(scores)
        undecided = scores.undecided(loss, lambda: space.norms()[stage.unlabeled], least)
        return all(_equal_rows(space, stage.unlabeled[undecided[column]]) for column in columns)


def _equal_rows(space: Space, rows: np.ndarray) -> bool:
    """Whether these are at least two rows, all at distance zero from the first."""
    if len(rows) < 2:
        return False
    every, first = space.norms(), space.block(rows[:1], rows)[0]
    norms = every[rows]
    # |x_1 - x_j|^2; where all unlabeled rows are equal, they are their own mean and lengths from it are rounding
    return bool(np.all(norms[0] + norms - 2 * first <= EQUAL * (norms[0] + norms) + ROUNDING * every.max()))


EQUAL = 1e-9
"""Squared distances below this share of the squared lengths are those of equal rows."""
ROUNDING = 1e-14
"""The same of the largest squared length."""


def label_entropy(stage: Problem, point: Point) -> np.ndarray:
    """Entropy of the labels at an iterate of deterministic annealing, one number per column."""
    loss = stage.unlabeled_loss
    assert isinstance(loss, Annealed)
    scores = stage.objective().scores(point, stage.unlabeled)
    return scores.entropy(loss, lambda: stage.space.norms()[stage.unlabeled])


@dataclass(frozen=True)
class Smoothing(Schedule):
    """The objective is averaged over Gaussian noise of shrinking width gamma, and at last not at all (survey 4.2).

    The first width makes the smoothed objective convex:  gamma_0 = (2 C_star lmax(M) / sqrt(s))^(2/3)  with
    M = sum_{j in U} z_j z_j' / |z_j|^3; the last is negligible: 1 / (10 s max |z_j|^2).
    """

    s: float = 5.0
    n_widths: int = 10
    everything: bool = True
    """Smooth the labeled loss as well as the unlabeled one."""

    def stages(self, problem: Problem) -> Iterator[Stage]:
        # a kernel with negative eigenvalues may give a point a negative squared norm: it gets no noise
        norms, labeled, unlabeled = np.maximum(problem.space.norms(), 0.0), problem.labeled, problem.unlabeled
        for gamma in self.widths(problem):
            soft = SmoothedGaussian(self.s, gamma).bind(np.empty(0), norms[unlabeled])
            changes: dict[str, Loss] = {"unlabeled_loss": soft}
            if self.everything:
                changes["labeled_loss"] = SmoothedSquaredHinge(gamma).bind(np.empty(0), norms[labeled])
            yield {"smoothing": gamma}, problem.replace(**changes)
        yield {"smoothing": 0.0}, problem

    def widths(self, problem: Problem) -> np.ndarray:
        norms = problem.space.norms()[problem.unlabeled]
        C_star = float(problem.weights[problem.unlabeled].max(initial=0.0))
        if self.n_widths < 1 or not norms.max(initial=0.0) > 0:
            return np.empty(0)
        first = (2.0 * C_star * self._largest_eigenvalue(problem) / np.sqrt(self.s)) ** (2.0 / 3.0)
        last = 1.0 / (10.0 * self.s * norms.max())
        return np.geomspace(first, last, self.n_widths) if first > last else np.empty(0)

    def _largest_eigenvalue(self, problem: Problem) -> float:
        """lmax(M) = lmax(D^1/2 K_UU D^1/2) with D = diag(|z_j|^-3), by Lanczos on products with the space."""
        space, unlabeled = problem.space, problem.unlabeled
        norms = space.norms()[unlabeled]
        root = np.where(norms > 0, np.maximum(norms, 1e-300) ** -0.75, 0.0)

        def product(v: np.ndarray) -> np.ndarray:
            spread = np.zeros(space.n_points)
            spread[unlabeled] = root * v.ravel()
            return root * space.outputs(space.represent(spread))[unlabeled]

        u = len(unlabeled)
        if u < 3:
            return float(np.linalg.eigvalsh(np.stack([product(row) for row in np.eye(u)]))[-1])
        start = np.ones(u) / np.sqrt(u)
        # the largest eigenvalue is at least the mean one, the mean of |z_j|^-1
        least = float(np.mean(root**2 * norms))
        if np.linalg.norm(product(start)) < 1e-6 * least:
            # points at equal distances from the mean: constants are not seen at all
            start = np.random.default_rng(0).normal(size=u)
        operator = LinearOperator((u, u), matvec=product)
        found = eigsh(operator, 1, v0=start, return_eigenvectors=False, tol=1e-4, **SEEDED)
        # the largest in size: where it is negative, its size is a bound
        return float(abs(found[0]))
