"""Rows as estimators take them: arrays, sparse matrices, frames, or a source of rows that are never held whole."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from semisvm.estimators.row_sources import read_source, row_source

DTYPES = (np.float64, np.float32)
LARGEST, SMALLEST = 1e75, 1e-75
"""Between these, fourth powers of values and sums of them are far from the ends of float64."""
LARGEST_SINGLE, SMALLEST_SINGLE = 1e8, 1e-8
"""The same for float32."""


def read_rows(model: BaseEstimator, X: Any, *, reset: bool, square: bool = False) -> Any:
    """Dense rows in C order or a csr_array, finite, with the columns of `model`, which `reset` settles.

    `square`: X holds kernel values, all training rows by all training rows where `reset`.
    """
    source = row_source(X)
    if source is not None:
        return read_source(model, source, reset=reset)
    if reset or not _is_ready(model, X):
        X = _validated(model, X, reset=reset)
    X = _in_range(X, getattr(model, "feature_names_in_", None), training=reset)
    if reset and square and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"Precomputed kernel values have shape {X.shape} and a square matrix (training rows by training rows) is "
            "needed."
        )
    return X


def _validated(model: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """X as scikit-learn reads it, with messages that name the column."""
    try:
        # sums of infinities of both signs, which find them, need no warning
        with np.errstate(invalid="ignore", over="ignore"):
            X = validate_data(
                model,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=DTYPES,
                order="C",
                ensure_min_samples=2 if reset else 1,
            )
    except ValueError as error:
        if "string" in str(error) and (refusal := _refusal_of_text(X)) is not None:
            raise ValueError(refusal) from None
        raise _name_the_column(error, X) from None
    return sp.csr_array(X) if sp.issparse(X) and not isinstance(X, sp.csr_array) else X


def _is_ready(model: Any, X: Any) -> bool:
    """Whether scikit-learn would return X itself without a warning; asking it would take longer than a prediction."""
    as_needed = (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in DTYPES
        and X.flags.c_contiguous
        and len(X) > 0
        and X.shape[1] == getattr(model, "n_features_in_", None)
        and not hasattr(model, "feature_names_in_")
    )
    if not as_needed:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isfinite(X.sum()))


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """One weight per row in a new array: ones where none are given, one number for all where it is one."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight holds values that are not numbers and one weight per row is needed.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape} and one weight for each of {n_rows:,} rows is needed."
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError(
            "sample_weight has negative or infinite weights or NaN, and finite ones of 0 or more are needed."
        )
    return weights


def _in_range(X: Any, names: Any, *, training: bool) -> Any:
    """X with values whose squares and products stay in range: float32 ones in float64 where they need it."""
    values = X.data if sp.issparse(X) else X
    largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))
    if largest > LARGEST:
        column = int(X.indices[np.abs(values).argmax()] if sp.issparse(X) else np.abs(X).argmax() % X.shape[1])
        name = repr(names[column]) if names is not None else column
        raise ValueError(
            f"X has a value of size {largest:.1e} in column {name} and sizes up to {LARGEST:g} are needed: divide the "
            "column by its size first."
        )
    if training and 0 < largest < SMALLEST:
        raise ValueError(
            f"The largest value of X has size {largest:.1e} and {SMALLEST:g} or more is needed, or zeros alone: "
            "multiply X by a constant first."
        )
    if X.dtype == np.float32 and largest > 0 and not SMALLEST_SINGLE <= largest <= LARGEST_SINGLE:
        return X.astype(np.float64)
    return X.toarray() if _sparse_far_from_zero(X) else X


def _sparse_far_from_zero(X: Any) -> bool:
    """Whether rows are sparse and yet far from zero compared with their spread, so that few entries are zero.

    Dense rows are moved to zero before distances are taken; sparse ones cannot be, and would lose their distances.
    """
    if not sp.issparse(X) or not X.nnz:
        return False
    size = X.shape[0] * X.shape[1]
    mean = X.data.sum(dtype=np.float64) / size
    square = np.square(X.data, dtype=np.float64).sum() / size
    return bool(mean**2 > 100 * (square - mean**2))


def _refusal_of_text(X: Any) -> str | None:
    """The message for rows that hold text; None where they hold none."""
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
    """scikit-learn's message in one line, with the column that holds the bad value."""
    message = str(error).split("\n")[0]
    if "contains" not in message or sp.issparse(X):
        return ValueError(" ".join(str(error).split()).rstrip(".") + ".")
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
