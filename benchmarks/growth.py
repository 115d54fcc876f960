"""How time grows with the unlabeled rows, from 2,000 to 16,000: the exponent e of time ~ n^e by least squares.

The g50c generator with 50 labels. Kernel methods hold n^2 entries of the Gram matrix (2 GB for 16,000 rows). Processor
seconds on one thread; the fastest of three fits up to 4,000 rows, one fit beyond. Methods that factor a matrix of all
rows (Newton's) grow with n^3 by nature and are not among them; nor are those for dozens of rows.
"""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness.figure import Figure
from benchmarks.kernel import GAMMA, C, draw
from semisvm import (
    CCCPS3VM,
    S3VM,
    AnnealingS3VM,
    ContinuationS3VM,
    GradientS3VM,
    LabelSwitchingS3VM,
    MeanS3VM,
    QuasiNewtonS3VM,
)

TASK = "g50c, 2,000 to 16,000 unlabeled"
SIZES = (2_000, 4_000, 8_000, 16_000)
WARM_UP = 600
KERNEL: dict[str, Any] = {"C": C, "gamma": GAMMA}
LANDMARKS: dict[str, Any] = {**KERNEL, "n_components": 500, "random_state": 0}
LINEAR: dict[str, Any] = {"C": 0.013, "kernel": "linear"}
METHODS: dict[str, Any] = {
    "CCCP, ramp": CCCPS3VM,
    "quasi-Newton": QuasiNewtonS3VM,
    "gradient": GradientS3VM,
    "gradient annealing": AnnealingS3VM,
    "continuation": ContinuationS3VM,
    "means, iter": MeanS3VM,
    "multi-switch, squared hinge": partial(LabelSwitchingS3VM, n_switches="all"),
}
HINGE: dict[str, Any] = {"multi-switch, hinge": partial(LabelSwitchingS3VM, n_switches="all", loss="hinge")}
FORMS: dict[str, tuple[dict[str, Any], float, dict[str, Any]]] = {
    "kernel": (KERNEL, 2.15, {**METHODS, **HINGE}),
    "500 landmarks": (LANDMARKS, 1.1, METHODS),
    "linear": (LINEAR, 1.1, METHODS),
    "landmarks of its own": ({}, 1.1, {"S3VM()": S3VM}),
}


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of log seconds over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def seconds_of(model: Any, n_unlabeled: int) -> float:
    given, best = draw(n_unlabeled, 0), np.inf
    for _ in range(3 if n_unlabeled <= 4_000 else 1):
        gc.collect()
        begin = process_time()
        model.fit(given.X, given.labels)
        best = min(best, process_time() - begin)
    return float(best)


def figures(sizes: tuple[int, ...] = SIZES) -> Iterator[Figure]:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for form, (settings, bar, methods) in FORMS.items():
            for name, method in methods.items():
                model = method(**settings)
                warm_up = draw(WARM_UP, 99)
                model.fit(warm_up.X, warm_up.labels)
                seconds = [seconds_of(model, n) for n in sizes]
                print(f"  {form}, {name}: {seconds}", file=sys.stderr, flush=True)
                value = exponent(list(sizes), seconds)
                points = dict(zip(map(str, sizes), seconds, strict=True))
                yield Figure(TASK, f"{name}, {form}", "exponent", value, value, value, bar, points=points)
