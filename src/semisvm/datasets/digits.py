"""Handwritten digits: USPS and MNIST."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays


def load_usps(classes: Sequence[int] | None = None) -> Dataset:
    """USPS, training and test part: 9298 digits of 16 x 16 pixels in [0, 1].

    ``classes=(2, 5)`` keeps two digits: the task USPS(2,5) of the QN-S3VM paper, 2 as class 0 and 5 as class 1.
    """
    return _load("usps", classes, scale=None)


def load_mnist(classes: Sequence[int] | None = None, scale: float = 1.0) -> Dataset:
    """MNIST, training and test part: 70000 digits of 28 x 28 pixels in [0, ``scale``].

    ``classes=(3, 8)`` keeps two digits: MNIST3VS8 of the Laplacian SVM paper, 13966 rows.
    """
    return _load("mnist", classes, scale=scale)


def _load(name: str, classes: Sequence[int] | None, scale: float | None) -> Dataset:
    arrays = read_arrays(f"{name}.npz")
    y = np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.int64)
    n_train = len(arrays["y_train"])
    # Keep the wanted digits before the pixels grow from one byte to four.
    kept = np.flatnonzero(np.isin(y, range(10) if classes is None else classes))
    X = np.concatenate([arrays["X_train"], arrays["X_test"]])[kept].astype(np.float32, copy=False)
    if scale is not None:
        X *= np.float32(scale / 255)
    digits = Dataset(
        name=name,
        X=X,
        y=y[kept],
        classes=np.arange(10),
        description=f"{name.upper()} handwritten digits, training part first",
        license=data_files()[f"{name}.npz"].license,
        n_train=int(np.count_nonzero(kept < n_train)),
    )
    return digits if classes is None else digits.only(*classes)
