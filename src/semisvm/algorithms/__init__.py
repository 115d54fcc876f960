"""Algorithms: generators of candidates, and the one driver that runs them."""

from semisvm.algorithms.algorithm import Algorithm, Candidate, Interrupted, Solution, Status, run
from semisvm.algorithms.annealing import AlternatingAnnealing, BestOfPath, GradientAnnealing
from semisvm.algorithms.continuation import Continuation
from semisvm.algorithms.dual_hinge import DualHinge
from semisvm.algorithms.label_switching import LabelSwitching
from semisvm.algorithms.minimize import Minimize
from semisvm.algorithms.offset_search import OffsetSearch
from semisvm.algorithms.retraining import DualRetraining, PrimalRetraining

__all__ = [
    "Algorithm",
    "AlternatingAnnealing",
    "BestOfPath",
    "Candidate",
    "Continuation",
    "DualHinge",
    "DualRetraining",
    "GradientAnnealing",
    "Interrupted",
    "LabelSwitching",
    "Minimize",
    "OffsetSearch",
    "PrimalRetraining",
    "Solution",
    "Status",
    "run",
]
