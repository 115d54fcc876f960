"""One method by its name, on the first preparation of the rows."""

import numpy as np

from semisvm.estimators.classifier import Classifier
from semisvm.estimators.default.average import PreparedPredictor
from semisvm.estimators.default.learnt import Learnt
from semisvm.estimators.default.named import fit_named
from semisvm.estimators.default.preparation import preparations
from semisvm.estimators.default.report import KernelShare
from semisvm.estimators.default.settings import Settings


def learn_by(method: str, settings: Settings) -> Learnt:
    preparation, labels = preparations(settings.X)[0], settings.training.labels
    X = preparation.apply(settings.X)

    def fitted(name: str, time_limit: float | None = None) -> Classifier:
        of_class = dict(enumerate(settings.of_class()))
        weights = settings.sample_weights()
        return fit_named(name, X, labels.codes, weights, settings, class_weight=of_class, time_limit=time_limit)

    model = fitted(method, settings.time_limit)
    baseline = model if method == "supervised" else fitted("supervised")
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
        n_changed=int(np.count_nonzero(model.transduction_ != baseline.transduction_)),
    )
