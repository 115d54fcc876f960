"""Mixed-integer programs that Ctrl-C can end.

The solver behind scipy does not look at signals, so a program that takes more than a moment is solved again in a
process of its own, which is ended when Ctrl-C comes.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp

from semisvm.algorithms.child_process import call_in_child, can_start_a_child

MOMENT = 0.5
"""Seconds for which Ctrl-C has to wait."""
TIME_LIMIT = 1
"""The status of a program that was cut short."""


@dataclass(frozen=True, eq=False)
class MILPResult:
    x: np.ndarray | None
    bound: float | None
    status: int
    message: str


def solve_milp(
    cost: np.ndarray,
    integrality: np.ndarray,
    bounds: Bounds,
    constraints: list[LinearConstraint],
    gap: float,
    seconds: float | None,
) -> MILPResult:
    """The program's solution, or what was found after so many seconds."""
    program = {"c": cost, "integrality": integrality, "bounds": bounds, "constraints": constraints}
    began = time.monotonic()
    alone = not can_start_a_child()
    first = _here(program, gap, seconds if alone else min(MOMENT, seconds or MOMENT))
    left = None if seconds is None else seconds - (time.monotonic() - began)
    if alone or first.status != TIME_LIMIT or (left is not None and left <= 0):
        return first
    return _result(call_in_child(milp, **program, options=_options(gap, left)))


def _here(program: dict[str, Any], gap: float, seconds: float | None) -> MILPResult:
    return _result(milp(**program, options=_options(gap, seconds)))


def _result(found: OptimizeResult) -> MILPResult:
    return MILPResult(found.x, found.mip_dual_bound, found.status, found.message)


def _options(gap: float, seconds: float | None) -> dict[str, float]:
    return {"mip_rel_gap": gap} | ({} if seconds is None else {"time_limit": max(0.01, seconds)})
