"""Algorithms: generators of candidates, and the one driver that runs them."""

from semisvm.algorithms.algorithm import Algorithm, Candidate, Interrupted, Solution, Status, run
from semisvm.algorithms.annealing import AlternatingAnnealing, BestOfPath, GradientAnnealing
from semisvm.algorithms.branch_and_bound import BranchAndBound
from semisvm.algorithms.concave_convex import ConcaveConvex, Primal
from semisvm.algorithms.concave_convex_dual import HingeDual
from semisvm.algorithms.continuation import Continuation
from semisvm.algorithms.dual_hinge import DualHinge
from semisvm.algorithms.label_switching import LabelSwitching
from semisvm.algorithms.linear_dual import LinearDual
from semisvm.algorithms.linear_programming import MixedIntegerLP, SuccessiveLP
from semisvm.algorithms.mean_s3vm import Alternating, CuttingPlanes, LinearizedOracle, MeansThenSVM, SortOracle
from semisvm.algorithms.minimize import Minimize
from semisvm.algorithms.non_negative import NonNegative
from semisvm.algorithms.offset_search import OffsetSearch
from semisvm.algorithms.retraining import DualRetraining, PrimalRetraining, RowRetraining
from semisvm.algorithms.sdp_relaxation import SDPRelaxation

__all__ = [
    "Algorithm",
    "Alternating",
    "AlternatingAnnealing",
    "BestOfPath",
    "BranchAndBound",
    "Candidate",
    "ConcaveConvex",
    "Continuation",
    "CuttingPlanes",
    "DualHinge",
    "DualRetraining",
    "GradientAnnealing",
    "HingeDual",
    "Interrupted",
    "LabelSwitching",
    "LinearDual",
    "LinearizedOracle",
    "MeansThenSVM",
    "Minimize",
    "MixedIntegerLP",
    "NonNegative",
    "OffsetSearch",
    "Primal",
    "PrimalRetraining",
    "RowRetraining",
    "SDPRelaxation",
    "Solution",
    "SortOracle",
    "Status",
    "SuccessiveLP",
    "run",
]
