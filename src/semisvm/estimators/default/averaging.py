"""The default: families of models on all labels and on all but every fold, weighed by what the folds say, averaged."""

import time
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from semisvm.estimators.class_shares import LeftOutScores, class_odds
from semisvm.estimators.default.average import ScaledModel
from semisvm.estimators.default.descent import LIGHT, WHOLE
from semisvm.estimators.default.ensemble import EnsemblePredictor, log_odds
from semisvm.estimators.default.evidence import Evidence, gather, weigh
from semisvm.estimators.default.families import (
    FORESTS,
    Family,
    Labeled,
    forest_family,
    kernel_families,
    labels_alone,
    logistic_regression,
)
from semisvm.estimators.default.label_free import OF_THE_WORK, LabelFreeKernels
from semisvm.estimators.default.label_sets import LabelSets
from semisvm.estimators.default.last_members import LastMembers, remembered
from semisvm.estimators.default.learnt import Learnt
from semisvm.estimators.default.members import Member, Targets, fit_member, fit_supervised
from semisvm.estimators.default.report import KernelShare
from semisvm.estimators.default.settings import Settings
from semisvm.estimators.default.views import View
from semisvm.estimators.default.weights import kernel_weights, left_out_residuals
from semisvm.estimators.joint_counts import assign_shares
from semisvm.estimators.learner import codes_of
from semisvm.estimators.notices import notice
from semisvm.estimators.probabilities import (
    DOUBTED_LOG_ODDS_PRIOR,
    LOG_ODDS_PRIOR,
    UNLABELED_ROWS,
    LogOddsCalibration,
    class_scores,
)
from semisvm.estimators.progress import tell_share
from semisvm.estimators.thresholds import caps, thresholds
from semisvm.estimators.whole_fits import interrupts_held_back


@dataclass(frozen=True, eq=False)
class ChosenKernels:
    """The kernels that are trained on, the most trusted first."""

    views: list[View]
    weights: np.ndarray
    """(sets, kernels): each set's by its own labels."""
    residuals: np.ndarray
    n_tried: int

    def first(self, n: int) -> "ChosenKernels":
        """The first n, with weights that sum to one; a set that uses none of them takes the first kernel."""
        weights = self.weights[:, :n].copy()
        weights[weights.sum(axis=1) == 0, 0] = 1.0
        weights /= weights.sum(axis=1, keepdims=True)
        return ChosenKernels(self.views[:n], weights, self.residuals[:n], self.n_tried)

    def columns(self, place: int, sets: LabelSets) -> np.ndarray:
        """Those of the sets that use a kernel; all of the first one, which stands in where training ends early."""
        used = np.repeat(self.weights[:, place] > 0, sets.n_columns)
        return np.arange(len(used)) if place == 0 else np.flatnonzero(used)


@dataclass(frozen=True, eq=False)
class TrainedMembers:
    """The members that were trained in time."""

    members: list[Member]
    status: str
    interrupt: KeyboardInterrupt | None


def learn_by_averaging(settings: Settings, kernels: LabelFreeKernels, last: LastMembers | None = None) -> Learnt:
    """`last`: the members that S3VMs begin with, where that is allowed."""
    began = time.monotonic()
    labeled, classes = _labeled(settings), settings.training.labels.classes
    families = _supervised_families(settings, kernels, labeled)
    if settings.estimated:
        settings = replace(settings, odds=_odds_by_labels_alone(families[0], settings, labeled))
    chosen = _weighed_by_labels(kernels, labeled)
    starts = [{} if last is None else last.starts(view.title, classes, labeled) for view in chosen.views]
    columns = [chosen.columns(place, labeled.sets) for place in range(len(chosen.views))]
    trained = _train(chosen, starts, columns, _targets(settings, labeled), settings, began)
    with interrupts_held_back() as noted:
        learnt = _averaged(settings, kernels, labeled, families, chosen.first(len(trained.members)), trained)
    members = remembered(trained.members, classes, labeled, last)
    return replace(learnt, members=members, interrupt=trained.interrupt or next(iter(noted), None))


def _averaged(
    settings: Settings,
    kernels: LabelFreeKernels,
    labeled: Labeled,
    families: list[Family],
    chosen: ChosenKernels,
    trained: TrainedMembers,
) -> Learnt:
    labels = settings.training.labels
    unlabeled = labels.unlabeled
    of_kernels, scaled = kernel_families(trained.members, chosen.weights, labeled, unlabeled)
    families = [*families, *of_kernels]
    weights = weigh(families, labeled.sets, settings.sample_weights()[labeled.rows], texts=kernels.sparse)
    P = weights.average([family.scores for family in families])
    weights = replace(weights, cut=_cut(settings, log_odds(P[unlabeled])))
    P = weights.moved(P)
    scores = log_odds(P)
    codes = labels.codes.copy()
    codes[unlabeled] = _classes(settings, scores[unlabeled])
    doubt = float(np.mean(1.0 - P[unlabeled].max(axis=1))) if len(unlabeled) else 0.0
    evidence = gather(families, weights, labeled, labels.drawn[labeled.rows], doubt)
    return Learnt(
        predictor=EnsemblePredictor.of(families, weights),
        calibration=_calibration(settings, labeled, scores, evidence),
        codes=codes,
        shares=settings.class_shares,
        threshold=np.zeros(scores.shape[1]) if weights.cut is None else weights.cut,
        **_facts(trained.members, scaled, labeled.sets),
        status=trained.status,
        preparations=tuple(preparation.name for preparation in kernels.preparations),
        kernels=tuple(
            KernelShare(view.title, float(weight), float(residual))
            for view, weight, residual in zip(chosen.views, chosen.weights[0], chosen.residuals, strict=True)
            if weight > 0
        ),
        n_kernels=chosen.n_tried,
        evidence=evidence,
        n_changed=_n_changed(families, codes, unlabeled),
    )


def _cut(settings: Settings, scores: np.ndarray) -> np.ndarray | None:
    """What class shares subtract from the scores. A class with one label gets no more rows than its interval allows."""
    if settings.threshold == "zero" or settings.expected is None:
        return None
    if settings.threshold == "share":
        return thresholds(scores, settings.expected, of_graph=False)
    single = settings.training.labels.single
    return caps(scores, settings.expected, single) if single.any() else None


def _labeled(settings: Settings) -> Labeled:
    labels, weights = settings.training.labels, settings.training.weights
    rows = labels.labeled[weights[labels.labeled] > 0]
    return Labeled(rows, LabelSets.of(labels.codes[rows], len(labels.classes)), weights[rows])


def _odds_by_labels_alone(alone: Family, settings: Settings, labeled: Labeled) -> np.ndarray | None:
    """What an SVM on the labels says of the unlabeled rows, for estimated shares."""
    unlabeled = settings.training.labels.unlabeled
    if not len(unlabeled):
        return None
    step = max(1, len(unlabeled) // UNLABELED_ROWS)
    left_out = labeled.sets.of_left_out(alone.left_out[: labeled.sets.n_folds])
    return class_odds(LeftOutScores(left_out, labeled.sets.codes, alone.scores[unlabeled[::step]]))


def _targets(settings: Settings, labeled: Labeled) -> Targets:
    """Signs, weights and class shares of every column; a label that a set leaves out weighs nothing in its columns."""
    unlabeled, sets = settings.training.labels.unlabeled, labeled.sets
    weights = settings.C * settings.training.weights
    # odds of the unlabeled rows have seen every label: sets that leave some out do without them
    shares = [settings.class_shares, *(settings.shares(labeled.rows[kept]) for kept in sets.kept[1:])]
    ratio = np.concatenate([one.ratio for one in shares])
    return Targets(
        labeled.rows,
        unlabeled,
        sets.signs(),
        weights[labeled.rows][:, None] * sets.spread(),
        weights[unlabeled],
        ratio,
        own=sets.columns_of(0),
        of_others=LIGHT if sets.many else WHOLE,
    )


def _weighed_by_labels(kernels: LabelFreeKernels, labeled: Labeled) -> ChosenKernels:
    sets = labeled.sets
    signs = sets.signs()[:, sets.columns_of(0)]
    grams = (view.gram(labeled.rows) for view in kernels.views)
    residuals = np.stack([left_out_residuals(K, signs, sets.kept) for K in grams], axis=1)
    counts = np.count_nonzero(sets.kept, axis=1)
    weights = np.stack([kernel_weights(q, n) for q, n in zip(residuals, counts, strict=True)])
    order = np.argsort(-weights[0], kind="stable")
    order = order[weights[:, order].max(axis=0) > 0]
    views = [kernels.leading(k) for k in order]
    return ChosenKernels(views, weights[:, order], residuals[0, order], len(kernels.views))


def _supervised_families(settings: Settings, kernels: LabelFreeKernels, labeled: Labeled) -> list[Family]:
    families = [labels_alone(kernels, labeled, settings), logistic_regression(kernels, labeled)]
    if not kernels.sparse:
        families += [forest_family(name, kernels, labeled, settings) for name in FORESTS]
    return families


def _train(
    chosen: ChosenKernels,
    starts: list[dict[int, np.ndarray]],
    columns: list[np.ndarray],
    targets: Targets,
    settings: Settings,
    began: float,
) -> TrainedMembers:
    """Train one kernel after the other while there is time. Ctrl-C keeps those that are trained."""
    n, limit = len(chosen.views), settings.time_limit
    members: list[Member] = []
    status, interrupt = "converged", None
    try:
        supervised = fit_supervised(chosen.views, targets, settings.tol)
        for view, model, start, own in zip(chosen.views, supervised, starts, columns, strict=True):
            if members and limit is not None and time.monotonic() - began > limit:
                status = "stopped at time_limit"
                notice(
                    f"S3VM stopped at time_limit={limit} after {len(members)} of {n} kernels and averages these: raise "
                    "time_limit.",
                    ConvergenceWarning,
                )
                break
            fit = fit_member(view, model, targets, settings.tol, settings.max_iter, start, own)
            members.append(fit.member)
            tell_share(OF_THE_WORK + (1.0 - OF_THE_WORK) * len(members) / n)
            if fit.interrupt is not None:
                raise fit.interrupt
    except KeyboardInterrupt as stopped:
        if not members:
            raise
        status, interrupt = "interrupted", stopped
        notice(f"S3VM was interrupted after {len(members)} of {n} kernels and is left fitted with these.")
    return TrainedMembers(members, status, interrupt)


def _classes(settings: Settings, scores: np.ndarray) -> np.ndarray:
    """Of the unlabeled rows: the largest score's, or in the expected numbers."""
    if settings.expected is None or not settings.joint_counts:
        return codes_of(scores)
    return assign_shares(class_scores(scores), settings.expected)


def _calibration(settings: Settings, labeled: Labeled, scores: np.ndarray, evidence: Evidence) -> LogOddsCalibration:
    unlabeled = settings.training.labels.unlabeled
    step = max(1, len(unlabeled) // UNLABELED_ROWS)
    return LogOddsCalibration(
        labeled=class_scores(log_odds(evidence.probabilities)),
        codes=labeled.sets.codes,
        weights=settings.sample_weights()[labeled.rows],
        unlabeled=class_scores(scores[unlabeled[::step]]),
        expected=settings.expected,
        prior=LOG_ODDS_PRIOR if evidence.better_than_guessing else DOUBTED_LOG_ODDS_PRIOR,
    )


def _n_changed(families: list[Family], codes: np.ndarray, unlabeled: np.ndarray) -> int:
    """Unlabeled rows that the labels alone would put into another class."""
    alone = np.argmax(families[0].scores[unlabeled], axis=1)
    return int(np.count_nonzero(alone != codes[unlabeled]))


def _facts(members: list[Member], scaled: list[list[ScaledModel]], sets: LabelSets) -> dict:
    """How the models on kernels came about; figures are those of the models that saw all labels."""
    own = sets.columns_of(0)
    models = [one for family in scaled for one in family]
    share = {one.member.view.title: one.weight for one in scaled[0]}
    paths = {
        member.view.title: (member.semi_supervised or member.supervised).path
        for member in members
        if member.view.title in share
    }
    return {
        "objective": np.sum([one.weight * one.model.objective[own] for one in models], axis=0) / len(scaled),
        "stationarity": np.max([one.model.stationarity[own] for one in models], axis=0),
        "n_iter": sum(one.model.n_iter for one in models),
        "path": [
            {"kernel": title, "share": share[title], **stage, "objective": stage["objective"][own]}
            for title, path in paths.items()
            for stage in path
        ],
    }
