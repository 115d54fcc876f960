"""The sets of the low density separation archive (Chapelle and Zien 2005), each with its ten published splits."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays

_DESCRIPTIONS = {
    "g50c": "two unit Gaussians in 50 dimensions, Bayes error 5 %",
    "g10n": "two Gaussians in 10 dimensions with the class boundary through their centers, Bayes error 0",
    "text": "mac (0) against mswindows (1) of 20 Newsgroups, tf-idf rows of unit length",
    "uspst": "the USPS test digits as shipped with the archive, gray values in [-0.94, 0.94]",
}


def load_g50c() -> Dataset:
    """g50c: 550 rows, 50 columns, 50 of the labels given in each split."""
    return _load("g50c")


def load_g10n() -> Dataset:
    """g10n: 550 rows, 10 columns, 50 of the labels given in each split."""
    return _load("g10n")


def load_text() -> Dataset:
    """Text: 1946 sparse rows of unit length, 7511 columns, 50 of the labels given in each split."""
    return _load("text")


def load_uspst(binary: bool = False) -> Dataset:
    """USPST: 2007 digits, 256 columns, 50 of the labels given in each split.

    ``binary=True`` is USPST(B), called Uspst2 in the survey: digits 0 to 4 against 5 to 9, same splits.
    """
    digits = _load("uspst")
    return digits.merged(range(5), range(5, 10)) if binary else digits


def _load(name: str) -> Dataset:
    file = f"lds_{name}.npz"
    arrays = read_arrays(file)
    classes, y = np.unique(arrays["y"], return_inverse=True)
    splits = arrays["idx_labelled"].astype(np.int64)
    if "X" in arrays:
        X = arrays["X"]
    else:
        X = sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))
    return Dataset(
        name=name,
        X=X,
        y=y,
        classes=classes,
        description=_DESCRIPTIONS[name],
        license=data_files()[file].license,
        splits={splits.shape[1]: splits},
    )
