"""The search of branch and bound over the labels of one binary problem, each visit a dive to a leaf.

A node is a partial labeling y; its bound is the minimum of the SVM on the labeled points alone. At every node

- labels whose certain gain lifts the bound to the incumbent are ruled out: the point gets the other one;
- the bound is lifted further: some open point must get one of its labels, and of the count of positives still missing
  at least one is as costly as the count-th cheapest;
- the label of the largest estimated cost is tried: either it is ruled out in the same way, or its node is put aside for
  later. The other label is taken: it is nearly always right.

The first dive therefore ends in a good labeling, which label switching then polishes into the incumbent. The dives are
compiled (`semisvm._core.label_tree`); `open_nodes` says where the next one begins.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from semisvm._core.label_tree import LabelTree
from semisvm.algorithms.open_nodes import BestFirst, OpenNodes
from semisvm.algorithms.partial_svm import Bound, PartialSVM
from semisvm.optim.budget import Budget

NODES_PER_VISIT = 32
"""A visit ends with the dive that passes this many nodes: some milliseconds."""


@dataclass(frozen=True, eq=False)
class Incumbent:
    """The best labels so far, for all points, and the SVM trained with them."""

    labels: np.ndarray
    solved: Bound


@dataclass(eq=False)
class LabelSearch:
    """y: +-1 for labeled points, 0 for open ones; room: how many open points may become +1 and -1."""

    svm: PartialSVM
    y: np.ndarray
    room: tuple[int, int]
    gap: float
    nodes: OpenNodes = field(default_factory=BestFirst)
    incumbent: Incumbent | None = None
    ruled_out: float = np.inf
    """The smallest bound of all that was cut off."""

    def __post_init__(self) -> None:
        self.open = np.flatnonzero(self.y == 0)
        self.exact = sum(self.room) == len(self.open)
        self.nodes.push(0.0, self.tree.root())

    @cached_property
    def tree(self) -> LabelTree:
        self.svm.check()
        return LabelTree(np.ascontiguousarray(self.svm.K), self.svm.ridge, self.y, self.svm.bias, *self.room)

    @property
    def n_nodes(self) -> int:
        return int(self.tree.n_nodes)

    # ---------------------------------------------------------------- bounds

    @property
    def upper_bound(self) -> float:
        return np.inf if self.incumbent is None else self.incumbent.solved.value

    @property
    def best(self) -> Incumbent:
        assert self.incumbent is not None, "offer some scores first"
        return self.incumbent

    @property
    def lower_bound(self) -> float:
        return min(self.upper_bound, self.ruled_out, self.nodes.least())

    @property
    def target(self) -> float:
        """Labelings that cost this much or more are ruled out."""
        best = self.upper_bound
        return best if np.isinf(best) else best - self.gap * max(1.0, abs(best))

    @property
    def finished(self) -> bool:
        return self.nodes.least() >= self.target

    # ---------------------------------------------------------------- upper bounds

    def offer(self, scores: np.ndarray) -> None:
        """Label the open points by these scores, polish, and keep the result if it is the best so far."""
        self._polish(self._assigned(scores[self.open]), None)

    def _assigned(self, scores: np.ndarray) -> np.ndarray:
        """The largest scores become positive: as many as there is room for, or those above 0 where no count is held."""
        y = self.y.copy()
        order = np.argsort(-scores, kind="stable")
        n_positive = self.room[0] if self.exact else int(np.sum(scores > 0))
        y[self.open] = -1.0
        y[self.open[order[:n_positive]]] = 1.0
        return y

    def _polish(self, y: np.ndarray, near: Bound | None) -> None:
        """Label switching at full weight until no switch helps."""
        solved = self.svm.solve(y, near)
        while True:
            other = self._assigned(solved.scores[self.open])
            if np.array_equal(other, y):
                break
            after = self.svm.solve(other, solved)
            if after.value >= solved.value - 1e-12 * abs(solved.value):
                break
            y, solved = other, after
        if solved.value < self.upper_bound:
            self.incumbent = Incumbent(y, solved)

    # ---------------------------------------------------------------- the search

    def visit(self, budget: Budget) -> None:
        """Dive from open nodes until some have been passed, none of interest is left, or the time is over."""
        enough = self.n_nodes + NODES_PER_VISIT
        while self.n_nodes < enough and not self.finished and not budget.spent:
            self._dive(budget)

    def _dive(self, budget: Budget) -> None:
        bound, node = self.nodes.pop()
        if bound >= self.target:
            self.ruled_out = min(self.ruled_out, bound)
            return
        leaf, aside, ruled_out = self.tree.descend(node, bound, self.target, budget.deadline)
        self.ruled_out = min(self.ruled_out, ruled_out)
        for lower, later in aside:
            self.nodes.push(lower, later)
        if leaf is not None:
            self._polish(leaf, self.best.solved if self.incumbent is not None else None)
