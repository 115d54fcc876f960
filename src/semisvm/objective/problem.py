"""The one objective of the field, over functions f of a space H and a bias b, for k binary problems at once:

J(f, b) = 1/2 |f|^2 + sum_{i in L} c_i V(y_i z_i) + sum_{j in U} c_j U(z_j) + 1/2 o'G o      o = f(x), z = o + b

V is the labeled loss, U the unlabeled loss, c the weights of the points (C and C_star underneath), G an optional graph
term. A `Problem` says what J is. Its `Objective` computes J, in the way that suits the space.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.geometry.graph import GraphTerm
from semisvm.losses.loss import Loss
from semisvm.objective.objective import GramObjective
from semisvm.objective.row_losses import LossGroup
from semisvm.objective.rows import span

if TYPE_CHECKING:
    from semisvm.spaces.space import Space


@dataclass(frozen=True, eq=False)
class Problem:
    """k binary problems on one space. A point that is neither labeled nor unlabeled carries no loss.

    y and weights are (n, k); a fixed bias is (k,), and None leaves it free. Labeled losses of scores, not of margins
    (regression), go with y = 1.
    """

    space: "Space"
    y: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray
    labeled_loss: Loss
    unlabeled_loss: Loss
    weights: np.ndarray
    bias: np.ndarray | None = None
    graph: GraphTerm | None = None

    @property
    def n_columns(self) -> int:
        return int(self.y.shape[1])

    def replace(self, **changes: Any) -> "Problem":
        return replace(self, **changes)

    def columns(self, chosen: np.ndarray | slice) -> "Problem":
        """These columns only: finished ones are left out of every product."""
        return replace(
            self,
            space=self.space.columns(chosen),
            y=self.y[:, chosen],
            weights=self.weights[:, chosen],
            bias=None if self.bias is None else self.bias[chosen],
            labeled_loss=self.labeled_loss.columns(chosen),
            unlabeled_loss=self.unlabeled_loss.columns(chosen),
        )

    @cached_property
    def groups(self) -> tuple[LossGroup, ...]:
        """The labeled and the unlabeled points, each with its loss, where there are any that count."""
        labeled, unlabeled = span(self.labeled), span(self.unlabeled)
        groups = (
            LossGroup(self.labeled, labeled, self.labeled_loss, self.y[labeled], self.weights[labeled]),
            LossGroup(self.unlabeled, unlabeled, self.unlabeled_loss, None, self.weights[unlabeled]),
        )
        return tuple(group for group in groups if len(group.members) and group.weights.any())

    @cached_property
    def pointwise(self) -> bool:
        """Whether every row's loss depends on that row alone."""
        return self.labeled_loss.pointwise and self.unlabeled_loss.pointwise

    @property
    def is_sum(self) -> bool:
        """Whether J is |f|^2 / 2 and a sum over rows, without a term that couples rows."""
        return self.graph is None and self.pointwise

    def objective(self) -> GramObjective:
        """J as minimizers see it, computed in the way that suits the space."""
        return self.space.objective(self)
