"""Algorithms: generators of candidates, and the one driver that runs them."""

from semisvm.algorithms.algorithm import Algorithm, Candidate, Interrupted, Solution, Status, run
from semisvm.algorithms.continuation import Continuation
from semisvm.algorithms.dual_hinge import DualHinge
from semisvm.algorithms.minimize import Minimize
from semisvm.algorithms.offset_search import OffsetSearch

__all__ = [
    "Algorithm",
    "Candidate",
    "Continuation",
    "DualHinge",
    "Interrupted",
    "Minimize",
    "OffsetSearch",
    "Solution",
    "Status",
    "run",
]
