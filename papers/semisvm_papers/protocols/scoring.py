"""Errors, and what a fitted model reports of itself: the figures every protocol takes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from semisvm_papers.tasks import Task


def error_pct(assigned: np.ndarray, truth: np.ndarray) -> float:
    """The share of wrong labels."""
    return 100 * float(np.mean(assigned != truth))


def macro_error_pct(assigned: np.ndarray, truth: np.ndarray) -> float:
    """The mean over classes of the share of wrong labels: 1 - (TP + TN)/2 for two classes, as shares of their class."""
    return float(np.mean([error_pct(assigned[truth == one], truth[truth == one]) for one in np.unique(truth)]))


def labels_by_count(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Labels from scores when each class is known to have as many rows as in ``truth``.

    One column of scores: the highest ones get class 1.  Several: every column is shifted so that as many of its
    scores are positive as its class has rows, then the largest wins.
    """
    if scores.ndim == 1:
        labels = np.zeros(len(scores), dtype=int)
        labels[np.argsort(-scores, kind="stable")[: np.count_nonzero(truth == 1)]] = 1
        return labels
    thresholds = [_threshold(column, int(np.sum(truth == one))) for one, column in enumerate(scores.T)]
    return np.argmax(scores - np.array(thresholds), axis=1)


def _threshold(scores: np.ndarray, n_above: int) -> float:
    """Half way between the last score to be positive and the first to be negative."""
    falling = np.concatenate([[np.inf], np.sort(scores)[::-1], [-np.inf]])
    above, below = falling[n_above], falling[n_above + 1]
    if np.isinf(above) or np.isinf(below):
        return float(below if np.isinf(above) else above)
    return float((above + below) / 2)


def timed_fit(model: Any, *arguments: Any, **more: Any) -> float:
    """Seconds of the fit alone, without what is measured afterwards."""
    begin = time.perf_counter()
    model.fit(*arguments, **more)
    return time.perf_counter() - begin


def timing(seconds: float, task: Task) -> dict[str, float]:
    """Seconds of a fit, and of each of its binary problems: one for two classes, one for every class of more."""
    n_classes = len(np.unique(task.y[task.labeled]))
    return {"fit_seconds": seconds, "fit_seconds_each": seconds / (n_classes if n_classes > 2 else 1)}


def sizes(task: Task) -> dict[str, float]:
    """How many labeled and unlabeled rows there are, and whatever else is known of the task."""
    return {"n_labeled": float(len(task.labeled)), "n_unlabeled": float(len(task.unlabeled)), **task.facts}


def mean_objective(model: Any) -> float | None:
    """With more than two classes, the mean over the one-vs-rest problems."""
    value = getattr(model, "objective_", None)
    return None if value is None else float(np.mean(value))


def total_iterations(model: Any) -> int | None:
    value = getattr(model, "n_iter_", None)
    return None if value is None else int(np.sum(value))


def certificate(model: Any) -> dict[str, float]:
    """What a method proves of its objective, the worst over its binary problems; nothing where it proves nothing.

    gap = (upper bound - lower bound) / max(1, upper bound)
    """
    lower, upper = getattr(model, "lower_bound_", None), getattr(model, "upper_bound_", None)
    if lower is None or upper is None:
        return {}
    lower, upper = np.atleast_1d(lower), np.atleast_1d(upper)
    return {
        "lower_bound": float(np.mean(lower)),
        "upper_bound": float(np.mean(upper)),
        "gap": float(np.max((upper - lower) / np.maximum(1.0, np.abs(upper)))),
        "certified": float(bool(getattr(model, "optimal_", False))),
        "n_nodes": float(np.sum(getattr(model, "n_nodes_", 0))),
    }
