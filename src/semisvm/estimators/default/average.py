"""One score from many members: each brought to a common size, then averaged.

    two classes:  g = squash(f / median_U |f|, 3/2)
    more:         g = squash((f - mean over the classes) / deviation over U, 3)
    F = sum_k w_k [g(S3VM_k) + 1/2 g(SVM_k)] / (3/2)

The half share of the supervised model halves the number of cases in which unlabeled rows do harm. Kernels whose models
give the class of the average are trusted more: a_k is the share of unlabeled rows on which they do, and twice in turn

    w_k <- w_k exp(20 a_k)

starting from the weights by the labels.
"""

from dataclasses import dataclass

import numpy as np

from semisvm.estimators.default.landmark_scores import LandmarkPredictor, fourth_power, joined
from semisvm.estimators.default.members import Member, Model
from semisvm.estimators.default.preparation import Preparation
from semisvm.estimators.default.weights import without_small
from semisvm.estimators.learner import codes_of
from semisvm.spaces import KernelPredictor, Predictor

SUPERVISED_SHARE = 0.5
LIMIT, LIMIT_OF_MANY = 1.5, 3.0
AGREEMENT, ROUNDS = 20.0, 2
LEAK = 0.05
"""Slope beyond the limit: a far score never ties with a farther one."""


@dataclass(frozen=True)
class Size:
    """What a member's scores are divided by, and the limit beyond which they count little more."""

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
class Voice:
    """One model of a member: its share of the average and its size."""

    member: Member
    model: Model
    share: float
    size: Size

    def on_training_rows(self) -> np.ndarray:
        return self.share * self.size.common(self.model.scores(self.member.view.Z))

    def left_out(self) -> np.ndarray:
        return self.share * self.size.common(self.model.left_out)


def voices(members: list[Member], reference: np.ndarray, supervised_share: float = SUPERVISED_SHARE) -> list[Voice]:
    """All models with their shares; `reference` are the rows that settle the sizes, the unlabeled ones."""
    found = []
    for member in members:
        pairs = [(member.semi_supervised, 1.0), (member.supervised, supervised_share)]
        if member.semi_supervised is None:
            pairs = [(member.supervised, 1.0)]
        total = sum(share for _, share in pairs)
        for model, share in pairs:
            if model is not None and share > 0:
                size = Size.of(model.scores(member.view.Z[reference]))
                found.append(Voice(member, model, member.weight * share / total, size))
    return found


def weighed_by_agreement(members: list[Member], reference: np.ndarray) -> list[Member]:
    """The members with the weights of the last round, the largest first; those that hardly count are left out."""
    if any(member.semi_supervised is None for member in members):
        return members
    rows = [(member.view.Z[reference], member.semi_supervised, member.supervised) for member in members]
    models = [[_in_common(model, Z) for model in two if model is not None] for Z, *two in rows]
    given = np.array([member.weight for member in members])
    weights = given
    for _ in range(ROUNDS):
        mean = sum(w * (semi + SUPERVISED_SHARE * alone) for w, (semi, alone) in zip(weights, models, strict=True))
        classes = codes_of(np.asarray(mean))
        agreement = np.array([np.mean([codes_of(one) == classes for one in two]) for two in models])
        weights = without_small(given * np.exp(AGREEMENT * (agreement - agreement.max())))
    order = np.argsort(-weights, kind="stable")
    return [members[k].with_weight(float(weights[k])) for k in order if weights[k] > 0]


def _in_common(model: Model, Z: np.ndarray) -> np.ndarray:
    scores = model.scores(Z)
    return Size.of(scores).common(scores)


@dataclass(frozen=True, eq=False)
class PreparedPredictor(Predictor):
    """Scores of rows that are prepared first."""

    preparation: Preparation
    predictor: Predictor

    def scores(self, X) -> np.ndarray:
        return self.predictor.scores(self.preparation.apply(X))


@dataclass(frozen=True, eq=False)
class _Choir:
    """Voices on one kernel of one preparation: their scores come from one product."""

    preparation: Preparation
    predictor: Predictor
    parts: tuple[tuple[float, Size], ...]


@dataclass(frozen=True, eq=False)
class AveragePredictor(Predictor):
    """F of new rows; holds landmarks and coefficients, no training matrix."""

    choirs: tuple[_Choir, ...]
    n_columns: int

    @classmethod
    def of(cls, heard: list[Voice]) -> "AveragePredictor":
        groups: dict[int, list[Voice]] = {}
        for voice in heard:
            groups.setdefault(id(voice.member.view.features), []).append(voice)
        choirs = _with_shared_distances([_choir(group) for group in groups.values()])
        return cls(tuple(choirs), heard[0].model.theta.shape[1])

    def scores(self, X) -> np.ndarray:
        total = np.zeros((X.shape[0], self.n_columns))
        rows: dict[int, np.ndarray] = {}
        for choir in self.choirs:
            key = id(choir.preparation)
            if key not in rows:
                # prepared in float64; kernels of float32 rows are float32
                rows[key] = choir.preparation.apply(X).astype(X.dtype, copy=False)
            every = choir.predictor.scores(rows[key])
            for place, (share, size) in enumerate(choir.parts):
                columns = slice(place * self.n_columns, (place + 1) * self.n_columns)
                total += share * size.common(every[:, columns])
        return total


def _choir(group: list[Voice]) -> _Choir:
    thetas, intercepts = [], []
    for voice in group:
        view = voice.member.view
        # z = (phi(x) directions - offset)'theta + intercept
        thetas.append(view.directions @ voice.model.theta)
        intercepts.append(voice.model.intercept - view.offset @ voice.model.theta)
    view = group[0].member.view
    predictor = view.features.predictor(np.hstack(thetas), np.concatenate(intercepts))
    if isinstance(predictor, KernelPredictor):
        predictor = LandmarkPredictor(predictor)
    return _Choir(view.preparation, predictor, tuple((voice.share, voice.size) for voice in group))


def _with_shared_distances(choirs: list[_Choir]) -> list[_Choir]:
    """Two choirs on the same landmarks become one where a kernel is four times as narrow as the other."""
    kept: list[_Choir] = []
    for choir in choirs:
        partner = next((k for k, one in enumerate(kept) if fourth_power(one.predictor, choir.predictor)), None)
        other = next((k for k, one in enumerate(kept) if fourth_power(choir.predictor, one.predictor)), None)
        if partner is not None:
            kept[partner] = _joined(kept[partner], choir)
        elif other is not None:
            kept[other] = _joined(choir, kept[other])
        else:
            kept.append(choir)
    return kept


def _joined(wide: _Choir, narrow: _Choir) -> _Choir:
    return _Choir(wide.preparation, joined(wide.predictor, narrow.predictor), wide.parts + narrow.parts)
