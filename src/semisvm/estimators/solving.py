"""One problem and one algorithm: the start of the run, the attributes kept of its end, and its messages."""

from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from semisvm.algorithms import Algorithm, Interrupted, Solution, Status, run
from semisvm.algorithms.algorithm import Watcher
from semisvm.estimators.notices import notice
from semisvm.estimators.parameters import Running
from semisvm.estimators.progress import logger
from semisvm.objective import Point, Problem


@dataclass(eq=False, repr=False, kw_only=True)
class Solving(Running):
    """warm_start: begin where the last fit ended."""

    warm_start: bool = False

    def _start(self, problem: Problem) -> Point | None:
        """Where the last fit ended, if warm_start is set and the shapes match."""
        previous = getattr(self, "_last_point", None) if self.warm_start else None
        if previous is None or previous[0].shape != (problem.space.dimension, problem.n_columns):
            return None
        theta, bias = previous
        return problem.objective().point(theta, bias if problem.bias is None else problem.bias)

    def _solved(
        self, algorithm: Algorithm, problem: Problem, watch: Watcher | None = None
    ) -> tuple[Solution, KeyboardInterrupt | None]:
        """(the end of the run, or the point reached when Ctrl-C came; that interrupt or None)."""
        start = self._start(problem)
        try:
            solution = run(algorithm, problem, start, max_iter=self.max_iter, time_limit=self.time_limit, watch=watch)
        except Interrupted as interrupt:
            return interrupt.solution, interrupt
        return solution, None

    def _keep(self, solution: Solution) -> None:
        candidate = solution.candidate
        self.objective_ = candidate.value
        self.stationarity_ = candidate.stationarity
        self.n_iter_ = solution.n_iter
        self.path_ = solution.path
        self.status_ = solution.status.value
        if self.warm_start:
            self._last_point = candidate.point.theta, candidate.point.bias

    def _report_end(self, solution: Solution) -> None:
        """One line to the log, and a warning where the run was cut short."""
        worst, name = float(np.max(solution.candidate.stationarity)), type(self).__name__
        status = solution.status
        if status is Status.INTERRUPTED:
            notice(
                f"{name} was interrupted after {solution.n_iter} iterations and is left fitted with the best solution "
                "so far."
            )
        logger.info("%s: %s after %d iterations, %.2f s", name, status.value, solution.n_iter, solution.seconds)
        if status in (Status.MAX_ITER, Status.TIME_LIMIT) and worst > self.tol:
            bound = "max_iter" if status is Status.MAX_ITER else "time_limit"
            notice(
                f"{name} {status.value}={getattr(self, bound)} with stationarity {worst:.1e}, above tol={self.tol:g}: "
                f"raise {bound} or tol.",
                ConvergenceWarning,
            )
