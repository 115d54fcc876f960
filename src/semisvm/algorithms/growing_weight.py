"""Growing weights of the unlabeled points that go faster where labels stay as they are.

The published factor is 1.5 from one weight to the next. Here it is squared after every weight at which few labels
were switched, up to a largest one, and is 1.5 again after one at which many were.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import final

from semisvm.objective import Problem
from semisvm.schedules import Schedule, Stage


@final
@dataclass(frozen=True)
class GrowingWeight(Schedule):
    first: float = 1e-5
    growth: float = 1.5
    largest: float = 30.0
    few: float = 0.02
    """Labels, as a share of all, whose switching counts as none."""

    def stages(self, problem: Problem) -> Generator[Stage, int | None, None]:
        """To be driven by `send`: the next weight follows from the switches at the last one."""
        factor, growth = self.first, self.growth
        while True:
            weights = problem.weights.copy()
            weights[problem.unlabeled] *= factor
            switches = yield {"weight": factor}, problem.replace(weights=weights)
            if factor >= 1.0:
                return
            many = switches is not None and switches > self.few * len(problem.unlabeled) * problem.n_columns
            growth = self.growth if many else min(growth * growth, self.largest)
            factor = min(1.0, factor * growth)
