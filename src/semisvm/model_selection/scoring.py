"""Scores with unlabeled rows among the tested ones, for use with any splitter and any estimator."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import f1_score, get_scorer

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
    """`scoring` (a name that scikit-learn knows, "f1_rarest", or a scorer) over the labeled rows of a test set.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from semisvm import GradientS3VM
    >>> from semisvm.model_selection import LabeledKFold, labeled_scorer
    >>> search = GridSearchCV(GradientS3VM(), {"C": [1, 10]}, cv=LabeledKFold(3), scoring=labeled_scorer("f1_macro"))
    """
    return LabeledScorer(scorer_of(scoring), unlabeled)


@dataclass(frozen=True)
class PositiveScorer:
    """r^2 / P(f = 1): r is the recall of the labeled rows, P(f = 1) the share of all tested rows taken for positive."""

    unlabeled: Any

    def __call__(self, estimator, X, y) -> float:
        rows, known = labeled_part(y, self.unlabeled)
        if not len(rows):
            return float("nan")
        classes = np.unique(known)
        if len(classes) > 1:
            raise ValueError(
                f"The tested rows have labels of {len(classes)} classes and this score is for labels of one class: use "
                "labeled_scorer."
            )
        positive = np.asarray(estimator.predict(X)) == classes[0]
        recall, taken = float(np.mean(positive[rows])), float(np.mean(positive))
        return recall**2 / taken if taken else 0.0


def positive_scorer(unlabeled: Any = -1) -> PositiveScorer:
    """The criterion of Lee and Liu (2003), which needs no negative row: the larger the better.

    r^2 / P(f = 1) is precision times recall over the share of positives, which is the same for all models. It is large
    where both are, as F1 is. Test sets need unlabeled rows as well: fold both kinds by scikit-learn's StratifiedKFold.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
    >>> from semisvm import PositiveUnlabeledSVM
    >>> from semisvm.model_selection import positive_scorer
    >>> X = np.r_[np.zeros((20, 1)), np.ones((20, 1))] + np.linspace(0, 0.1, 40)[:, None]
    >>> y = np.r_[np.full(20, -1), np.full(10, 1), np.full(10, -1)]
    >>> model, grid = PositiveUnlabeledSVM(prior=1 / 3), {"C": [0.01, 10]}
    >>> search = GridSearchCV(model, grid, cv=StratifiedKFold(5), scoring=positive_scorer()).fit(X, y)
    >>> bool(search.best_score_ > 1)
    True

    References
    ----------
    Lee and Liu, "Learning with positive and unlabeled examples using weighted logistic regression", ICML 2003.
    """
    return PositiveScorer(unlabeled)


def scorer_of(scoring: Any) -> Any:
    """The scorer of a name: those of scikit-learn, and "f1_rarest"."""
    return f1_rarest if isinstance(scoring, str) and scoring == "f1_rarest" else get_scorer(scoring)


def f1_rarest(estimator, X, y) -> float:
    """F1 of the class with the smallest expected share, or with the fewest of these labels where none is expected."""
    shares = getattr(estimator, "ratio_", None)
    if shares is None:
        classes, counts = np.unique(y, return_counts=True)
        rarest = classes[counts.argmin()]
    elif len(shares) == 1:
        rarest = estimator.classes_[int(shares[0] <= 0.5)]
    else:
        rarest = estimator.classes_[np.argmin(shares)]
    return f1_of_class(np.asarray(y), estimator.predict(X), rarest)


def f1_of_class(true: np.ndarray, said: np.ndarray, wanted: Any) -> float:
    """1 where the class neither occurs nor is predicted."""
    return float(f1_score(true == wanted, said == wanted, zero_division=1.0))
