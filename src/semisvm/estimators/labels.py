"""Reading a label column: which rows are labeled, which classes there are, and which inputs are likely mistakes."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from semisvm.estimators.notices import notice


@dataclass(frozen=True, eq=False)
class Labels:
    """classes: sorted; codes: the class of each row, -1 where it is unlabeled."""

    classes: np.ndarray
    codes: np.ndarray
    drawn: np.ndarray
    """Rows whose label, if any, was drawn at random: only these show how frequent a class is."""

    @property
    def labeled(self) -> np.ndarray:
        return np.flatnonzero(self.codes >= 0)

    @property
    def unlabeled(self) -> np.ndarray:
        return np.flatnonzero(self.codes < 0)

    @property
    def drawn_codes(self) -> np.ndarray:
        """The classes of the labels that were drawn at random."""
        return self.codes[self.drawn & (self.codes >= 0)]

    @property
    def single(self) -> np.ndarray:
        """Whether each class has one label, where another class has more."""
        counts = np.bincount(self.codes[self.labeled], minlength=len(self.classes))
        return (counts == 1) & (counts.max() > 1)

    @property
    def n_columns(self) -> int:
        """Binary problems to solve: one for two classes, one per class beyond."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    def signs(self) -> np.ndarray:
        """(n, k) with +1 for the column's class, -1 for another one, 0 where unlabeled."""
        if len(self.classes) == 2:
            return np.where(self.codes < 0, 0.0, 2.0 * self.codes - 1.0)[:, None]
        signs = np.where(self.codes[:, None] == np.arange(len(self.classes)), 1.0, -1.0)
        signs[self.codes < 0] = 0.0
        return signs


def read_labels(y, unlabeled=-1, drawn=None) -> Labels:
    """Split y into labeled and unlabeled rows.

    Rows equal to `unlabeled` are unlabeled, and so are None, NaN and pandas.NA; with `unlabeled=None` every row is
    labeled and missing values are refused. `drawn` is a mask of the labels that were drawn at random, None for all.
    """
    classes, codes, marked = _split(y, unlabeled, "at least one row of two classes is needed")
    if len(classes) < 2:
        raise ValueError(_one_class(classes[0], unlabeled, marked))
    _warn_if_minus_one_looks_like_a_class(classes, unlabeled, marked, int(np.count_nonzero(codes >= 0)))
    return Labels(classes, codes, _mask(drawn, len(codes)))


def read_positives(y, unlabeled=-1, drawn=None) -> Labels:
    """Split y into rows of one class, which are positive, and unlabeled rows.

    The other class is not among the labels and gets a name: see `other_class`.
    """
    classes, codes, _ = _split(y, unlabeled, "at least one row of the positive class is needed")
    if len(classes) > 1:
        said = ", ".join(repr(c) for c in classes[:3].tolist()) + (", ..." if len(classes) > 3 else "")
        raise ValueError(
            f"y has {len(classes)} classes, {said}, among its labeled rows and only positive rows may be labeled: mark "
            f"all other rows as unlabeled (unlabeled={unlabeled!r}), or use S3VM, which learns from labels of all "
            "classes."
        )
    if not np.any(codes < 0):
        raise ValueError(
            f"All {len(codes):,} rows are labeled {classes[0].item()!r} and unlabeled rows are needed, too: mark them "
            f"with {-1 if unlabeled is None else unlabeled!r} or leave their labels blank."
        )
    return Labels(other_class(classes, unlabeled), np.where(codes < 0, -1, 1), _mask(drawn, len(codes)))


def other_class(positive: np.ndarray, unlabeled) -> np.ndarray:
    """(what the rest is called, the positive class): "not fraud" for text, False for True, 0 for other numbers.

    Where 0 is the positive class or marks unlabeled rows, the rest is -1, or 1 where that is taken as well.
    """
    if positive.dtype.kind not in "biufU":
        raise TypeError(
            f"y holds labels of type {positive.dtype.name} and numbers or text are needed, for the other rows to have "
            "a name: turn them into text."
        )
    name = positive[0].item()
    if isinstance(name, bool):
        return np.array([not name, name])
    if isinstance(name, str):
        return np.array([f"not {name}", name])
    free = next(number for number in (0, -1, 1) if number not in (name, unlabeled))
    return np.array([free, name], dtype=np.result_type(positive.dtype, np.int8))


def _split(y, unlabeled, needed: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(classes, the class of each row or -1, which rows equal the marker)."""
    kept = _integer_type(y)
    y = _column(y)
    missing = _missing(y)
    if unlabeled is None and missing.any():
        raise ValueError(
            f"y contains NaN in {missing.sum():,} rows while unlabeled=None makes every row labeled: fill them, or set "
            "unlabeled=-1 to train with unlabeled rows."
        )
    blank = _blank(y, missing, unlabeled)
    labeled = np.flatnonzero(~blank)
    if not len(labeled):
        raise ValueError(
            f"None of the {len(y):,} rows is labeled (unlabeled={unlabeled!r} and missing values mark unlabeled rows): "
            f"{needed}."
        )
    known = _plain(y[labeled])
    known = known if kept is None else known.astype(kept)
    check_classification_targets(known)
    classes, codes = np.unique(known, return_inverse=True)
    every = np.full(len(y), -1, dtype=np.intp)
    every[labeled] = codes
    return classes, every, blank & ~missing


def _mask(drawn, n_rows: int) -> np.ndarray:
    if drawn is None:
        return np.ones(n_rows, dtype=bool)
    mask = np.asarray(drawn)
    if mask.shape != (n_rows,) or mask.dtype != bool:
        raise ValueError(
            f"drawn has shape {mask.shape} and type {mask.dtype}, and one True or False for each of {n_rows:,} rows is "
            "needed."
        )
    return mask


def unlabeled_rows(y, unlabeled=-1) -> np.ndarray:
    """Which rows of y are unlabeled, as booleans; y may hold any number of classes, or none."""
    y = _column(y)
    return _blank(y, _missing(y), unlabeled)


def labeled_part(y, unlabeled=-1) -> tuple[np.ndarray, np.ndarray]:
    """(indices, labels) of the labeled rows, of which there may be none."""
    y = _column(y)
    rows = np.flatnonzero(~_blank(y, _missing(y), unlabeled))
    return rows, _plain(y[rows])


def with_marker(classes: np.ndarray, rows: np.ndarray, marker) -> np.ndarray:
    """Classes with the marker in these rows, in a type that holds both: numbers, text, or objects."""
    numbers = classes.dtype.kind in "iuf" and isinstance(marker, Real) and not isinstance(marker, bool)
    text = classes.dtype.kind == "U" and isinstance(marker, str)
    shared = np.result_type(classes.dtype, np.min_scalar_type(marker)) if numbers or text else np.dtype(object)
    classes = classes.astype(shared)
    classes[rows] = marker
    return classes


def _blank(y: np.ndarray, missing: np.ndarray, unlabeled) -> np.ndarray:
    return missing if unlabeled is None else missing | _equals(y, unlabeled)


def _integer_type(y) -> np.dtype | None:
    """Of a column of whole numbers in which some are missing: numpy would turn them into floats."""
    dtype = getattr(y, "dtype", None)
    # pandas' categories, pandas' nullable types, polars
    inner = getattr(getattr(dtype, "categories", None), "dtype", None)
    inner = getattr(dtype, "numpy_dtype", None) if inner is None else inner
    if inner is None and getattr(dtype, "is_integer", bool)():
        inner = str(dtype).lower()
    try:
        found = np.dtype(inner) if inner is not None else None
    except TypeError:
        return None
    return found if found is not None and found.kind in "iu" else None


def _column(y) -> np.ndarray:
    """y as one column; lists keep their None and mixed types, where numpy would turn all into text."""
    if _integer_type(y) is not None:
        y = np.array(y.to_list(), dtype=object)
    if isinstance(y, list | tuple):
        y = np.array([None if _is_blank_scalar(v) else v for v in y], dtype=object) if _mixed(y) else np.asarray(y)
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"y has {array.shape[1]} columns ({type_of_target(array)}) and one column of labels is needed: fit one "
            "estimator per column for multi-label data."
        )
    return column_or_1d(array, warn=True)


def _mixed(values) -> bool:
    kinds = {str if isinstance(v, str) else type(None) if _is_blank_scalar(v) else float for v in values}
    return len(kinds) > 1


def _is_blank_scalar(value) -> bool:
    # NaN and pandas.NA are not equal to themselves (comparing pandas.NA gives pandas.NA, which has no truth value)
    if value is None:
        return True
    if isinstance(value, str | bytes | int | bool | np.integer):
        return False
    try:
        return bool(value != value)
    except TypeError:
        return True


def _missing(y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind in "mM":
        return np.isnat(y)
    if y.dtype.kind == "O":
        return np.fromiter((_is_blank_scalar(v) for v in y), dtype=bool, count=len(y))
    return np.zeros(len(y), dtype=bool)


def _equals(y: np.ndarray, marker) -> np.ndarray:
    """Rows equal to the marker; text is never equal to a number."""
    if y.dtype.kind in "OT":
        return np.fromiter(
            (not _is_blank_scalar(v) and isinstance(v, str) == isinstance(marker, str) and v == marker for v in y),
            dtype=bool,
            count=len(y),
        )
    if isinstance(marker, str) != (y.dtype.kind in "US"):
        return np.zeros(len(y), dtype=bool)
    return y == marker


def _plain(known: np.ndarray) -> np.ndarray:
    """Labels without blanks in the narrowest type that numpy finds, so that they sort."""
    if known.dtype.kind != "O":
        return known
    kinds = {isinstance(v, str) for v in known}
    if len(kinds) > 1:
        raise TypeError("y mixes text and numbers as classes and one kind is needed: turn all labels into text.")
    try:
        plain = np.array(known.tolist())
    except ValueError:  # lists of different lengths
        plain = known
    if plain.ndim != 1 or plain.dtype.kind == "O":
        raise TypeError(
            f"y holds labels of type {type(known[0]).__name__} and numbers or text are needed: turn them into text."
        )
    return plain


def _one_class(only, unlabeled, marked: np.ndarray) -> str:
    only = only.item() if isinstance(only, np.generic) else only
    message = f"y has 1 class, {only!r}, among its labeled rows and at least 2 classes are needed"
    if unlabeled is not None and marked.any():
        return (
            f"{message}: {marked.sum():,} rows equal unlabeled={unlabeled!r}. If these are a class (labels written as "
            "-1/+1), use 0/1 labels, or mark unlabeled rows otherwise with unlabeled=0, or set unlabeled=None if every "
            "row is labeled."
        )
    return f"{message}: label some rows of another class."


def _warn_if_minus_one_looks_like_a_class(classes, unlabeled, marked: np.ndarray, n_labeled: int) -> None:
    if unlabeled != -1 or isinstance(unlabeled, bool) or classes.dtype.kind not in "iuf":
        return
    if 1 in classes and 0 < marked.sum() < n_labeled:
        notice(
            f"{marked.sum():,} rows with label -1 are taken as unlabeled, fewer than the {n_labeled:,} labeled rows; "
            "if -1 is a class, use other labels or set unlabeled=None."
        )
