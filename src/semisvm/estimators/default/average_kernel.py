"""The kernel that the default averages over, as features of any row: which rows are near to a model.

    k(x, z) = sum_k w_k k_k(x, z)        phi(x) = (sqrt(w_1) phi_1(x), sqrt(w_2) phi_2(x), ...)

with the leading features phi_k of each label-free kernel and its weight in the average.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.estimators.default.average import PreparedPredictor
from semisvm.estimators.default.label_free import LabelFreeKernels
from semisvm.estimators.default.preparation import Preparation
from semisvm.estimators.default.report import Report
from semisvm.spaces import Predictor

if TYPE_CHECKING:
    from semisvm.estimators.default.estimator import S3VM


@dataclass(frozen=True, eq=False)
class AverageKernel:
    """Features by preparations and predictors; where there is no predictor, the prepared rows themselves."""

    parts: tuple[tuple[Preparation, Predictor | None], ...]

    @classmethod
    def of(cls, kernels: LabelFreeKernels, report: Report) -> "AverageKernel":
        """Of the kernels of a fit, weighed as its report says."""
        weights = {one.kernel: one.weight for one in report.kernels}
        parts: list[tuple[Preparation, Predictor | None]] = []
        for place, kernel in enumerate(kernels.views):
            if weights.get(kernel.title, 0.0) > 0:
                view, root = kernels.leading(place), np.sqrt(weights[kernel.title])
                # sqrt(w) (phi(x) directions - offset)
                parts.append((view.preparation, view.features.predictor(root * view.directions, -root * view.offset)))
        return cls(tuple(parts))

    def features(self, X: Any) -> Any:
        """phi(x) of every row."""
        found = []
        for preparation, predictor in self.parts:
            rows = preparation.apply(X)
            found.append(rows if predictor is None else predictor.scores(rows))
        return found[0] if len(found) == 1 else np.hstack(found)


def kernel_of(model: "S3VM") -> AverageKernel:
    """Of a model that was fitted in this process, with keep_kernels=True."""
    predictor = model.predictor_
    if isinstance(predictor, PreparedPredictor):
        # of a method by its name, whose one kernel falls with the distance of prepared rows
        return AverageKernel(((predictor.preparation, None),))
    assert model._kept is not None, "keep_kernels=True"
    assert model._kept.kernels is not None, "the default keeps its kernels"
    return AverageKernel.of(model._kept.kernels, model.report_)
