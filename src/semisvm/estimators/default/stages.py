"""The stages of members that are trained side by side, told for each of them."""

from collections.abc import Sequence

import numpy as np

from semisvm.algorithms import Candidate, Solution
from semisvm.estimators.learner import codes_of
from semisvm.objective import Point


class StagesApart:
    """Watches a run and counts, stage by stage, the unlabeled rows whose class changed in each member."""

    def __init__(self, unlabeled: np.ndarray, columns: Sequence[slice], start: Point):
        self.unlabeled = unlabeled
        self.columns = columns
        self.codes = self._codes(start)
        self.changed: list[list[int]] = []
        self.last: Candidate | None = None

    def __call__(self, iteration: int, candidate: Candidate) -> None:
        if self.last is not None and candidate.stage != self.last.stage:
            self._end_stage(self.last)
        self.last = candidate

    def paths(self, solution: Solution) -> list[list[dict]]:
        """A record of every stage for every member; stages took their time together and share it evenly."""
        self._end_stage(solution.candidate)
        return [
            [
                {
                    **record,
                    "objective": record["objective"][own],
                    "changed": changed[member],
                    "seconds": record["seconds"] / len(self.columns),
                }
                for record, changed in zip(solution.path, self.changed, strict=True)
            ]
            for member, own in enumerate(self.columns)
        ]

    def _end_stage(self, last: Candidate) -> None:
        codes = self._codes(last.point)
        pairs = zip(codes, self.codes, strict=True)
        self.changed.append([int(np.count_nonzero(now != before)) for now, before in pairs])
        self.codes = codes

    def _codes(self, point: Point) -> list[np.ndarray]:
        scores = point.scores[self.unlabeled]
        return [codes_of(scores[:, own]) for own in self.columns]
