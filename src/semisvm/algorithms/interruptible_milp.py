"""Mixed-integer programs that Ctrl-C can end.

The solver behind scipy does not look at signals, so a program that takes more than a moment is solved again in a
process of its own, which is ended when Ctrl-C comes.
"""

import pickle
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

MOMENT = 0.5
"""Seconds for which Ctrl-C has to wait."""
TIME_LIMIT = 1
"""The status of a program that was cut short."""
CHILD = """
import pickle, sys
from scipy.optimize import milp
found = milp(**pickle.load(sys.stdin.buffer))
pickle.dump((found.x, found.mip_dual_bound, found.status, found.message), sys.stdout.buffer)
"""


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
    alone = not sys.executable
    first = _here(program, gap, seconds if alone else min(MOMENT, seconds or MOMENT))
    left = None if seconds is None else seconds - (time.monotonic() - began)
    if alone or first.status != TIME_LIMIT or (left is not None and left <= 0):
        return first
    return _elsewhere({**program, "options": _options(gap, left)})


def _here(program: dict[str, Any], gap: float, seconds: float | None) -> MILPResult:
    found = milp(**program, options=_options(gap, seconds))
    return MILPResult(found.x, found.mip_dual_bound, found.status, found.message)


def _elsewhere(program: dict[str, Any]) -> MILPResult:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    # a session of its own: the terminal's Ctrl-C is for this process, which ends the other one
    with subprocess.Popen([sys.executable, "-c", CHILD], start_new_session=True, **pipes) as solver:  # type: ignore[call-overload]
        try:
            answer, _ = solver.communicate(pickle.dumps(program))
        except BaseException:
            solver.kill()
            # on Ctrl-C the end of the block waits a quarter of a second only
            solver.wait()
            raise
    if solver.returncode:
        raise RuntimeError(f"The process of the mixed-integer program ended with status {solver.returncode}.")
    return MILPResult(*pickle.loads(answer))


def _options(gap: float, seconds: float | None) -> dict[str, float]:
    return {"mip_rel_gap": gap} | ({} if seconds is None else {"time_limit": max(0.01, seconds)})
