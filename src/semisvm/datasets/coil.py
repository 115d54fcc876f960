"""COIL-20: twenty objects on a turntable, 72 views each, and the tasks the papers made of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays

_CARS = (3, 6, 19)


def load_coil20(classes: Sequence[int] | None = None, scale: float = 1.0, binary: bool = False) -> Dataset:
    """COIL-20: 1440 images of 32 x 32 pixels in [0, ``scale``]; the classes are the object numbers 1 to 20.

    The Laplacian SVM paper uses ``scale=1``; the kernel widths of the survey want ``scale=255``.
    ``classes=(3, 6)`` keeps two objects: the task COIL(3,6) of the QN-S3VM paper (which shrinks its images to
    20 x 20).  ``binary=True`` is COIL20(B): objects 1 to 10 against 11 to 20.  Neighboring rows are neighboring
    views; ``row_info["pose"]`` counts them.  No splits are published for this copy.
    """
    arrays = read_arrays("coil20.npz")
    objects = Dataset(
        name="coil20",
        X=arrays["X"] * np.float32(scale),
        y=arrays["y"].astype(np.int64),
        classes=np.arange(1, 21),
        description="gray images of 20 objects, one view every 5 degrees",
        license=data_files()["coil20.npz"].license,
        row_info={"pose": arrays["pose"]},
    )
    if classes is not None:
        objects = objects.only(*classes)
    if binary:
        names = objects.classes.tolist()
        objects = objects.merged([one for one in names if one <= 10], [one for one in names if one > 10])
    return objects


def load_coil3(scale: float = 255.0) -> Dataset:
    """Coil3 of the survey: the three toy cars of COIL-20 (objects 3, 6 and 19), 216 images, pixels in [0, 255]."""
    return load_coil20(_CARS, scale=scale)
