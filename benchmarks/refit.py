"""`S3VM()` on 2,000 and 20,000 rows of 50 columns: its fit, and refits with other labels.

With SEMISVM_BENCH_BASE (or `--base`), the Python of another build of the library, seconds are multiples of that build's
fit, in turns with it; the bars are those against commit a1ebb4c, which knew neither folds nor refits:

    git worktree add base a1ebb4c && python -m venv base/.venv && base/.venv/bin/pip install ./base
    python -m benchmarks refit --base base/.venv/bin/python

Without it they are multiples of the own fit. Rows are scikit-learn's make_classification, 10 of 50 columns informative;
50 labels of two classes or 100 of ten, drawn at random. A refit gets labels of other rows; with a warm start three rows
are labeled besides, and the rows that then differ from a fresh fit are counted. Processor seconds of one thread.
"""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness.contest import limit_draws
from benchmarks.harness.figure import Figure, quartiles
from semisvm import S3VM

BASE = "SEMISVM_BENCH_BASE"
ROUNDS = 3
MOST_DIFFERENT = 0.5
"""Percent of the rows."""
FIT = """
import io, sys, time, warnings
import numpy as np
from threadpoolctl import threadpool_limits
from semisvm import S3VM
warnings.simplefilter("ignore")
held = np.load(io.BytesIO(sys.stdin.buffer.read()))
with threadpool_limits(1):
    S3VM().fit(held["few"], held["few_labels"])
    began = time.process_time()
    S3VM().fit(held["X"], held["labels"])
    print(time.process_time() - began)
"""


@dataclass(frozen=True)
class RefitTask:
    n_rows: int
    n_classes: int
    n_labels: int
    fit: float
    """Bar of a fit, in fits of the other build."""
    refit: float

    @property
    def name(self) -> str:
        return f"S3VM(), {self.n_rows:,} x 50, {self.n_classes} classes"

    def rows(self, seed: int = 0, n_rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        from sklearn.datasets import make_classification

        return make_classification(
            n_rows or self.n_rows,
            50,
            n_informative=10,
            n_redundant=10,
            n_classes=self.n_classes,
            n_clusters_per_class=2 if self.n_classes == 2 else 1,
            random_state=seed,
        )

    def labels(self, y: np.ndarray, seed: int) -> np.ndarray:
        shown = np.random.default_rng(seed).permutation(len(y))[: self.n_labels]
        labels = np.full(len(y), -1)
        labels[shown] = y[shown]
        return labels


TASKS = (
    RefitTask(2_000, 2, 50, fit=1 / 2, refit=0.15),
    RefitTask(2_000, 10, 100, fit=1 / 2, refit=0.3),
    RefitTask(20_000, 2, 50, fit=1 / 3, refit=0.1),
    RefitTask(20_000, 10, 100, fit=1 / 3, refit=0.1),
)


def seconds_of(action: Any) -> float:
    gc.collect()
    began = process_time()
    action()
    return process_time() - began


def base_seconds(python: str, rows: dict[str, np.ndarray]) -> float:
    """A fit by another build, in a process of its own."""
    held = io.BytesIO()
    np.savez(held, **rows)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    result = subprocess.run(
        [python, "-c", FIT], input=held.getvalue(), stdout=subprocess.PIPE, check=True, env=environment, cwd="/"
    )
    return float(result.stdout)


def measured(task: RefitTask, rounds: int, base: str | None) -> dict[str, np.ndarray]:
    """Seconds of every round, and percent of the rows that a warm start changes."""
    few, few_y = task.rows(seed=99, n_rows=300)
    few_labels = task.labels(few_y, 0)
    S3VM(warm_start=True).fit(few, few_labels).refit(few_labels)
    found: dict[str, list[float]] = {"fit": [], "refit": [], "warm": [], "differ": [], "base": []}
    for seed in range(rounds):
        X, y = task.rows(seed)
        first, other = task.labels(y, seed), task.labels(y, seed + 1000)
        if base is not None:
            rows = {"X": X, "labels": first, "few": few, "few_labels": few_labels}
            found["base"].append(base_seconds(base, rows))
        model = S3VM(warm_start=True)
        found["fit"].append(seconds_of(lambda m=model, X=X, labels=first: m.fit(X, labels)))
        more = first.copy()
        three = np.flatnonzero(first < 0)[:3]
        more[three] = y[three]
        found["warm"].append(seconds_of(lambda m=model, labels=more: m.refit(labels)))
        warm = model.transduction_
        model.set_params(warm_start=False)
        found["differ"].append(100.0 * float(np.mean(model.refit(more).transduction_ != warm)))
        found["refit"].append(seconds_of(lambda m=model, labels=other: m.refit(labels)))
        print(f"  {task.name}, round {seed + 1}", file=sys.stderr, flush=True)
    return {name: np.array(values) for name, values in found.items() if values}


def figures(tasks: tuple[RefitTask, ...] = TASKS) -> Iterator[Figure]:
    base = os.environ.get(BASE)
    rounds = min(ROUNDS, limit_draws() or ROUNDS)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for task in tasks:
            found = measured(task, rounds, base)
            unit = "own fits" if base is None else "fits of the other build"
            yardstick = found["fit" if base is None else "base"]
            bars = {"refit": task.refit, "warm": None, "fit": task.fit} if base else {"refit": None, "warm": None}
            names = {"refit": "refit", "warm": "refit, warm start", "fit": "fit"}
            for key, bar in bars.items():
                yield Figure(
                    task.name,
                    names[key],
                    unit,
                    *quartiles(found[key] / yardstick),
                    bar,
                    seconds=float(np.median(found[key])),
                    yardstick_seconds=float(np.median(yardstick)),
                )
            differ = quartiles(found["differ"])
            yield Figure(task.name, names["warm"], "% of the rows differ", *differ, MOST_DIFFERENT)
