"""The average of many members: kernels that have not seen a label, weighed by the labels, trained, weighed again."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from semisvm.estimators.default.average import AveragePredictor, Voice, voices, weighed_by_agreement
from semisvm.estimators.default.job import Job, Learnt
from semisvm.estimators.default.members import Member, Task, fit_members, groups
from semisvm.estimators.default.preparation import preparations
from semisvm.estimators.default.report import Comparison, KernelShare
from semisvm.estimators.default.single import fit_named, left_out_classes
from semisvm.estimators.default.views import GRAPHS, KernelView, kernel_views, rank_for
from semisvm.estimators.default.weights import kernel_weights, left_out_residual
from semisvm.estimators.joint_counts import assign, class_counts
from semisvm.estimators.learner import codes_of
from semisvm.estimators.notices import notice
from semisvm.estimators.probabilities import UNLABELED_ROWS, Calibration, class_scores


@dataclass(frozen=True, eq=False)
class Chosen:
    """The kernels that are trained on, the most trusted first."""

    views: list[KernelView]
    weights: list[float]
    residuals: list[float]
    n_tried: int


@dataclass(frozen=True, eq=False)
class Trained:
    """As many members as time allowed, with weights that sum to one."""

    members: list[Member]
    status: str
    interrupt: KeyboardInterrupt | None


def learn_by_averaging(job: Job) -> Learnt:
    began = time.monotonic()
    prepared, labels = preparations(job.X), job.training.labels
    task = _task(job)
    # what settles the size of scores: the unlabeled rows, or all where there are none
    reference = task.unlabeled if len(task.unlabeled) else task.labeled
    # a graph of labeled rows alone has nothing to add
    tried = list(kernel_views(job.X, prepared, job.seed, GRAPHS if len(task.unlabeled) else ()))
    chosen = _weighed_by_labels(tried, task)
    trained = _train(chosen, task, job, began)
    members = weighed_by_agreement(trained.members, reference)
    heard = voices(members, reference)
    scores = _sum([voice.on_training_rows() for voice in heard])
    codes = labels.codes.copy()
    codes[labels.unlabeled] = _classes(job, scores[labels.unlabeled])
    left_out = _sum([voice.left_out() for voice in heard])
    residual = {view.title: q for view, q in zip(chosen.views, chosen.residuals, strict=True)}
    # an SVM that saw no unlabeled row: the supervised part of a graph's kernel would know them all
    baseline = fit_named("supervised", prepared[0].apply(job.X), job)
    unlabeled = labels.unlabeled
    return Learnt(
        predictor=AveragePredictor.of(heard),
        calibration=_calibration(job, task, scores, left_out),
        codes=codes,
        **_facts(members, heard),
        status=trained.status,
        preparations=tuple(preparation.name for preparation in prepared),
        kernels=tuple(KernelShare(m.view.title, float(m.weight), residual[m.view.title]) for m in members),
        n_kernels=chosen.n_tried,
        comparison=Comparison.of(
            codes_of(scores[unlabeled]),
            baseline.transduction_[unlabeled],
            task.codes,
            (codes_of(left_out), left_out_classes(baseline)[job.training.weights[labels.labeled] > 0]),
        ),
        interrupt=trained.interrupt,
    )


def _task(job: Job) -> Task:
    labels, weights = job.training.labels, job.training.weights
    labeled = labels.labeled[weights[labels.labeled] > 0]
    return Task(
        y=labels.signs(),
        codes=labels.codes[labeled],
        labeled=labeled,
        unlabeled=labels.unlabeled,
        weights=job.C * weights,
        ratio=job.ratio,
    )


def _weighed_by_labels(tried: list[KernelView], task: Task) -> Chosen:
    rows = task.labeled
    residuals = np.array([left_out_residual(view.some_features(rows), task.y[rows]) for view in tried])
    weights = kernel_weights(residuals, len(rows))
    order = [k for k in np.argsort(-weights, kind="stable") if weights[k] > 0]
    return Chosen(
        [tried[k] for k in order], [float(weights[k]) for k in order], [float(residuals[k]) for k in order], len(tried)
    )


def _train(chosen: Chosen, task: Task, job: Job, began: float) -> Trained:
    """Side by side, or one by one where time is limited; Ctrl-C leaves those that there are."""
    n = len(chosen.views)
    parts = groups(chosen.views, len(task.y)) if job.time_limit is None else [range(k, k + 1) for k in range(n)]
    members: list[Member] = []
    status, interrupt = "converged", None
    try:
        for part in parts:
            if members and job.time_limit is not None and time.monotonic() - began > job.time_limit:
                status = "stopped at time_limit"
                notice(
                    f"S3VM stopped at time_limit={job.time_limit} after {len(members)} of {n} members and averages "
                    "these: raise time_limit.",
                    ConvergenceWarning,
                )
                break
            views = [chosen.views[k].leading(rank_for(chosen.views[k])) for k in part]
            fit = fit_members(views, [chosen.weights[k] for k in part], task, job.tol, job.max_iter)
            members += fit.members
            if fit.interrupt is not None:
                raise fit.interrupt
    except KeyboardInterrupt as stopped:
        if not members:
            raise
        status, interrupt = "interrupted", stopped
        notice(f"S3VM was interrupted after {len(members)} of {n} members and is left fitted with these.")
    total = sum(member.weight for member in members)
    return Trained([member.with_weight(member.weight / total) for member in members], status, interrupt)


def _classes(job: Job, scores: np.ndarray) -> np.ndarray:
    """Of the unlabeled rows: the largest score's, or in the expected numbers."""
    if job.expected is None or not job.joint_counts:
        return codes_of(scores)
    return assign(class_scores(scores), class_counts(job.expected.shares, len(scores)))


def _calibration(job: Job, task: Task, scores: np.ndarray, left_out: np.ndarray) -> Calibration:
    step = max(1, len(task.unlabeled) // UNLABELED_ROWS)
    return Calibration(
        labeled=class_scores(left_out),
        codes=task.codes,
        weights=job.sample_weights()[task.labeled],
        unlabeled=class_scores(scores[task.unlabeled[::step]]),
        expected=job.expected,
    )


def _facts(members: list[Member], heard: list[Voice]) -> dict:
    """How the average came about."""
    models = [voice.model for voice in heard]
    return {
        "objective": _sum([voice.share * voice.model.objective for voice in heard]),
        "stationarity": np.max([model.stationarity for model in models], axis=0),
        "n_iter": sum(model.n_iter for model in models),
        "path": [
            {"kernel": member.view.title, "share": member.weight, **stage}
            for member in members
            for stage in (member.semi_supervised or member.supervised).path
        ],
    }


def _sum(parts: list[np.ndarray]) -> np.ndarray:
    return np.sum(parts, axis=0)
