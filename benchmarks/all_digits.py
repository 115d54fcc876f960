"""`S3VM()` on all 60,000 training digits of MNIST with 100 labels, beside a sample of 2,500 of them: percent wrong.

Labels and samples are drawn at random; the draws of labels share the kernels of all rows (`refit`). Wrong are counted
among all rows without a label, and by the models of all rows on the 10,000 digits of the test part. Figures go into
docs/large_tables.json and from there into docs/large_tables.md.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from time import process_time
from typing import Any

import numpy as np

from benchmarks.harness.machine import description, load
from benchmarks.label_command import PAGE, RECORD
from semisvm import S3VM
from semisvm.datasets import Dataset, hide_labels, load_mnist

DRAWS, LABELS, SAMPLE = 3, 100, 2_500


def of_sample(digits: Dataset, known: np.ndarray, random: np.random.Generator) -> dict[str, float]:
    """Percent of all other rows that a model of some of them gets wrong."""
    X, y = digits.X[: digits.n_train], digits.y[: digits.n_train]
    others = np.setdiff1d(np.arange(len(y)), known)
    rows = np.concatenate([known, random.choice(others, SAMPLE, replace=False)])
    began = process_time()
    model = S3VM(random_state=0, keep_kernels=False).fit(X[rows], hide_labels(y[rows], np.arange(len(known))))
    seconds = process_time() - began
    return {"sample": _percent(model.predict(X[others]), y[others]), "sample_seconds": seconds}


def of_all(model: S3VM, digits: Dataset, known: np.ndarray) -> dict[str, float]:
    """The same of a model of all rows, which is fitted, or fitted again."""
    X, y = digits.X[: digits.n_train], digits.y[: digits.n_train]
    labels, others = hide_labels(y, known), np.setdiff1d(np.arange(len(y)), known)
    began = process_time()
    if hasattr(model, "classes_"):
        model.refit(labels)
    else:
        model.fit(X, labels)
    seconds = process_time() - began
    return {
        "all": _percent(model.transduction_[others], y[others]),
        "expected": 100 * model.report_.expected_error,
        "new": _percent(model.predict(digits.X[digits.n_train :]), digits.y[digits.n_train :]),
        "all_seconds": seconds,
    }


def _percent(found: np.ndarray, true: np.ndarray) -> float:
    return 100 * float(np.mean(found != true))


def as_table(draws: list[dict[str, float]]) -> str:
    columns = ("sample", "all", "expected", "new")
    lines = [
        f"| draw of labels | sample of {SAMPLE:,} | all rows | expected of all rows | new rows, after all rows |",
        "|---|---|---|---|---|",
    ]
    for number, one in enumerate(draws, start=1):
        lines.append(f"| {number} | " + " | ".join(f"{one[name]:.1f} %" for name in columns) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = "1"
    warnings.simplefilter("ignore")
    digits, model = load_mnist(), S3VM(random_state=0)
    record: dict[str, Any] = {"machine": description(), "draws": []}
    for seed in range(DRAWS):
        random = np.random.default_rng(seed)
        known = np.sort(random.choice(digits.n_train, LABELS, replace=False))
        record["draws"].append({**of_sample(digits, known, random), **of_all(model, digits, known)})
        record["machine"]["load_after"] = load()
        print(as_table(record["draws"]), flush=True)
    every = {**json.loads(RECORD.read_text(encoding="utf-8")), "digits": record}
    RECORD.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    table = as_table(record["draws"])
    PAGE.write_text(re.sub(r"\| draw of labels \|.*\n(\|.*\n)+", lambda _: table, text), encoding="utf-8")


if __name__ == "__main__":
    main()
