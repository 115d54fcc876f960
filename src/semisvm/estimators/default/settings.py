"""What `S3VM` hands to what learns: rows, labels and parameters."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.estimators.class_shares import ClassShares, shares_by_odds, shares_of_labels
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import class_weights

IMAGINED_LABELS = 4.0
"""Labels of every class together that are imagined besides the real ones when shares are estimated."""


@dataclass(frozen=True, eq=False)
class Settings:
    training: TrainingSet
    C: float
    given: ClassShares | None
    """Class shares that were given; None: they are found from the labels."""
    estimated: bool
    """Whether they are found from the scores of the unlabeled rows as well."""
    threshold: str
    joint_counts: bool
    class_weight: Any
    tol: float
    max_iter: int
    time_limit: float | None
    seed: Any
    """Draws the landmarks and the methods by name."""
    tree_seed: int
    n_jobs: int | None
    verbose: int
    odds: np.ndarray | None = None
    """(u, classes) of the unlabeled rows by an SVM on the labels, once it is trained, for estimated shares."""

    @property
    def X(self) -> Any:
        return self.training.points.X

    def shares(self, rows: np.ndarray) -> ClassShares:
        """The shares of the classes among the unlabeled rows, as the labels of these rows alone show them."""
        if self.given is not None:
            return self.given
        labels = self.training.labels
        drawn = labels.codes[rows[labels.drawn[rows]]]
        return shares_of_labels(drawn, len(labels.classes), IMAGINED_LABELS)

    @property
    def class_shares(self) -> ClassShares:
        """Those that all labels show and, where they are estimated, the odds of the unlabeled rows."""
        labels = self.training.labels
        if self.given is None and self.odds is not None:
            return shares_by_odds(self.odds, labels.drawn_codes, len(labels.labeled))
        return self.shares(labels.labeled)

    @property
    def expected(self) -> ClassShares | None:
        """None where there are no unlabeled rows."""
        return self.class_shares if len(self.training.labels.unlabeled) else None

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
