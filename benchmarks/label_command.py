"""`semisvm label --sample 2500` on 100,000 rows of 50 numeric columns with 100 labels, beside one LinearSVC fit.

The whole command is measured, from the start of Python to the written page; the fit alone, on the same numbers with all
labels known. One thread each, in turn; the best of a few rounds counts on either side. Figures go into
docs/large_tables.json and from there into docs/large_tables.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.machine import ROOT, description, load

ROWS, COLUMNS, LABELS, ROUNDS = 100_000, 50, 100, 3
SAMPLE = 2500
"""Rows without a label that are trained on."""
RECORD, PAGE = ROOT / "docs" / "large_tables.json", ROOT / "docs" / "large_tables.md"
FIT = """
import sys, time
import numpy as np
from sklearn.svm import LinearSVC
held = np.load(sys.argv[1])
X, y = held["X"], held["y"]
clock, work = time.perf_counter(), time.process_time()
LinearSVC().fit(X, y)
print(time.process_time() - work, time.perf_counter() - clock)
"""
Rows = tuple[np.ndarray, np.ndarray]


def clouds(n_columns: int = COLUMNS) -> Rows:
    """Two clouds whose centers differ a little in every column."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, ROWS)
    center = 0.35 * random.normal(size=n_columns)
    return random.normal(size=(ROWS, n_columns)) + np.where(y[:, None] == 1, center, -center), y


def informative_columns() -> Rows:
    """scikit-learn's make_classification: 10 informative columns, the others noise or mixtures."""
    from sklearn.datasets import make_classification

    return make_classification(ROWS, COLUMNS, n_informative=10, n_redundant=10, random_state=0)


TABLES = {"two clouds": clouds, "make_classification": informative_columns}


def kinds(y: np.ndarray) -> np.ndarray:
    """The label column: blank but for a few rows."""
    known = np.random.default_rng(1).choice(ROWS, LABELS, replace=False)
    kind = np.full(ROWS, None, dtype=object)
    kind[known] = np.where(y[known] == 1, "yes", "no")
    return kind


def write_table(X: np.ndarray, y: np.ndarray, folder: Path) -> None:
    """table.csv with a few labels, and the same numbers with all labels for the fit."""
    import pandas as pd

    frame = pd.DataFrame(np.round(X, 6), columns=[f"x{k}" for k in range(X.shape[1])])
    frame.assign(kind=kinds(y)).to_csv(folder / "table.csv", index=False)
    np.savez(folder / "numbers.npz", X=X, y=y)


def label(table: Path, *options: str) -> dict[str, float]:
    """Seconds of the processor and of the clock of `semisvm label`, and its largest memory in GB."""
    words = [sys.executable, "-m", "semisvm.cli", "label", str(table), "--label", "kind", *options]
    began = time.perf_counter()
    with table.with_name("said.txt").open("w") as said:
        command = subprocess.Popen(words, stdout=said)
        _, status, use = os.wait4(command.pid, 0)
    if status:
        raise RuntimeError(f"semisvm label ended with status {status}.")
    return {
        "label": use.ru_utime + use.ru_stime,
        "label_clock": time.perf_counter() - began,
        "memory": use.ru_maxrss / 1e6,
    }


def rounds(folder: Path) -> Iterator[dict[str, float]]:
    """What the command and the fit take, in turns."""
    for _ in range(ROUNDS):
        done = subprocess.run(
            [sys.executable, "-c", FIT, str(folder / "numbers.npz")], capture_output=True, text=True, check=True
        )
        fit, fit_clock = (float(one) for one in done.stdout.split())
        yield {"fit": fit, "fit_clock": fit_clock, **label(folder / "table.csv", "--sample", str(SAMPLE))}


def wrong(y: np.ndarray, folder: Path) -> float:
    """Percent of the rows without a label that came out wrong."""
    import pandas as pd

    labeled = pd.read_csv(folder / "table.labeled.csv", usecols=["kind", "kind_predicted"], dtype=str)
    hidden = labeled["kind"].isna().to_numpy()
    return float(100 * np.mean((labeled["kind_predicted"].to_numpy() != np.where(y == 1, "yes", "no"))[hidden]))


def measure() -> Iterator[dict[str, Any]]:
    """The record, after each of the tables."""
    record: dict[str, Any] = {**json.loads(RECORD.read_text(encoding="utf-8")), "machine": description(), "tables": {}}
    for name, make in TABLES.items():
        X, y = make()
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write_table(X, y, folder)
            record["tables"][name] = {"rounds": list(rounds(folder)), "error": wrong(y, folder)}
        record["machine"]["load_after"] = load()
        yield record


def as_table(record: dict[str, Any]) -> str:
    """Markdown: the least time of the command over the least time of the fit."""
    lines = [
        "| table | processor time, in `LinearSVC` fits | time of the clock, in fits | seconds of the fit | memory | "
        "rows wrong |",
        "|---|---|---|---|---|---|",
    ]
    for name, measured in record["tables"].items():
        least = {key: min(one[key] for one in measured["rounds"]) for key in measured["rounds"][0]}
        memory = max(one["memory"] for one in measured["rounds"])
        lines.append(
            f"| {name} | {least['label'] / least['fit']:.1f} (bar 30) | "
            f"{least['label_clock'] / least['fit_clock']:.1f} | {least['fit']:.2f} | {memory:.2f} GB (bar 4) | "
            f"{measured['error']:.1f} % |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = "1"
    for record in measure():
        print(as_table(record), flush=True)
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(r"(?<=## Figures\n\n)(\|.*\n)+", as_table(record), text), encoding="utf-8")


if __name__ == "__main__":
    main()
