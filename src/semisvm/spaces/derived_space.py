"""A space derived from another one: it delegates everything that it does not change."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from semisvm.objective import GramObjective, Problem, Scores
from semisvm.objective.rows import RowLosses
from semisvm.spaces.space import Space


@dataclass(frozen=True, eq=False)
class DerivedSpace(Space):
    base: Space

    @property
    def by_rows(self) -> bool:
        return self.base.by_rows

    @property
    def remote(self) -> bool:
        return self.base.remote

    def objective(self, problem: Problem) -> GramObjective:
        return self.base.objective(problem)

    def scores(self, every: np.ndarray, rows: np.ndarray) -> Scores:
        return self.base.scores(every, rows)

    @property
    def n_points(self) -> int:
        return self.base.n_points

    @property
    def dimension(self) -> int:
        return self.base.dimension

    @property
    def work(self) -> int:
        return self.base.work

    def columns(self, chosen: np.ndarray | slice) -> Self:
        base = self.base.columns(chosen)
        # what this space has computed stays where nothing changes
        return self if base is self.base else replace(self, base=base)

    def represent(self, v: np.ndarray) -> np.ndarray:
        return self.base.represent(v)

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return self.base.metric(theta)

    def fetch_loaded(self, outputs: np.ndarray, losses: RowLosses) -> np.ndarray:
        return self.base.fetch_loaded(outputs, losses)

    def ready(self) -> None:
        self.base.ready()
