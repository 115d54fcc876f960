"""The benchmark of the book Semi-Supervised Learning (Chapelle, Schoelkopf and Zien 2006), with its splits."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays

_DESCRIPTIONS = {
    "digit1": "artificial writings of the digit 1 on a five-dimensional manifold, hidden in noise",
    "usps": "USPS digits 2 and 5 against the rest, disguised; 1200 against 300",
    "coil2": "COIL objects in two groups, disguised",
    "coil": "COIL objects in six groups, disguised",
    "bci": "brain-computer interface, imagined movements of two hands",
    "g241c": "two Gaussians in 241 dimensions, one per class",
    "g241n": "four Gaussians in 241 dimensions, two per class, misleading clusters (g241d in the book)",
    "secstr": "secondary structure of proteins from windows of 15 amino acids, one column per place and letter",
    "text": "IBM against other comp.* newsgroups, tf-idf",
}
_ALIASES = {"g241d": "g241n"}
_LETTERS = 21


def load_ssl(name: str) -> Dataset:
    """One set of the benchmark: digit1, usps, coil2, coil, bci, g241c, g241n (= g241d), secstr or text.

    ``splits`` holds 12 published splits each for 10 and 100 labels (secstr: 10 each for 100, 1000 and 10000).
    """
    chosen = _ALIASES.get(name, name)
    if chosen not in _DESCRIPTIONS:
        raise ValueError(f"load_ssl knows no set {name!r}: choose one of {', '.join(_DESCRIPTIONS)}.")
    file = f"ssl_{chosen}.npz"
    arrays = read_arrays(file)
    classes, y = np.unique(arrays["y"], return_inverse=True)
    splits = {rows.shape[1]: rows.astype(np.int64) for key, rows in arrays.items() if key.startswith("idx_labelled_")}
    return Dataset(
        name=f"ssl_{chosen}",
        X=_features(arrays),
        y=y,
        classes=classes,
        description=_DESCRIPTIONS[chosen],
        license=data_files()[file].license,
        splits=dict(sorted(splits.items())),
    )


def _features(arrays: dict[str, np.ndarray]) -> np.ndarray | sparse.csr_array:
    if "X" in arrays:
        return arrays["X"]
    if "data" in arrays:
        return sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))
    # column 21 p + c is 1 where place p holds letter c
    letters = arrays["T"].astype(np.int64)
    n, places = letters.shape
    columns = (letters + _LETTERS * np.arange(places)).ravel()
    ones = np.ones(columns.size, dtype=np.float32)
    return sparse.csr_array((ones, columns, places * np.arange(n + 1)), shape=(n, places * _LETTERS))
