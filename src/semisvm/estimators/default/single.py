"""One method by its name, on the first preparation of the rows."""

from functools import partial
from typing import Any

import numpy as np

from semisvm.estimators.classifier import Classifier
from semisvm.estimators.default.average import PreparedPredictor
from semisvm.estimators.default.learnt import Learnt
from semisvm.estimators.default.named import fit_named, named_for
from semisvm.estimators.default.preparation import Preparation, preparation_of, preparations
from semisvm.estimators.default.report import KernelShare
from semisvm.estimators.default.settings import Settings
from semisvm.estimators.labels import Labels
from semisvm.estimators.progress import inner_fit
from semisvm.estimators.row_sources import RowSource


def learn_by(method: str, settings: Settings) -> Learnt:
    preparation, X = _prepared(settings.training.points)
    labels = settings.training.labels
    weights, of_class = settings.sample_weights(), dict(enumerate(settings.of_class()))
    model = named_for(method, X, labels.codes, settings, class_weight=of_class, time_limit=settings.time_limit)
    model, interrupt = _until_interrupted(model, X, labels, weights)
    n_changed = 0 if method == "supervised" else None
    if n_changed is None and interrupt is None:
        try:
            alone = fit_named("supervised", X, labels.codes, weights, settings, class_weight=of_class)
            n_changed = int(np.count_nonzero(np.asarray(model.transduction_ != alone.transduction_)))
        except KeyboardInterrupt as late:
            interrupt = late
    return Learnt(
        predictor=PreparedPredictor(preparation, model.predictor_),
        calibration=model.calibration_,
        codes=np.asarray(model.transduction_),
        shares=model._shares,
        threshold=model.threshold_,
        objective=model.objective_,
        stationarity=model.stationarity_,
        n_iter=model.n_iter_,
        path=model.path_,
        status=model.status_,
        preparations=(preparation.name,),
        kernels=(KernelShare(f"{model.kernel} on {preparation.name}", 1.0, float("nan")),),
        n_kernels=1,
        n_changed=n_changed,
        interrupt=interrupt,
    )


def _prepared(points: Any) -> tuple[Preparation, Any]:
    """The first preparation and the rows after it; of rows that are never held whole, as they are loaded."""
    if isinstance(points, RowSource):
        preparation = preparation_of(points)
        return preparation, points.changed(partial(_block, preparation, points.dtype))
    preparation = preparations(points.X)[0]
    return preparation, preparation.apply(points.X)


def _block(preparation: Preparation, dtype: np.dtype, block: Any) -> Any:
    return preparation.apply(block).astype(dtype)


def _until_interrupted(
    model: Classifier, X: Any, labels: Labels, weights: np.ndarray
) -> tuple[Classifier, KeyboardInterrupt | None]:
    """The model as far as it came, and the Ctrl-C that ended it."""
    try:
        with inner_fit():
            return model.fit(X, labels.codes, weights, drawn=labels.drawn), None
    except KeyboardInterrupt as interrupt:
        if not hasattr(model, "predictor_"):
            raise
        return model, interrupt
