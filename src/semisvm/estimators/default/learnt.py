"""What `S3VM` is given back, whether one method answers or the average of many."""

from dataclasses import dataclass

import numpy as np

from semisvm.estimators.class_shares import ClassShares
from semisvm.estimators.default.evidence import Evidence
from semisvm.estimators.default.last_members import LastMembers
from semisvm.estimators.default.report import KernelShare
from semisvm.estimators.probabilities import Calibration
from semisvm.spaces import Predictor


@dataclass(frozen=True, eq=False)
class Learnt:
    """A model, how it came about, and what may be expected of it."""

    predictor: Predictor
    calibration: Calibration
    codes: np.ndarray
    """The class of every row."""
    shares: ClassShares
    """What was expected of the unlabeled rows."""
    threshold: np.ndarray
    objective: np.ndarray
    stationarity: np.ndarray
    n_iter: int
    path: list[dict]
    status: str
    preparations: tuple[str, ...]
    kernels: tuple[KernelShare, ...]
    n_kernels: int
    n_changed: int | None
    """Unlabeled rows whose class differs from what the labels alone would say; None where Ctrl-C came before that."""
    evidence: Evidence | None = None
    members: LastMembers | None = None
    """What a refit with `warm_start=True` begins with."""
    interrupt: KeyboardInterrupt | None = None
