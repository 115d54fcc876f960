"""Odd rows, labels and weights, and one way in many to hand them over."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import semisvm

REAL = "LaplacianRLSRegressor"
"""The estimator whose targets are real numbers."""


@dataclass(frozen=True)
class DrawnTask:
    """Rows and labels as they are handed over, and what they mean."""

    X: Any
    y: Any
    codes: np.ndarray
    """The class of each row, -1 where it is unlabeled."""
    weights: Any
    new: Any
    n_new: int
    marker: Any
    story: str
    precomputed: bool = False

    def __str__(self) -> str:
        return self.story

    @property
    def n(self) -> int:
        return len(self.codes)

    @property
    def largest_new(self) -> float:
        return float(abs(np.asarray(self.new) if isinstance(self.new, pd.DataFrame) else self.new).max())

    def targets(self, name: str) -> Any:
        """Labels, or numbers for a regressor."""
        if name != REAL:
            return self.y
        return np.where(self.codes < 0, np.nan, self.codes + 0.25)

    @classmethod
    def plain(cls, *, one_class: bool = False) -> "DrawnTask":
        rng = np.random.default_rng(0)
        codes = np.r_[0, 1, 0, 1, np.full(8, -1)]
        codes = np.r_[np.full(6, 1), np.full(6, -1)] if one_class else codes
        X = rng.normal(size=(12, 3)) + 2 * (np.arange(12) % 2)[:, None]
        return cls(X, codes.copy(), codes, None, X[:3], 3, -1, "plain")


def one_of(rng: np.random.Generator, *choices: Any) -> Any:
    return choices[rng.integers(len(choices))]


def drawn_task(rng: np.random.Generator, *, one_class: bool = False) -> DrawnTask:
    n_classes = int(one_of(rng, 2, 2, 2, 3, 4))
    n, d = int(rng.integers(2 * n_classes + 1, 34)), int(one_of(rng, 1, 2, 3, 5, 8, 40))
    values, kind = _values(rng, n, d)
    codes = _codes(rng, n, n_classes)
    if one_class and rng.random() > 0.02:
        codes = np.where(codes == 1, 1, -1)
    X, way = _handed_over(rng, values)
    new, n_new = _new_rows(rng, values, way)
    y, marker, names = _labels(rng, codes)
    weights = _weights(rng, n)
    story = f"{n} x {d} rows ({kind}, {way}), labels {names}, weights {_said(weights)}"
    return DrawnTask(X, y, codes, weights, new, n_new, marker, story)


def with_kernel_values(task: DrawnTask, rng: np.random.Generator) -> DrawnTask:
    """The same with kernel values in place of rows: good ones, or such as no kernel has."""
    rows = np.random.default_rng(int(rng.integers(1000))).normal(size=(task.n, 3))
    K = one_of(
        rng,
        lambda: np.exp(-((rows[:, None] - rows[None]) ** 2).sum(-1)),
        lambda: rows @ rows.T,
        lambda: -rows @ rows.T,
        lambda: np.tanh(rows @ rows.T - 1),
        lambda: np.zeros((task.n, task.n)),
        lambda: np.eye(task.n),
        lambda: rows @ rows.T + 1e-3 * np.triu(np.ones((task.n, task.n))),
    )()
    kind = one_of(rng, np.asarray, np.asfortranarray, sp.csr_array, lambda K: K.astype(np.float32), _read_only)
    story = f"{task.story}, but {task.n} x {task.n} kernel values"
    return replace(task, X=kind(K), new=K[:3], n_new=3, story=story, precomputed=True)


def _values(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, str]:
    kind = str(
        one_of(rng, *["normal"] * 8, "equal", "zeros", "one-hot", "two points", "counts", "huge column", "line", "ints")
    )
    X = rng.normal(size=(n, d)) + 2.0 * (np.arange(n) % 2)[:, None]
    if kind == "equal":
        X[:] = X[0]
    elif kind == "zeros":
        X[:] = 0
    elif kind == "one-hot":
        X = np.eye(n, max(d, 2))[rng.permutation(n)]
    elif kind == "two points":
        X = X[rng.integers(0, 2, n)]
    elif kind == "counts":
        X = rng.poisson(0.3, size=(n, d)).astype(float)
    elif kind == "huge column":
        X[:, 0] *= 1e12
    elif kind == "line":
        X = np.outer(np.arange(n), np.ones(d))
    elif kind == "ints":
        X = np.rint(3 * X)
    size = float(one_of(rng, *[1.0] * 10, 1e-9, 1e9, 1e-20, 1e20, 1e-60, 1e60, 1e100, 1e200, 1e-100, 1e-308))
    shift = float(one_of(rng, *[0.0] * 10, 1e3, 1e9))
    if rng.random() < 0.2:
        X[rng.integers(0, len(X), 3)] = X[0]
    X = X * size + shift
    if rng.random() < 0.02:
        X[0, 0] = one_of(rng, np.nan, np.inf)
        kind += " with NaN or infinity"
    return X, f"{kind}, size {size:g}, shift {shift:g}"


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def _read_only_csr(X: np.ndarray) -> sp.csr_array:
    matrix = sp.csr_array(X)
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    return matrix


def _strided(X: np.ndarray) -> np.ndarray:
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _unsorted_csr(X: np.ndarray) -> sp.csr_array:
    """Columns from right to left, and every entry in two halves."""
    matrix = sp.csr_array(X)
    data, indices, indptr = [], [], [0]
    for row in range(len(X)):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        columns, values = matrix.indices[part][::-1], matrix.data[part][::-1]
        indices += [*columns, *columns]
        data += [*(values / 2), *(values / 2)]
        indptr.append(len(indices))
    return sp.csr_array((np.array(data, dtype=float), np.array(indices, dtype=np.int32), indptr), shape=X.shape)


WAYS = {
    "array": np.asarray,
    "Fortran order": np.asfortranarray,
    "read-only": _read_only,
    "strided": _strided,
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "float32": lambda X: _quietly(X, np.float32),
    "float16": lambda X: _quietly(X, np.float16),
    "big-endian": lambda X: X.astype(">f8"),
    "whole numbers": lambda X: np.clip(np.nan_to_num(X), -1e9, 1e9).astype(np.int64),
    "booleans": lambda X: X > 0,
    "objects": lambda X: X.astype(object),
    "lists": lambda X: X.tolist(),
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "coo_array": sp.coo_array,
    "read-only csr_array": _read_only_csr,
    "csr_array without order": _unsorted_csr,
    "float32 csr_array": lambda X: sp.csr_array(_quietly(X, np.float32)),
    "frame": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
    "chunked": lambda X: semisvm.chunked(np.ascontiguousarray(X), chunk_rows=7),
    "one dimension": lambda X: X.ravel(),
}
"""Ways to hand rows over."""


def _quietly(X: np.ndarray, dtype: type) -> np.ndarray:
    with np.errstate(all="ignore"):
        return X.astype(dtype)


def _handed_over(rng: np.random.Generator, X: np.ndarray) -> tuple[Any, str]:
    way = str(one_of(rng, *["array"] * 6, *WAYS))
    return WAYS[way](X), way


def _new_rows(rng: np.random.Generator, X: np.ndarray, way: str) -> tuple[Any, int]:
    rows = X[rng.integers(0, len(X), 4)]
    rows = np.where(np.isfinite(rows), rows, 0.0)
    if way == "frame":
        return WAYS[way](rows), len(rows)
    return (sp.csr_array(rows) if rng.random() < 0.2 else rows), len(rows)


def _codes(rng: np.random.Generator, n: int, n_classes: int) -> np.ndarray:
    """At least one label of each class, often; few, many, or all labels."""
    codes = np.full(n, -1)
    n_labeled = int(one_of(rng, n_classes, 2 * n_classes, n // 2, n - 1, n))
    chosen = rng.permutation(n)[: max(n_labeled, n_classes)]
    codes[chosen] = np.arange(len(chosen)) % n_classes
    if rng.random() < 0.02:
        codes[codes > 0] = 0
    return codes


def _labels(rng: np.random.Generator, codes: np.ndarray) -> tuple[Any, Any, str]:
    """(y, the marker, what they are) of these codes."""
    kind = str(
        one_of(rng, *["numbers"] * 5, "floats", "text", "text and None", "NaN", "booleans", "own marker", "frame")
    )
    kind = kind if rng.random() > 0.02 else str(one_of(rng, "lists", "dates", "mixed", "two columns", "NaT"))
    blank = codes < 0
    if kind == "floats":
        return np.where(blank, -1.0, codes + 3.0), -1, kind
    if kind == "text":
        return np.where(blank, "?", np.array(["a", "bb", "ccc", "d"])[codes]), "?", kind
    if kind == "text and None":
        return [None if b else "abcd"[c] for b, c in zip(blank, codes, strict=True)], -1, kind
    if kind == "NaN":
        return np.where(blank, np.nan, codes), -1, kind
    if kind == "booleans":
        return np.array([None if b else bool(c % 2) for b, c in zip(blank, codes, strict=True)], dtype=object), -1, kind
    if kind == "own marker":
        return np.where(blank, 99, codes), 99, kind
    if kind == "frame":
        return pd.Series(codes, name="label").astype("Int64"), -1, kind
    odd: dict[str, Any] = {
        "lists": [[c] for c in codes.tolist()],
        "dates": np.array(["2020-01-01"], dtype="datetime64[D]")[0] + codes,
        "mixed": np.array([None if c < 0 else ("a", 1)[c % 2] for c in codes], dtype=object),
        "two columns": np.column_stack([codes, codes]),
        "NaT": np.where(blank, np.datetime64("NaT"), np.datetime64("2020-01-01") + codes),
    }
    return odd.get(kind, codes.copy()), -1, kind


def _weights(rng: np.random.Generator, n: int) -> Any:
    kind = one_of(rng, *["none"] * 6, "random", "zeros here and there", "read-only", "large", "small", "odd", "list")
    w = rng.random(n) + 0.1
    return {
        "none": None,
        "random": w,
        "zeros here and there": np.where(rng.random(n) < 0.4, 0.0, w),
        "read-only": _read_only(w),
        "large": 1e6 * w,
        "small": 1e-6 * w,
        "list": w.tolist(),
        "odd": one_of(rng, np.zeros(n), -w, np.full(n, np.nan), w[:-1], 2.5, np.full(n, np.inf), "x"),
    }[kind]


def _said(weights: Any) -> str:
    if not isinstance(weights, np.ndarray | list):
        return repr(weights)
    return np.array2string(np.asarray(weights), precision=2, threshold=4)
