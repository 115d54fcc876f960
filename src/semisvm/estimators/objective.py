"""The cost of a labeling from any method: the protocol by which the survey compares objective values (section 5.2).

Chapelle, Sindhwani and Keerthi (2008): methods minimize different objectives (smoothed, centered, with a held bias), so
an ordinary squared-hinge SVM with a free bias is trained on their final labels, and its objective is compared.
"""

from typing import Any

import numpy as np

from semisvm.estimators.labels import read_labels
from semisvm.estimators.parameters import one_of, positive
from semisvm.estimators.supervised import SupervisedSVM


def s3vm_objective(
    X: Any,
    y: Any,
    labels: Any,
    *,
    C: float = 1.0,
    C_unlabeled: float | str = "auto",
    kernel: Any = "rbf",
    gamma: Any = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    unlabeled: Any = -1,
    tol: float = 1e-8,
) -> float:
    """The S3VM objective of a complete labeling.

        min_{f, b} 1/2 |f|^2 + C sum_{i in L} max(0, 1 - y_i z_i)^2 + C_unlabeled sum_{j in U} max(0, 1 - y_j z_j)^2

    Parameters
    ----------
    X, y : the training rows and their labels, `unlabeled` (or missing) where there is none
    labels : a class for every row, such as `transduction_` or `predict(X)`; given labels count as given
    C, C_unlabeled, kernel, gamma, degree, coef0 : as in the estimators

    Returns
    -------
    float
        The objective; with more than two classes the mean over the one-vs-rest problems.
    """
    given = read_labels(y, unlabeled)
    labels = np.array(labels)
    if labels.shape != given.codes.shape:
        raise ValueError(
            f"labels has shape {labels.shape} and one class for each of {len(given.codes):,} rows is needed: pass "
            "model.transduction_ or model.predict(X)."
        )
    strangers = np.setdiff1d(labels, given.classes)
    if len(strangers):
        classes = given.classes.tolist()
        raise ValueError(f"labels contains {strangers[0]!r}, which is not a class of y; they are {classes}.")
    labels[given.labeled] = given.classes[given.codes[given.labeled]]
    positive("C", C)
    if isinstance(C_unlabeled, str):
        one_of("C_unlabeled", C_unlabeled, ("auto", "equal"))
        C_unlabeled = C if C_unlabeled == "equal" else C * len(given.labeled) / max(1, len(given.unlabeled))
    weights = np.ones(len(labels))
    weights[given.unlabeled] = C_unlabeled / C
    svm = SupervisedSVM(
        kernel=kernel, gamma=gamma, degree=degree, coef0=coef0, C=C, unlabeled=None, tol=tol, max_iter=10_000
    )
    return float(np.mean(svm.fit(X, labels, sample_weight=weights).objective_))
