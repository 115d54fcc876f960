"""Scores that leave unlabeled rows out, for use with any splitter and any estimator."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer

from semisvm._compat import take_rows
from semisvm.estimators.labels import labeled_part


@dataclass(frozen=True)
class LabeledScorer:
    """A scorer that is shown the labeled rows only; NaN where a test set has none."""

    scorer: Any
    unlabeled: Any

    def __call__(self, estimator, X, y, **params) -> float:
        rows, known = labeled_part(y, self.unlabeled)
        if not len(rows):
            return float("nan")
        chosen = {name: None if value is None else np.asarray(value)[rows] for name, value in params.items()}
        return self.scorer(estimator, take_rows(X, rows), known, **chosen)


def labeled_scorer(scoring: Any = "accuracy", unlabeled: Any = -1) -> LabeledScorer:
    """`scoring` (a name that scikit-learn knows, or a scorer) over the labeled rows of a test set.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from semisvm import GradientS3VM
    >>> from semisvm.model_selection import LabeledKFold, labeled_scorer
    >>> search = GridSearchCV(GradientS3VM(), {"C": [1, 10]}, cv=LabeledKFold(3), scoring=labeled_scorer("f1_macro"))
    """
    return LabeledScorer(get_scorer(scoring), unlabeled)
