"""What `S3VM` asks for, and what it is given back, whether one method answers or the average of many."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.estimators.default.report import Comparison, KernelShare
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import class_weights
from semisvm.estimators.probabilities import Calibration, ClassShares
from semisvm.spaces import Predictor


@dataclass(frozen=True, eq=False)
class Job:
    """Rows, labels and settings."""

    training: TrainingSet
    C: float
    ratio: np.ndarray
    """Share of positives among the unlabeled rows, for each binary problem."""
    expected: ClassShares | None
    joint_counts: bool
    class_weight: Any
    tol: float
    max_iter: int
    time_limit: float | None
    seed: Any
    verbose: int

    @property
    def X(self) -> Any:
        return self.training.points.X

    def of_class(self) -> np.ndarray:
        """The weight of every class."""
        labels = self.training.labels
        return class_weights(self.class_weight, labels.classes, labels.codes[labels.labeled])

    def sample_weights(self) -> np.ndarray:
        """The weight of every row, whatever its class weighs."""
        labels, of_class = self.training.labels, self.of_class()
        factor = np.ones(len(labels.codes))
        factor[labels.labeled] = of_class[labels.codes[labels.labeled]]
        return np.divide(self.training.weights, factor, out=np.zeros_like(factor), where=factor > 0)


@dataclass(frozen=True, eq=False)
class Learnt:
    """A model, how it came about, and how it compares with a supervised one."""

    predictor: Predictor
    calibration: Calibration
    codes: np.ndarray
    """The class of every row."""
    objective: np.ndarray
    stationarity: np.ndarray
    n_iter: int
    path: list[dict]
    status: str
    preparations: tuple[str, ...]
    kernels: tuple[KernelShare, ...]
    n_kernels: int
    comparison: Comparison
    interrupt: KeyboardInterrupt | None = None
