"""One method by its name, on the first preparation of the rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.estimators.classifier import Classifier
from semisvm.estimators.default.average import PreparedPredictor
from semisvm.estimators.default.job import Job, Learnt
from semisvm.estimators.default.named import named
from semisvm.estimators.default.preparation import preparations
from semisvm.estimators.default.report import Comparison, KernelShare
from semisvm.estimators.progress import inner_fit

MAX_ITER = 1000
"""What a method by name may take at least: `max_iter` is meant for each stage of each member of the average."""


def learn_by(method: str, job: Job) -> Learnt:
    preparation, unlabeled = preparations(job.X)[0], job.training.labels.unlabeled
    X = preparation.apply(job.X)
    model, interrupt = _fit_until_interrupted(method, X, job)
    baseline = model if method == "supervised" else fit_named("supervised", X, job)
    return Learnt(
        predictor=PreparedPredictor(preparation, model.predictor_),
        calibration=model.calibration_,
        codes=model.transduction_,
        objective=model.objective_,
        stationarity=model.stationarity_,
        n_iter=model.n_iter_,
        path=model.path_,
        status=model.status_,
        preparations=(preparation.name,),
        kernels=(KernelShare(f"{model.kernel} on {preparation.name}", 1.0, float("nan")),),
        n_kernels=1,
        comparison=Comparison.of(
            model.transduction_[unlabeled],
            baseline.transduction_[unlabeled],
            model.calibration_.codes,
            (left_out_classes(model), left_out_classes(baseline)),
        ),
        interrupt=interrupt,
    )


def _fit_until_interrupted(method: str, X: Any, job: Job) -> tuple[Classifier, KeyboardInterrupt | None]:
    """The method as far as it came, and the Ctrl-C that ended it."""
    model = _made(method, X, job, job.time_limit)
    try:
        return _fitted(model, X, job), None
    except KeyboardInterrupt as interrupt:
        if not hasattr(model, "predictor_"):
            raise
        return model, interrupt


def fit_named(method: str, X: Any, job: Job, time_limit: float | None = None) -> Classifier:
    """The method of that name on prepared rows; its classes are the codes of the given ones."""
    return _fitted(_made(method, X, job, time_limit), X, job)


def _made(method: str, X: Any, job: Job, time_limit: float | None) -> Classifier:
    codes = job.training.labels.codes
    running = {
        "class_weight": dict(enumerate(job.of_class())),
        "unlabeled": -1 if len(job.training.labels.unlabeled) else None,
        "tol": job.tol,
        "max_iter": max(job.max_iter, MAX_ITER),
        "time_limit": time_limit,
        "random_state": job.seed,
        "verbose": job.verbose,
    }
    ratio = float(job.ratio[0]) if len(job.ratio) == 1 else job.ratio / job.ratio.sum()
    settings = {"sparse": sp.issparse(X), "running": running, "joint_counts": job.joint_counts}
    return named(method, len(codes), job.C, ratio, **settings)


def _fitted(model: Classifier, X: Any, job: Job) -> Classifier:
    with inner_fit():
        return model.fit(X, job.training.labels.codes, job.sample_weights())


def left_out_classes(model: Classifier) -> np.ndarray:
    """What the model would say of every labeled row without its label."""
    return np.argmax(model.calibration_.labeled, axis=1)
