"""Small tables of the UCI repository used by the meanS3VM paper, and a9a."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays

_DESCRIPTIONS = {
    "australian": "credit card applications",
    "heart_statlog": "heart disease, absent or present",
    "house_votes_84": "votes of the US congress 1984: yes 1, no -1, unknown 0",
    "optdigits": "handwritten digits, 8 x 8 counts 0 to 16",
    "pendigits": "handwritten digits, 8 pen positions",
    "satimage": "Landsat pixels in a 3 x 3 neighborhood, 4 bands",
    "vehicle": "silhouettes of four vehicles",
    "wdbc": "breast cancer, malignant or benign",
}


def load_uci(name: str) -> Dataset:
    """One of australian, heart_statlog, house_votes_84, optdigits, pendigits, satimage, vehicle, wdbc or house.

    house is house_votes_84 without the rows that have unknown votes (232 of 435).  Values are as in the source:
    scale the columns before you use a kernel.
    """
    source = "house_votes_84" if name == "house" else name
    if source not in _DESCRIPTIONS:
        raise ValueError(f"load_uci knows no set {name!r}: choose one of {', '.join([*_DESCRIPTIONS, 'house'])}.")
    file = f"uci_{source}.npz"
    arrays = read_arrays(file)
    classes, y = np.unique(arrays["y"], return_inverse=True)
    X = arrays["X"].astype(np.float32)
    rows = np.flatnonzero((X != 0).all(axis=1)) if name == "house" else np.arange(len(X))
    return Dataset(
        name=f"uci_{name}",
        X=X[rows],
        y=y[rows],
        classes=arrays.get("classes", classes),
        description=_DESCRIPTIONS[source],
        license=data_files()[file].license,
        n_train=int(arrays["n_train"]) if "n_train" in arrays else None,
    )


def load_a9a() -> Dataset:
    """a9a: 48842 census rows, 123 binary columns (sparse), income above the line or not; 32561 rows for training."""
    arrays = read_arrays("a9a.npz")
    classes, y = np.unique(arrays["y"], return_inverse=True)
    parts = (arrays["data"].astype(np.float32), arrays["indices"].astype(np.int32), arrays["indptr"])
    return Dataset(
        name="a9a",
        X=sparse.csr_array(parts, shape=tuple(arrays["shape"])),
        y=y,
        classes=classes,
        description="census income, binary columns",
        license=data_files()["a9a.npz"].license,
        n_train=int(arrays["n_train"]),
    )
