"""How precise the cells are that `semisvm label --min-precision 0.9` fills in, on tables with 100 labels.

    SEMISVM_DATA=... python -m benchmarks.min_precision [--role reporting] [--draws 3] [--wanted 0.9]

Prints, for each table, the share of filled cells that are right and the share of rows that are filled, and their means.
"""

import argparse
import csv
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from semisvm import S3VM
from semisvm.cli.precision import thresholds
from semisvm.tables import TablePreparation

LABELS = 100


def tables(role: str) -> list[Path]:
    """Odd places of the alphabet are for tuning, even ones for reporting."""
    folder = Path(os.environ["SEMISVM_DATA"]) / "tables"
    with open(folder / "TABLES.csv", encoding="utf-8") as file:
        names = sorted(row["table"] for row in csv.DictReader(file))
    return [folder / f"{name}.csv" for name in names[(1 if role == "reporting" else 0) :: 2]]


def draws(classes: np.ndarray, n_draws: int) -> Iterator[np.ndarray]:
    """Rows that are labeled: one of each class, the others at random; none where there are too few rows."""
    k = len(np.unique(classes))
    if 2 * k > LABELS or len(classes) / 3 < LABELS:
        return
    for number in range(n_draws):
        order = np.random.default_rng(100 + number).permutation(len(classes))
        first = order[np.unique(classes[order], return_index=True)[1]]
        rest = order[~np.isin(order, first)]
        yield np.concatenate([first, rest[: LABELS - len(first)]])


def judged(frame: pd.DataFrame, labeled: np.ndarray, wanted: float) -> tuple[float, float]:
    """(share of the filled cells that are right, share of the unlabeled rows that are filled)."""
    X = TablePreparation(leave_out=["class"]).fit_transform(frame)
    _, truth = np.unique(frame["class"].astype(str), return_inverse=True)
    y = np.full(len(truth), -1)
    y[labeled] = truth[labeled]
    model = S3VM(unlabeled=-1, random_state=0).fit(X, y)
    rows = np.flatnonzero(y < 0)
    P = model.predict_proba(X[rows])
    limits = thresholds(np.asarray(model.evidence_.probabilities), y[model.evidence_.rows], P, wanted)
    codes = P.argmax(axis=1)
    filled = P.max(axis=1) >= limits[codes]
    right = codes[filled] == truth[rows][filled]
    return float(right.mean()) if len(right) else np.nan, float(filled.mean())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.min_precision")
    parser.add_argument("--role", choices=["tuning", "reporting"], default="reporting")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--wanted", type=float, default=0.9)
    given = parser.parse_args()
    every = []
    for path in tables(given.role):
        frame = pd.read_csv(path)
        _, codes = np.unique(frame["class"].astype(str), return_inverse=True)
        found = np.array([judged(frame, labeled, given.wanted) for labeled in draws(codes, given.draws)])
        if not len(found):
            print(f"{path.stem}: too few rows or too many classes for {LABELS} labels")
            continue
        with np.errstate(invalid="ignore"):
            right = float(np.nanmean(found[:, 0])) if np.isfinite(found[:, 0]).any() else np.nan
        every.append((right, float(found[:, 1].mean())))
        print(f"{path.stem}: {right:.3f} right of {every[-1][1]:.1%} of the rows", flush=True)
    right, filled = np.nanmean(np.array(every), axis=0)
    print(f"mean over {len(every)} tables: {right:.3f} right, {filled:.1%} of the rows filled")


if __name__ == "__main__":
    main()
