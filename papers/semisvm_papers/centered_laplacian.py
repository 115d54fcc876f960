"""A Laplacian SVM whose outputs are centered over the unlabeled rows of training before they are cut at zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from semisvm import LaplacianSVM


class CenteredLaplacianSVM(LaplacianSVM):
    """Two classes; the mean output over the unlabeled rows is taken from every output."""

    def fit(self, X: Any, y: np.ndarray) -> CenteredLaplacianSVM:
        super().fit(X, y)
        scores = super().decision_function(X)
        self.mean_output_ = float(np.mean(scores[y < 0]))
        self.transduction_ = np.where(y >= 0, y, self.classes_[(scores > self.mean_output_).astype(int)])
        return self

    def predict(self, X: Any) -> np.ndarray:
        scores = super().decision_function(X)
        return self.classes_[(scores > self.mean_output_).astype(int)]
