"""Rows as estimators take them: arrays, sparse matrices, frames, or a source of rows that are never held whole."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from semisvm.estimators.row_sources import read_source, row_source

DTYPES = (np.float64, np.float32)


def read_rows(model: BaseEstimator, X: Any, *, reset: bool, square: bool = False) -> Any:
    """Dense rows in C order or a csr_array, finite, with the columns of `model`, which `reset` settles.

    `square`: X holds kernel values, all training rows by all training rows where `reset`.
    """
    source = row_source(X)
    if source is not None:
        return read_source(model, source, reset=reset)
    try:
        X = validate_data(
            model, X, reset=reset, accept_sparse="csr", dtype=DTYPES, order="C", ensure_min_samples=2 if reset else 1
        )
    except ValueError as error:
        if "string" in str(error) and (told := _told_of_text(X)) is not None:
            raise ValueError(told) from None
        raise _name_the_column(error, X) from None
    if sp.issparse(X) and not isinstance(X, sp.csr_array):
        X = sp.csr_array(X)
    if reset and square and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"Precomputed kernel values have shape {X.shape} and a square matrix (training rows by training rows) is "
            "needed."
        )
    return X


def _told_of_text(X: Any) -> str | None:
    """What to say of rows that hold text; None where they hold none."""
    try:
        cells = np.asarray(X, dtype=object)
    except (TypeError, ValueError):
        return None
    if cells.ndim != 2:
        return None
    for column, values in enumerate(cells.T):
        for value in values:
            if isinstance(value, str) and not _is_number(value):
                names = getattr(X, "columns", None)
                name = repr(names[column]) if names is not None else f"{column}"
                shown = value if len(value) <= 40 else f"{value[:40]}..."
                return (
                    f"X holds text ({str(shown)!r} in column {name}) and numbers are needed: "
                    "semisvm.tables.TablePreparation makes numbers of the columns of a table."
                )
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _name_the_column(error: ValueError, X: Any) -> ValueError:
    """scikit-learn's message with the column that holds the bad value."""
    message = str(error).split("\n")[0]
    if "contains" not in message or sp.issparse(X):
        return error
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return error
    bad = np.flatnonzero(~np.isfinite(values).all(axis=0)) if values.ndim == 2 else np.empty(0, dtype=int)
    if not len(bad):
        return error
    names = getattr(X, "columns", None)
    column = f"{names[bad[0]]!r}" if names is not None else f"{bad[0]}"
    others = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    return ValueError(f"{message.rstrip('.')} in column {column}{others}: fill in or drop these values first.")
