"""Labels of one class: all rows are ranked by them, and the most similar rows are asked first."""

from typing import Any

import numpy as np

from semisvm.annotate.messages import LearningTask, RankedRows

LEAST_LABELS = 5
"""The least number of labels of one class to rank rows. Fewer cannot be left out in turn."""


def ranked_rows(X: Any, rows: np.ndarray, task: LearningTask, n_suggested: int) -> RankedRows:
    """Learn from the labels and these rows, and rank all rows of X."""
    # not imported by the process that serves
    from semisvm.estimators import PositiveUnlabeledSVM
    from semisvm.estimators.default.preparation import preparations
    from semisvm.estimators.positive_share import NARROW_INTERVAL

    preparation = preparations(X[rows])[0]
    prepared, y = preparation.apply(X[rows]), np.where(np.isin(rows, task.rows), 1, -1)
    kernel = "linear" if hasattr(prepared, "tocsr") else "rbf"
    model = PositiveUnlabeledSVM(kernel=kernel, random_state=0).fit(prepared, y)
    score = model.decision_function(preparation.apply(X))
    order = np.argsort(-score, kind="stable")
    low, high = model.prior_interval_.tolist()
    return RankedRows(
        n_labels=task.n_labels,
        score=score,
        suggested=order[task.open[order]][:n_suggested].tolist(),
        prior=model.prior_,
        prior_interval=(low, high),
        found=float(model.left_out_recall(prepared, y, (model.prior_,))[0]),
        label=str(task.classes[int(task.codes[0])]) if task.classes else "",
        gives_classes=high - low <= NARROW_INTERVAL,
    )


def one_class_sentence(ranked: RankedRows) -> str:
    """What is known, and what cannot be known."""
    low, high = ranked.prior_interval
    return (
        f"All labels are {ranked.label}, and the rows most like them are asked first. About {ranked.prior:.0%} of the "
        f"others are {ranked.label} ({low:.0%} to {high:.0%}), if none of the rest looks the same. Of the labels, each "
        f"left out in turn, {ranked.found:.0%} are among as many rows at the top. The error is not known before "
        "another class is labeled."
    )
