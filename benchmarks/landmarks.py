"""The same task with 500 landmarks instead of the whole kernel, in SVC fits on the same rows all labeled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.harness.contest import Contest, Entry
from benchmarks.harness.figure import Figure
from benchmarks.kernel import FITS, GAMMA, SEEDS, UNLABELED, C, draw, fitting, supervised
from semisvm import CCCPS3VM, AnnealingS3VM, GradientS3VM, LabelSwitchingS3VM, QuasiNewtonS3VM

TASK = "g50c, 8,000 unlabeled, 500 landmarks"
SETTINGS: dict[str, Any] = {"C": C, "gamma": GAMMA, "n_components": 500, "random_state": 0}


def entries() -> list[Entry]:
    switching = {"n_switches": "all", **SETTINGS}
    return [
        Entry("quasi-Newton", fitting(QuasiNewtonS3VM(**SETTINGS)), 1.5, "quasi-Newton"),
        Entry("gradient", fitting(GradientS3VM(**SETTINGS)), 1.5),
        Entry("CCCP, ramp", fitting(CCCPS3VM(**SETTINGS)), 1.5),
        Entry("gradient annealing", fitting(AnnealingS3VM(**SETTINGS)), 8.0),
        Entry("multi-switch, squared hinge", fitting(LabelSwitchingS3VM(**switching)), 8.0),
        Entry("multi-switch, hinge", fitting(LabelSwitchingS3VM(loss="hinge", **switching)), 8.0),
    ]


def figures() -> Iterator[Figure]:
    contest = Contest(TASK, {FITS: supervised}, entries())
    yield from contest.figures(draw(600, 99), (draw(UNLABELED, seed) for seed in range(SEEDS)))
