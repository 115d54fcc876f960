"""The share of positives by each of its estimators, and how far from it the truth is, on the sets for tuning.

    python -m benchmarks.positive_shares [--draws 7] [--show]

Every run is recorded when it is done, so that a run which is stopped goes on where it was. `python -m
benchmarks.positive_unlabeled --page FILE` shows what is recorded.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.positive_sets import SIZES, TUNING_SETS, kernel_of, known_rows
from semisvm import PositiveUnlabeledSVM
from semisvm.datasets import hide_labels
from semisvm.estimators.positive_share import PositiveScores, PositiveShare, best_bin, elkan_noto

RECORDS = Path("benchmarks/records/positive_shares.jsonl")
DRAWS = 7
TAILS = (0.1, 0.08, 0.05)
ESTIMATES = "ours", "best bin as published", "Elkan and Noto"


class Keeping(PositiveUnlabeledSVM):
    """Keeps what its share was estimated by, and scores of the same kind for other estimators."""

    def _settle_prior(self, bare, training, randomness) -> None:
        rows = self._for_estimation(bare, training, randomness)
        self.found_ = PositiveShare.of(rows, randomness)
        self.folded_ = PositiveScores.of(rows, randomness)
        self.prior_, self.prior_interval_ = self.found_.share, np.array([self.found_.low, self.found_.high])

    @property
    def shares_(self) -> dict[str, float]:
        found = (self.prior_, best_bin(self.folded_), elkan_noto(self.folded_))
        return {name: round(share, 4) for name, share in zip(ESTIMATES, found, strict=True)}


@dataclass(frozen=True)
class PositiveShareRun:
    """One draw of positive rows of one set."""

    data: str
    positives: int
    draw: int
    n_rows: int
    true_share: float
    shares: dict[str, float]
    deviation: float
    """Of our estimate, over resamples."""

    @property
    def key(self) -> tuple[str, int, int]:
        return self.data, self.positives, self.draw

    @property
    def off(self) -> float:
        """The truth less our estimate, in deviations."""
        return (self.true_share - self.shares["ours"]) / self.deviation


def interval(run: Any) -> tuple[float, float]:
    found = PositiveShare(run.shares["ours"], run.deviation)
    return found.low, found.high


def runs_of(data: str, draw: int, done: set[tuple[str, int, int]]) -> Iterator[PositiveShareRun]:
    todo = [size for size in SIZES if (data, size, draw) not in done]
    X, positive = TUNING_SETS[data]() if todo else (None, np.empty(0))
    for size in todo:
        known = known_rows(positive, size, 500 + draw)
        if known is not None:
            yield estimated(data, draw, X, positive, known)


def estimated(data: str, draw: int, X: Any, positive: np.ndarray, known: np.ndarray) -> PositiveShareRun:
    y = hide_labels(positive.astype(int), known)
    # any risk will do: the share is settled before, and this one is the quickest
    model = Keeping(risk="biased", random_state=draw, **kernel_of(X)).fit(X, y)
    return PositiveShareRun(
        data=data,
        positives=len(known),
        draw=draw,
        n_rows=len(positive),
        true_share=round(float(positive[y < 0].mean()), 4),
        shares=model.shares_,
        deviation=round(model.found_.deviation, 5),
    )


def read_runs(path: Path, kind: type) -> list[Any]:
    lines = path.read_text().splitlines() if path.exists() else []
    return list({one.key: one for one in (kind(**json.loads(line)) for line in lines if line)}.values())


def append(path: Path, run: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(asdict(run)) + "\n")


def recorded(
    path: Path, runs_of: Callable[..., Iterator[Any]], sets: Iterable[str], draws: int, done: set
) -> Iterator[Any]:
    """Every run that is not done yet, recorded when it is; all sets get a draw before any gets the next."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw, data in product(range(draws), sets):
            for run in runs_of(data, draw, done):
                append(path, run)
                yield run


def share_table(runs: Sequence[Any]) -> list[str]:
    """Mean distance of each estimate from the true share, and on which side of the interval the truth is."""
    lines = [
        "| positive rows | runs | " + " | ".join(ESTIMATES) + " | ours: mean of estimate - truth | interval holds the "
        "truth | truth below | above |",
        "|---" * 9 + "|",
    ]
    for size in SIZES:
        part = [run for run in runs if run.positives == size]
        if part:
            off = [np.mean([abs(run.shares[name] - run.true_share) for run in part]) for name in ESTIMATES]
            mean = np.mean([run.shares["ours"] - run.true_share for run in part])
            below = np.mean([run.true_share < interval(run)[0] for run in part])
            above = np.mean([run.true_share > interval(run)[1] for run in part])
            lines.append(
                f"| {size} | {len(part)} | {' | '.join(f'{one:.3f}' for one in off)} | {mean:+.3f} | "
                f"{1 - below - above:.0%} | {below:.0%} | {above:.0%} |"
            )
    return lines


def choice_table(runs: Sequence[PositiveShareRun]) -> list[str]:
    """What the reach of the interval was chosen by: tails of the runs, and what intervals of other sets would hold."""
    lines = ["| runs outside on each side | reach down | up | " + " | ".join(f"{size} rows" for size in SIZES) + " |"]
    lines.append("|---" * (3 + len(SIZES)) + "|")
    for tail in TAILS:
        low, high = np.quantile([run.off for run in runs], (tail, 1 - tail))
        held = held_left_out(runs, tail)
        parts = [[held[run.key] for run in runs if run.positives == size] for size in SIZES]
        cells = " | ".join(f"{np.mean(part):.0%}" if part else "" for part in parts)
        lines.append(f"| {tail:.0%} | {-low:.1f} | {high:.1f} | {cells} |")
    return lines


def held_left_out(runs: Sequence[PositiveShareRun], tail: float) -> dict[tuple[str, int, int], bool]:
    """Whether the truth of each run is within the reach of the runs of other sets, but for this tail on either side."""
    held = {}
    for data in {run.data for run in runs}:
        others = [run.off for run in runs if run.data != data]
        low, high = np.quantile(others, (tail, 1 - tail)) if others else (-np.inf, np.inf)
        held |= {run.key: bool(low <= run.off <= high) for run in runs if run.data == data}
    return held


@dataclass(frozen=True)
class RecordedRuns:
    """Runs on the tuning sets and the file that holds them."""

    path: Path
    kind: type
    runs_of: Callable[..., Iterator[Any]]
    draws: int

    def read(self, description: str | None, arguments: Sequence[str] | None) -> list[Any]:
        """All runs, after those that are not recorded yet unless these are only to be shown."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--draws", type=int, default=self.draws)
        parser.add_argument("--show", action="store_true", help="print what is recorded and run nothing")
        given = parser.parse_args(arguments)
        if not given.show:
            done = {run.key for run in read_runs(self.path, self.kind)}
            for run in recorded(self.path, self.runs_of, TUNING_SETS, given.draws, done):
                print(f"{run.data}, {run.positives} positive rows, draw {run.draw}", flush=True)
        return read_runs(self.path, self.kind)


def main(arguments: Sequence[str] | None = None) -> None:
    runs = RecordedRuns(RECORDS, PositiveShareRun, runs_of, DRAWS).read(__doc__, arguments)
    print("\n".join([*share_table(runs), "", *choice_table(runs)]))


if __name__ == "__main__":
    main()
