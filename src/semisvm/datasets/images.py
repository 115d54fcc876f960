"""Faces and CIFAR-10: ORL pixels, and CIFAR-10 as features of a network."""

from __future__ import annotations

import numpy as np

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays


def load_orl_faces(scale: float = 1.0) -> Dataset:
    """ORL: 40 people, 10 photographs each, 32 x 32 pixels in [0, ``scale``]."""
    arrays = read_arrays("orl_faces.npz")
    return Dataset(
        name="orl_faces",
        X=arrays["X"].astype(np.float32) * np.float32(scale / 255),
        y=arrays["y"].astype(np.int64),
        classes=np.arange(1, 41),
        description="faces of 40 people",
        license=data_files()["orl_faces.npz"].license,
    )


def load_cifar10() -> Dataset:
    """CIFAR-10: 15000 training and 5000 test images as 128 principal components of ImageNet features."""
    arrays = read_arrays("cifar10_effnetlite0_pca.npz")
    return Dataset(
        name="cifar10",
        X=np.concatenate([arrays["X_train"], arrays["X_test"]]).astype(np.float32),
        y=np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.int64),
        classes=arrays["classes"],
        description="part of CIFAR-10, EfficientNet-Lite0 features reduced by PCA",
        license=data_files()["cifar10_effnetlite0_pca.npz"].license,
        n_train=len(arrays["y_train"]),
    )
