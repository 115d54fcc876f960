"""One objective: what it is, how minimizers see it, and the ways in which it is computed.

problem        J as data: space, labels, losses, weights, bias, graph term
objective      what minimizers ask of J, and J at a point
products       by products with E and E*: kernels, and what needs all outputs at once
row_sweeps     by sweeps over rows in memory
row_sums       by sums over rows in chunks or on workers
scores         scores of some rows, wherever they are: signs, largest, entropy
vectors        elements of H x R, and points with their outputs
row_losses     losses of rows, in parts that can be sent
remote_vectors, ranking, multipliers     numbers per row that stay with rows elsewhere, and their sums
"""

from semisvm.objective.objective import Evaluation, GramObjective, Line, Objective
from semisvm.objective.problem import Problem
from semisvm.objective.scores import ArrayScores, RemoteScores, Scores
from semisvm.objective.vectors import Point, Vector

__all__ = [
    "ArrayScores",
    "Evaluation",
    "GramObjective",
    "Line",
    "Objective",
    "Point",
    "Problem",
    "RemoteScores",
    "Scores",
    "Vector",
]
