"""How much the right hyper-parameters are worth (Tables 9 and 10 of the survey)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from semisvm_papers.protocol import Build, InParts, Outcome, Protocol
from semisvm_papers.protocols.transductive import Transductive
from semisvm_papers.tasks import Task

WIDTHS = (0.5, 1.0, 2.0)
WEIGHTS = (0.1, 1.0, 10.0)
SHARES = (0.01, 0.1, 1.0)
SETTINGS = tuple(product(WIDTHS, WEIGHTS, SHARES))


@dataclass(frozen=True)
class Sensitivity(InParts):
    """The errors of 27 settings: sigma/2, sigma, 2 sigma; C/10, C, 10 C; C* = C/100, C/10, C.

    The error is that of the setting the cell names, with C* = C. ``gain_pct`` is by how much of it the best setting is
    better, ``spread_pct`` the standard deviation of the 27 errors in points.
    """

    each: Protocol = field(default_factory=Transductive)

    @property
    def n_parts(self) -> int:
        return len(SETTINGS)

    def measure_part(self, part: int, build: Build, task: Task, seed: int) -> Outcome:
        return self.each.measure(_changed(build, *SETTINGS[part]), task, seed)

    def whole(self, outcomes: Sequence[Outcome]) -> Outcome:
        errors = [outcome.error_pct for outcome in outcomes]
        default = outcomes[SETTINGS.index((1.0, 1.0, 1.0))]
        best = min(errors)
        return Outcome(
            default.error_pct,
            default.objective,
            default.n_iter,
            {
                "errors_pct": errors,
                "best_error_pct": best,
                # by how much of the error of the default the best is lower; an error of 0 leaves nothing to gain
                "gain_pct": 100 * (default.error_pct - best) / default.error_pct if default.error_pct else 0.0,
                "spread_pct": float(np.std(errors)),
            },
        )


def _changed(build: Build, width: float, weight: float, share: float) -> Build:
    """The same estimator with sigma and C multiplied, and C* a share of that C."""

    def built() -> Any:
        model = build()
        # gamma = 1/(2 sigma^2)
        gamma, C = model.gamma / width**2, model.C * weight
        return model.set_params(gamma=gamma, C=C, C_unlabeled=share * C)

    return built
