"""Labels of one class: all rows are ranked by them, and the most similar rows are asked first."""

from typing import Any

import numpy as np

from semisvm.annotate.messages import LearningTask, RankedRows

LEAST_LABELS = 5
"""The least number of labels of one class to rank rows. Fewer cannot be left out in turn."""
TAKEN = (0.5, 1.0, 2.0)
"""Rows from the top among which left-out labels are counted, as multiples of the expected number."""


def ranked_rows(
    X: Any, rows: np.ndarray, task: LearningTask, n_suggested: int, prior: float | None = None
) -> RankedRows:
    """Learn from the labels and these rows, and rank all rows of X. None estimates the share of the class."""
    # the process that serves does not load them
    from semisvm.estimators import PositiveUnlabeledSVM
    from semisvm.estimators.default.preparation import preparations
    from semisvm.estimators.positive_share import NARROW_INTERVAL

    preparation = preparations(X[rows])[0]
    prepared, y = preparation.apply(X[rows]), np.where(np.isin(rows, task.rows), 1, -1)
    kernel = "linear" if hasattr(prepared, "tocsr") else "rbf"
    model = PositiveUnlabeledSVM(prior=prior, kernel=kernel, random_state=0).fit(prepared, y)
    score = model.decision_function(preparation.apply(X))
    order = np.argsort(-score, kind="stable")
    low, high = model.prior_interval_.tolist()
    shares = [min(1.0, times * model.prior_) for times in TAKEN]
    n_others = X.shape[0] - len(task.rows)
    recall = model.left_out_recall(prepared, y, shares)
    return RankedRows(
        n_labels=task.n_labels,
        score=score,
        suggested=order[task.open[order]][:n_suggested].tolist(),
        prior=model.prior_,
        prior_interval=(low, high),
        prior_given=prior is not None,
        recall=tuple((max(1, round(s * n_others)), float(r)) for s, r in zip(shares, recall, strict=True)),
        label=str(task.classes[int(task.codes[0])]) if task.classes else "",
        gives_classes=high - low <= NARROW_INTERVAL,
    )


def one_class_sentence(ranked: RankedRows) -> str:
    """Say what is known and what is not."""
    low, high = ranked.prior_interval
    others = f"{ranked.prior:.0%} of the others are {ranked.label}, as was said."
    if not ranked.prior_given:
        others = (
            f"About {ranked.prior:.0%} of the others are {ranked.label} ({low:.0%} to {high:.0%}), if none of the rest "
            "looks the same."
        )
    found = ", ".join(f"{share:.0%} are among {taken:,} rows at the top" for taken, share in ranked.recall)
    return (
        f"All labels are {ranked.label}, and the rows most like them are asked first. {others} Of the labels, each "
        f"left out in turn, {found}. A kind of {ranked.label} that has no label is not found, and the error is not "
        "known before another class is labeled."
    )
