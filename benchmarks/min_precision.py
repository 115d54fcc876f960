"""How precise the cells are that `semisvm label --min-precision 0.9` fills in, on tables with 100 labels.

    SEMISVM_DATA=... python -m benchmarks.min_precision [--role report] [--draws 5]
    python -m benchmarks.min_precision --show

Tables and draws of labels are those of `benchmarks.ordinary_tables`. Every run is recorded when it is done, in
benchmarks/records/min_precision.jsonl, so that a run which is stopped goes on where it was. Prints, for each table, the
share of the filled cells that are right and the share of the rows that are filled, and their means.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.ordinary_tables import draw_labels, role, too_few_or_many
from semisvm import S3VM
from semisvm.cli.precision import thresholds
from semisvm.datasets import hide_labels, load_table, table_names

LABELS, WANTED = 100, 0.9
RECORDS = Path(__file__).parent / "records" / "min_precision.jsonl"


@dataclass(frozen=True)
class PrecisionRun:
    """One draw of labels of one table."""

    table: str
    draw: int
    n_rows: int
    """Without a label."""
    n_filled: int
    n_right: int

    @property
    def right(self) -> float:
        """Share of the filled cells; NaN where none is filled."""
        return self.n_right / self.n_filled if self.n_filled else np.nan

    @property
    def filled(self) -> float:
        return self.n_filled / self.n_rows


def runs_of(table: str, draws: set[int]) -> Iterator[PrecisionRun]:
    """Kernels are built once, all further draws are refits."""
    data = load_table(table)
    if too_few_or_many(data.y, LABELS):
        return
    model, fitted = S3VM(random_state=0), False
    for draw in sorted(draws):
        y = hide_labels(data.y, draw_labels(data.y, LABELS, draw))
        model, fitted = (model.refit(y) if fitted else model.fit(data.X, y)), True
        yield judged(table, draw, model, data.X, y, data.y)


def judged(table: str, draw: int, model: S3VM, X: np.ndarray, y: np.ndarray, truth: np.ndarray) -> PrecisionRun:
    rows = np.flatnonzero(y < 0)
    P = model.predict_proba(X[rows])
    limits = thresholds(np.asarray(model.evidence_.probabilities), y[model.evidence_.rows], P, WANTED)
    codes = P.argmax(axis=1)
    filled = P.max(axis=1) >= limits[codes]
    right = codes[filled] == truth[rows][filled]
    return PrecisionRun(table, draw, len(rows), int(filled.sum()), int(right.sum()))


def recorded() -> list[PrecisionRun]:
    if not RECORDS.exists():
        return []
    return [PrecisionRun(**json.loads(line)) for line in RECORDS.read_text(encoding="utf-8").splitlines()]


def results_table(runs: list[PrecisionRun]) -> str:
    """A line for each table, means over its draws; the mean over the tables below."""
    lines, every = [], []
    for table in sorted({run.table for run in runs}):
        mine = [run for run in runs if run.table == table]
        right = [run.right for run in mine if run.n_filled]
        every.append((np.mean(right) if right else np.nan, np.mean([run.filled for run in mine])))
        lines.append(f"{table}: {len(mine)} draws, {every[-1][0]:.3f} right of {every[-1][1]:.1%} of the rows")
    if every:
        right, filled = np.nanmean(np.array(every), axis=0)
        n_used = np.count_nonzero(~np.isnan(np.array(every)[:, 0]))
        lines.append(f"mean over {n_used} tables with filled rows: {right:.3f} right")
        lines.append(f"mean over all {len(every)} tables: {filled:.1%} of the rows filled")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.min_precision")
    parser.add_argument("--role", choices=["tune", "report"], default="report")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print what is recorded and run nothing")
    given = parser.parse_args()
    chosen = [name for name in table_names() if role(name) == given.role]
    done = {(run.table, run.draw) for run in recorded()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for table in [] if given.show else chosen:
            for run in runs_of(table, {draw for draw in range(given.draws) if (table, draw) not in done}):
                with RECORDS.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(run)) + "\n")
    print(results_table([run for run in recorded() if run.table in chosen]))


if __name__ == "__main__":
    main()
