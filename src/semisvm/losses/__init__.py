"""Losses: what each point adds to the objective, as a function of its margin (labeled) or its score (unlabeled)."""

from semisvm.losses.annealed import Annealed, FrozenAnnealed, entropy, probabilities
from semisvm.losses.double_hinge import CorrectedDoubleHinge, DoubleHinge
from semisvm.losses.labeled import Hinge, HuberHinge, ModifiedLogistic, Squared, SquaredHinge
from semisvm.losses.loss import Loss, SplitLoss, concrete_losses
from semisvm.losses.smoothed import SmoothedGaussian, SmoothedSquaredHinge
from semisvm.losses.surrogates import Fixed, Mixed, Tangent
from semisvm.losses.targets import SquaredError
from semisvm.losses.unlabeled import (
    FlatQuadratic,
    Gaussian,
    Huber,
    SymmetricHinge,
    SymmetricRamp,
    SymmetricSquaredHinge,
    TwoSidedHinge,
    Zero,
)

__all__ = [
    "Annealed",
    "CorrectedDoubleHinge",
    "DoubleHinge",
    "Fixed",
    "FlatQuadratic",
    "FrozenAnnealed",
    "Gaussian",
    "Hinge",
    "Huber",
    "HuberHinge",
    "Loss",
    "Mixed",
    "ModifiedLogistic",
    "SmoothedGaussian",
    "SmoothedSquaredHinge",
    "SplitLoss",
    "Squared",
    "SquaredError",
    "SquaredHinge",
    "SymmetricHinge",
    "SymmetricRamp",
    "SymmetricSquaredHinge",
    "Tangent",
    "TwoSidedHinge",
    "Zero",
    "concrete_losses",
    "entropy",
    "probabilities",
]
