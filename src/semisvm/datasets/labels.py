"""From full labels to few: hiding labels, and drawing which rows keep theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def hide_labels(y: Any, labeled: Any, unlabeled: Any = -1) -> np.ndarray:
    """A copy of ``y`` in which every row outside ``labeled`` (row numbers or a mask) carries ``unlabeled``.

    Text labels come back as an object array, for which ``unlabeled=None`` is the natural marker.
    """
    y = np.asarray(y)
    hidden = np.ones(len(y), dtype=bool)
    hidden[np.asarray(labeled)] = False
    if unlabeled is not None and np.any(y[~hidden] == unlabeled):
        raise ValueError(
            f"The labels to keep contain {unlabeled!r}, which is to mark unlabeled rows: "
            f"use 0/1 labels, or another marker with unlabeled=..."
        )
    partial: np.ndarray
    if y.dtype.kind in "iub" and isinstance(unlabeled, (int, np.integer)):
        partial = y.astype(np.int64)
    elif y.dtype.kind == "f" and unlabeled is not None:
        partial = y.copy()
    else:
        partial = y.astype(object)
    partial[hidden] = unlabeled
    return partial


def labeled_splits(
    y: Any,
    n_labeled: int | None = None,
    per_class: int | None = None,
    n_splits: int = 10,
    random_state: Any = 0,
) -> np.ndarray:
    """Row numbers to keep labeled, one split per line, each class at least once in every split.

    Give ``per_class`` for the same number of rows from every class, or ``n_labeled`` for one row of every
    class and the rest drawn at random from all other rows.  The first k splits do not depend on
    ``n_splits``.
    """
    y = np.asarray(y)
    members = [np.flatnonzero(y == one) for one in np.unique(y)]
    if (n_labeled is None) == (per_class is None):
        raise ValueError(f"n_labeled={n_labeled} and per_class={per_class} were given: exactly one of them is needed.")
    smallest = min(len(rows) for rows in members)
    if per_class is not None and not 1 <= per_class <= smallest:
        raise ValueError(
            f"per_class={per_class} was given: it has to lie between 1 and {smallest}, the size of the smallest class."
        )
    if n_labeled is not None and not len(members) <= n_labeled <= len(y):
        raise ValueError(
            f"n_labeled={n_labeled} was given: it has to lie between {len(members)}, one for each class, "
            f"and {len(y)}, the number of rows."
        )
    random = check_random_state(random_state)
    first = 1 if per_class is None else per_class
    splits = []
    for _ in range(n_splits):
        rows = np.concatenate([random.choice(one, first, replace=False) for one in members])
        if n_labeled is not None:
            others = np.setdiff1d(np.arange(len(y)), rows)
            rows = np.concatenate([rows, random.choice(others, n_labeled - len(rows), replace=False)])
        splits.append(np.sort(rows))
    return np.array(splits)
