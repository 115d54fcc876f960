"""Each risk of `PositiveUnlabeledSVM` with several C, on the sets for tuning, where the share is known.

    python -m benchmarks.positive_defaults [--draws 2] [--show]

The defaults of the estimator rest on this. Every run is recorded when it is done, so that a run which is stopped goes
on where it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from benchmarks.positive_sets import SIZES, TUNING_SETS, kernel_of, known_rows
from benchmarks.positive_shares import RecordedRuns
from semisvm import PositiveUnlabeledSVM
from semisvm.datasets import hide_labels

RECORDS = Path("benchmarks/records/positive_defaults.jsonl")
DRAWS = 2
RISKS, CS = ("nonnegative", "unbiased", "weighted", "biased"), (0.3, 1.0, 3.0, 10.0)


@dataclass(frozen=True)
class PositiveDefaultRun:
    """One draw of positive rows of one set: "risk, C" -> percent."""

    data: str
    positives: int
    draw: int
    precision: dict[str, float]
    errors: dict[str, float]

    @property
    def key(self) -> tuple[str, int, int]:
        return self.data, self.positives, self.draw


def runs_of(data: str, draw: int, done: set[tuple[str, int, int]]) -> Iterator[PositiveDefaultRun]:
    todo = [size for size in SIZES if (data, size, draw) not in done]
    X, positive = TUNING_SETS[data]() if todo else (None, np.empty(0))
    for size in todo:
        known = known_rows(positive, size, 700 + draw)
        if known is None:
            continue
        y = hide_labels(positive.astype(int), known)
        rest = y < 0
        truth, precision, errors = positive[rest], {}, {}
        for risk, C in product(RISKS, CS):
            model = PositiveUnlabeledSVM(prior=float(truth.mean()), risk=risk, C=C, random_state=0, **kernel_of(X))
            scores, name = model.fit(X, y).decision_function(X)[rest], f"{risk}, {C:g}"
            most = np.argsort(-scores, kind="stable")[: np.count_nonzero(truth)]
            taken = np.isin(np.arange(len(truth)), most)
            precision[name] = round(100 * float(average_precision_score(truth, scores)), 3)
            errors[name] = round(100 * float(np.mean(taken != truth)), 3)
        yield PositiveDefaultRun(data, size, draw, precision, errors)


def show(runs: Sequence[PositiveDefaultRun]) -> str:
    """Mean over sets and draws of every risk and C: average precision / error."""
    by_size = {size: [run for run in runs if run.positives == size] for size in SIZES}
    by_size = {size: part for size, part in by_size.items() if part}
    lines = ["| risk, C | " + " | ".join(f"{size} positive rows" for size in by_size) + " |"]
    lines.append("|---" * (1 + len(by_size)) + "|")
    for risk, C in product(RISKS, CS):
        name, cells = f"{risk}, {C:g}", []
        for part in by_size.values():
            precision, error = (np.mean([getattr(run, of)[name] for run in part]) for of in ("precision", "errors"))
            cells.append(f"{precision:.1f} / {error:.1f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    print(show(RecordedRuns(RECORDS, PositiveDefaultRun, runs_of, DRAWS).read(__doc__, arguments)))


if __name__ == "__main__":
    main()
