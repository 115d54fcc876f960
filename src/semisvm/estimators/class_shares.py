"""The share of every class among the unlabeled rows: given, or estimated from the labels that were drawn at random."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import beta

from semisvm.estimators.labels import Labels

COVERAGE = 0.8
"""Of the intervals of estimated shares."""


@dataclass(frozen=True, eq=False)
class ClassShares:
    """What is known of the shares of the classes among the unlabeled rows, and how many rows this is worth."""

    shares: np.ndarray
    worth: float

    @property
    def ratio(self) -> np.ndarray:
        """Share of positives of each binary problem: one for two classes, one per class beyond."""
        return self.shares[1:] if len(self.shares) == 2 else self.shares

    @property
    def interval(self) -> np.ndarray:
        """(classes, 2): 80 % interval of each share, from a beta distribution worth as many rows."""
        a = np.maximum(self.worth * self.shares, 1e-6)
        b = np.maximum(self.worth * (1.0 - self.shares), 1e-6)
        ends = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
        return beta.ppf(ends[None], a[:, None], b[:, None])

    @property
    def ratio_interval(self) -> np.ndarray:
        """(binary problems, 2)."""
        return self.interval[1:] if len(self.shares) == 2 else self.interval


def shares_of_labels(codes: np.ndarray, n_classes: int, imagined: float) -> ClassShares:
    """(n_c + m / k) / (l + m) with m imagined labels, spread evenly: the mean of a Dirichlet distribution."""
    counts = np.bincount(codes, minlength=n_classes)
    return ClassShares((counts + imagined / n_classes) / (counts.sum() + imagined), counts.sum() + imagined)


def given_shares(ratio: Any, labels: Labels) -> np.ndarray:
    """A number for two classes, or one per class that sum to one."""
    n_classes = len(labels.classes)
    if isinstance(ratio, Real) and not isinstance(ratio, bool):
        if n_classes != 2:
            raise ValueError(f"ratio={ratio!r} was given for {n_classes} classes and one number per class is needed.")
        shares = np.array([1.0 - float(ratio), float(ratio)])
    elif isinstance(ratio, Sequence | np.ndarray) and not isinstance(ratio, str):
        try:
            shares = np.asarray(ratio, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"ratio={ratio!r} was given and one number per class is needed.") from None
        if shares.shape != (n_classes,):
            raise ValueError(
                f"ratio has shape {shares.shape} and one number for each of {n_classes} classes is needed."
            )
    else:
        raise ValueError(f'ratio={ratio!r} was given and "labeled", "uniform", a number or one per class is needed.')
    if not (np.all(shares > 0) and np.all(shares < 1) and abs(shares.sum() - 1) <= 1e-6):
        raise ValueError(f"ratio={ratio!r} was given and shares between 0 and 1 that sum to 1 are needed.")
    return shares
