"""The search of branch and bound over the labels of one binary problem, best bound first, each visit a dive to a leaf.

A node is a partial labeling y; its bound is the minimum of the SVM on the labeled points alone. At every node

- labels whose certain gain lifts the bound to the incumbent are ruled out: the point gets the other one;
- the bound is lifted further: some open point must get one of its labels, and of the count of positives still missing
  at least one is as costly as the count-th cheapest;
- the point and label of the largest estimated cost are branched on, the other label first: it is nearly always right.

The first dive therefore ends in a good labeling, which label switching then polishes into the incumbent.
"""

import heapq
from dataclasses import dataclass, field

import numpy as np

from semisvm.algorithms.label_costs import LabelCosts, label_costs
from semisvm.algorithms.partial_svm import Bound, PartialSVM
from semisvm.optim.budget import Budget


@dataclass(frozen=True, eq=False, order=False)
class Node:
    """Labels so far, a bound known before it is solved, and a neighbour's solution to start from."""

    y: np.ndarray
    bound: float = 0.0
    near: Bound | None = None


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
    n_nodes: int = 0
    incumbent: Incumbent | None = None
    ruled_out: float = np.inf
    """The smallest bound of all that was cut off."""
    _heap: list[tuple[float, int, Node]] = field(default_factory=list)
    _ticket: int = 0

    def __post_init__(self) -> None:
        self.open = np.flatnonzero(self.y == 0)
        self.exact = sum(self.room) == len(self.open)
        self._push(Node(self.y))

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
        first = self._heap[0][0] if self._heap else np.inf
        return min(self.upper_bound, self.ruled_out, first)

    @property
    def target(self) -> float:
        """Whatever costs this much or more is of no interest."""
        best = self.upper_bound
        return best if np.isinf(best) else best - self.gap * max(1.0, abs(best))

    @property
    def finished(self) -> bool:
        return not self._heap or self._heap[0][0] >= self.target

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

    def dive(self, budget: Budget) -> None:
        """Take the open node of the lowest bound and go down from it until nothing better can follow."""
        node: Node | None = heapq.heappop(self._heap)[2]
        while node is not None:
            if node.bound >= self.target:
                self.ruled_out = min(self.ruled_out, node.bound)
                return
            if budget.spent:
                self._push(node)
                return
            node = self._expand(node)

    def _push(self, node: Node) -> None:
        self._ticket += 1
        # of equal bounds the youngest first: it is deeper
        heapq.heappush(self._heap, (node.bound, -self._ticket, node))

    def _expand(self, node: Node) -> Node | None:
        """Solve, rule out labels, branch: the child to go on with; None where the dive ends."""
        self.n_nodes += 1
        y, near, lower = node.y, node.near, node.bound
        while True:
            y, leaf = self._forced(y)
            near = self.svm.solve(y, near)
            lower = max(lower, near.value)
            if lower >= self.target:
                self.ruled_out = min(self.ruled_out, lower)
                return None
            if leaf:
                self._polish(y, near)
                return None
            costs = label_costs(self.svm, near, np.flatnonzero(y == 0))
            lower = max(lower, self._lifted(y, near.value, costs))
            if lower >= self.target:
                self.ruled_out = min(self.ruled_out, lower)
                return None
            narrowed = self._narrowed(y, near.value, costs)
            if narrowed is y:
                return self._branch(y, near, lower, costs)
            if not self._feasible(narrowed):
                return None
            y = narrowed

    def _forced(self, y: np.ndarray) -> tuple[np.ndarray, bool]:
        """(labels, whether every point has one): where one side is full, all that are left go to the other."""
        blank = self.open[y[self.open] == 0]
        positive, negative = self._left(y)
        if len(blank) and min(positive, negative) == 0:
            y = y.copy()
            y[blank] = -1.0 if positive == 0 else 1.0
            return y, True
        return y, not len(blank)

    def _left(self, y: np.ndarray) -> tuple[int, int]:
        """How many more points may become +1 and -1."""
        given = y[self.open]
        return self.room[0] - int(np.sum(given > 0)), self.room[1] - int(np.sum(given < 0))

    def _feasible(self, y: np.ndarray) -> bool:
        return min(self._left(y)) >= 0

    def _lifted(self, y: np.ndarray, value: float, costs: LabelCosts) -> float:
        """The bound with the certain gains of single points."""
        # every open point gets one of its labels
        gain = costs.certain.min(axis=0).max()
        if self.exact:
            # of the positives still missing one costs at least the count-th cheapest; likewise the negatives
            for side, count in enumerate(self._left(y)):
                gain = max(gain, np.partition(costs.certain[side], count - 1)[count - 1])
        return value + float(gain)

    def _narrowed(self, y: np.ndarray, value: float, costs: LabelCosts) -> np.ndarray:
        """The labels with every certain one filled in; y itself where there is none."""
        reached = value + costs.certain
        impossible = reached >= self.target
        if not impossible.any():
            return y
        self.ruled_out = min(self.ruled_out, float(reached[impossible].min()))
        y = y.copy()
        y[costs.points[impossible[0]]] = -1.0
        y[costs.points[impossible[1]]] = 1.0
        return y

    def _branch(self, y: np.ndarray, near: Bound, lower: float, costs: LabelCosts) -> Node:
        """Keep the costly label of the most telling point for later and return the node with the other one."""
        side, place = np.unravel_index(np.argmax(costs.estimate), costs.estimate.shape)
        point, costly = costs.points[place], (1.0, -1.0)[side]
        near = near.as_start()
        late, now = y.copy(), y.copy()
        late[point], now[point] = costly, -costly
        self._push(Node(late, max(lower, near.value + float(costs.certain[side, place])), near))
        return Node(now, max(lower, near.value + float(costs.certain[1 - side, place])), near)
