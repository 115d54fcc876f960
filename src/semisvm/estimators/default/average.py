"""One score from the members of a family: each brought to a common size, then averaged.

two classes:  g = squash(f / median_U |f|, 3/2)
more:         g = squash((f - mean over the classes) / deviation over U, 3)
F = sum_k w_k g(f_k)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semisvm.estimators.default.landmark_scores import LandmarkPredictor, fourth_power, joined
from semisvm.estimators.default.members import Member, MemberModel
from semisvm.estimators.default.preparation import Preparation
from semisvm.spaces import KernelPredictor, Predictor

LIMIT, LIMIT_OF_MANY = 1.5, 3.0
LEAK = 0.05
"""Slope beyond the limit: a far score never ties with a farther one."""
REFERENCE_ROWS = 5000
"""Most rows that determine the scale of scores."""


@dataclass(frozen=True)
class Size:
    """What a model's scores are divided by, and the limit beyond which they count little more."""

    unit: float
    limit: float

    @classmethod
    def of(cls, scores: np.ndarray) -> "Size":
        """From the (u, k) scores of the unlabeled rows."""
        if scores.shape[1] == 1:
            unit, limit = float(np.median(np.abs(scores))), LIMIT
        else:
            unit, limit = float(np.std(scores - scores.mean(axis=1, keepdims=True))), LIMIT_OF_MANY
        return cls(unit if unit > 0 else 1.0, limit)

    def common(self, scores: np.ndarray) -> np.ndarray:
        """Scores in the common size."""
        if scores.shape[1] > 1:
            scores = scores - scores.mean(axis=1, keepdims=True)
        t = scores / self.unit
        inside = np.clip(t, -self.limit, self.limit)
        return inside + LEAK * (t - inside)


@dataclass(frozen=True, eq=False)
class ScaledModel:
    """One model of a member: its weight in the average of its family, and its size."""

    member: Member
    model: MemberModel
    columns: slice
    """Those of the set of labels that it was trained with."""
    weight: float
    size: Size

    @property
    def theta(self) -> np.ndarray:
        return self.model.theta[:, self.columns]

    @property
    def intercept(self) -> np.ndarray:
        return self.model.intercept[self.columns]


@dataclass(frozen=True, eq=False)
class PreparedPredictor(Predictor):
    """Scores of rows that are prepared first."""

    preparation: Preparation
    predictor: Predictor

    def scores(self, X) -> np.ndarray:
        return self.predictor.scores(self.preparation.apply(X))


@dataclass(frozen=True, eq=False)
class KernelScores:
    """Models on one kernel of one preparation: their scores come from one product."""

    preparation: Preparation
    predictor: Predictor
    parts: tuple[tuple[int, float, Size], ...]
    """(family, weight, size) of each model."""


@dataclass(frozen=True, eq=False)
class KernelAverages(Predictor):
    """The average of every family, side by side; holds landmarks and coefficients, no training matrix."""

    kernels: tuple[KernelScores, ...]
    n_families: int
    n_columns: int
    """Of one family."""

    @classmethod
    def of(cls, families: Sequence[Sequence[ScaledModel]]) -> "KernelAverages":
        groups: dict[int, list[tuple[int, ScaledModel]]] = {}
        for family, models in enumerate(families):
            for scaled in models:
                if scaled.weight > 0:
                    groups.setdefault(id(scaled.member.view.features), []).append((family, scaled))
        kernels = _with_shared_distances([_kernel_scores(group) for group in groups.values()])
        return cls(tuple(kernels), len(families), families[0][0].theta.shape[1])

    def scores(self, X) -> np.ndarray:
        k = self.n_columns
        total = np.zeros((X.shape[0], self.n_families * k))
        rows: dict[int, np.ndarray] = {}
        for kernel in self.kernels:
            key = id(kernel.preparation)
            if key not in rows:
                # prepared in float64; kernels of float32 rows are float32
                rows[key] = kernel.preparation.apply(X).astype(X.dtype, copy=False)
            every = kernel.predictor.scores(rows[key])
            for place, (family, weight, size) in enumerate(kernel.parts):
                own = slice(family * k, (family + 1) * k)
                total[:, own] += weight * size.common(every[:, place * k : (place + 1) * k])
        return total


def _kernel_scores(group: list[tuple[int, ScaledModel]]) -> KernelScores:
    view = group[0][1].member.view
    thetas, intercepts = [], []
    for _, scaled in group:
        own = scaled.member.view
        # z = (phi(x) directions - offset)'theta + intercept
        thetas.append(own.directions @ scaled.theta)
        intercepts.append(scaled.intercept - own.offset @ scaled.theta)
    predictor = view.features.predictor(np.hstack(thetas), np.concatenate(intercepts))
    if isinstance(predictor, KernelPredictor):
        predictor = LandmarkPredictor(predictor)
    return KernelScores(view.preparation, predictor, tuple((family, one.weight, one.size) for family, one in group))


def _with_shared_distances(kernels: list[KernelScores]) -> list[KernelScores]:
    """Two kernels on the same landmarks become one where one is four times as narrow as the other."""
    kept: list[KernelScores] = []
    for kernel in kernels:
        partner = next((k for k, one in enumerate(kept) if fourth_power(one.predictor, kernel.predictor)), None)
        other = next((k for k, one in enumerate(kept) if fourth_power(kernel.predictor, one.predictor)), None)
        if partner is not None:
            kept[partner] = _joined(kept[partner], kernel)
        elif other is not None:
            kept[other] = _joined(kernel, kept[other])
        else:
            kept.append(kernel)
    return kept


def _joined(wide: KernelScores, narrow: KernelScores) -> KernelScores:
    return KernelScores(wide.preparation, joined(wide.predictor, narrow.predictor), wide.parts + narrow.parts)
