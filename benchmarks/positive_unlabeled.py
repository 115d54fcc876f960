"""SVMs from positive and unlabeled rows beside what else takes them: 20, 50 and 200 positive rows of 17 sets.

    python -m benchmarks.positive_unlabeled [--draws 3] [--show] [--page docs/positive_unlabeled_measured.md]

Every run is recorded when it is done, so that a run which is stopped goes on where it was. Average precision and error
are on the unlabeled rows. All methods are cut where the known share of the unlabeled rows is positive.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC, OneClassSVM

from benchmarks import positive_shares
from benchmarks.positive_sets import POSITIVES, ROWS, SETS, SIZES, kernel_of, known_rows
from benchmarks.positive_shares import (
    Keeping,
    PositiveShareRun,
    choice_table,
    interval,
    read_runs,
    recorded,
    share_table,
)
from semisvm import PositiveUnlabeledS3VM, PositiveUnlabeledSVM
from semisvm.datasets import hide_labels
from semisvm.estimators.positive_share import ABOVE, BELOW

RECORDS = Path("benchmarks/records/positive_unlabeled.jsonl")
DRAWS = 3
FIRST_ROWS = 1000
"""Rows of a set at most in the first runs, whose records are replaced one by one."""
OURS = "PositiveUnlabeledSVM()"
SUPERVISED = "SVM that knows all labels"
NEAR, SHARE_OFF = 3.0, 0.05
"""What is asked for: points from the best method, and the error of an estimated share at 200 positive rows."""


# ---------------------------------------------------------------- methods


def methods(prior: float, **space: Any) -> dict[str, Any]:
    """Ours, and the other risks with a C that did well on the sets for tuning."""
    made = partial(PositiveUnlabeledSVM, prior=prior, random_state=0, **space)
    return {
        OURS: made(),
        "unbiased": made(risk="unbiased", C=3.0),
        "weighted": made(risk="weighted"),
        "biased": made(risk="biased", C=1.0),
        "PositiveUnlabeledS3VM()": PositiveUnlabeledS3VM(prior=prior, random_state=0, **space),
    }


def others(**space: Any) -> dict[str, Any]:
    """Classifiers of positive against unlabeled rows. Elkan and Noto rank as logistic regression does, and are cut."""
    return {
        "Elkan-Noto, logistic": LogisticRegression(max_iter=1000),
        "SVC, unlabeled are negative": SVC(C=1.0, class_weight="balanced", **space),
        "the same, C = 0.1": SVC(C=0.1, class_weight="balanced", **space),
    }


# ---------------------------------------------------------------- runs


@dataclass(frozen=True)
class PositiveRun:
    """One draw of positive rows of one set; everything in percent but shares."""

    data: str
    positives: int
    draw: int
    n_rows: int
    true_share: float
    precision: dict[str, float]
    """Average precision by method."""
    errors: dict[str, float]
    estimated_error: float
    """Of `PositiveUnlabeledSVM()` with the share estimated."""
    shares: dict[str, float]
    deviation: float
    """Of our share, over resamples."""
    seconds: dict[str, float]

    @property
    def first(self) -> bool:
        """Whether it is one of the first runs, and its set has more rows now."""
        return self.n_rows == FIRST_ROWS

    @property
    def key(self) -> tuple[str, int, int]:
        return self.data, self.positives, self.draw


def runs_of(data: str, draw: int, done: set[tuple[str, int, int]]) -> Iterator[PositiveRun]:
    todo = [size for size in SIZES if (data, size, draw) not in done]
    if not todo:
        return
    X, positive = SETS[data]()
    for size in todo:
        known = known_rows(positive, size, 100 + draw)
        if known is not None:
            yield judged(data, draw, X, positive, known)


@cache
def supervised(data: str) -> dict[str, float]:
    """Scores of every row by a model of the other four fifths, all labels of which are known."""
    X, positive = SETS[data]()
    scores = cross_val_predict(SVC(C=10.0, **kernel_of(X)), X, positive, method="decision_function")
    return {"precision": _percent(average_precision_score(positive, scores)), "error": wrong(scores, positive)}


def judged(data: str, draw: int, X: Any, positive: np.ndarray, known: np.ndarray) -> PositiveRun:
    y = hide_labels(positive.astype(int), known)
    rest = y < 0
    truth, space = positive[rest], kernel_of(X)
    share = float(truth.mean())
    scores, seconds = {}, {}
    for name, model in methods(share, **space).items():
        began = time.process_time()
        scores[name] = model.fit(X, y).decision_function(X)[rest]
        seconds[name] = round(time.process_time() - began, 3)
    for name, model in others(**space).items():
        scores[name] = model.fit(X, ~rest).decision_function(X)[rest]
    scores["one-class SVM"] = OneClassSVM(**space).fit(X[known]).decision_function(X)[rest]
    whole = supervised(data)
    estimated = Keeping(random_state=0, **space).fit(X, y)
    return PositiveRun(
        data=data,
        positives=len(known),
        draw=draw,
        n_rows=len(positive),
        true_share=round(share, 4),
        precision={name: _percent(average_precision_score(truth, one)) for name, one in scores.items()}
        | {SUPERVISED: whole["precision"]},
        errors={name: wrong(one, truth) for name, one in scores.items()} | {SUPERVISED: whole["error"]},
        estimated_error=_percent(np.mean((estimated.decision_function(X)[rest] > 0) != truth)),
        shares=estimated.shares_,
        deviation=round(estimated.found_.deviation, 5),
        seconds=seconds,
    )


def wrong(scores: np.ndarray, truth: np.ndarray) -> float:
    """Error where as many rows are taken for positive as are."""
    taken = np.zeros(len(truth), dtype=bool)
    taken[np.argsort(-scores, kind="stable")[: np.count_nonzero(truth)]] = True
    return _percent(np.mean(taken != truth))


def _percent(share: float) -> float:
    return round(100.0 * float(share), 3)


# ---------------------------------------------------------------- records and what they say


def means(runs: Sequence[PositiveRun], of: str) -> dict[str, dict[str, float]]:
    """Set -> method -> mean over the draws of `precision` or `errors`."""
    names = list(getattr(runs[0], of))
    return {
        data: {name: float(np.mean([getattr(r, of)[name] for r in runs if r.data == data])) for name in names}
        for data in SETS
        if any(run.data == data for run in runs)
    }


def behind(runs: Sequence[PositiveRun], of: str) -> tuple[str, float, float]:
    """(the best other method in the mean, how far ours is behind it, and behind the best of each set in the mean)."""
    table, worse = means(runs, of), 1.0 if of == "errors" else -1.0
    rivals = [name for name in next(iter(table.values())) if name not in (OURS, SUPERVISED)]
    mean = {name: worse * np.mean([row[name] for row in table.values()]) for name in (OURS, *rivals)}
    best = min(rivals, key=mean.__getitem__)
    each = [worse * row[OURS] - min(worse * row[name] for name in rivals) for row in table.values()]
    return best, float(mean[OURS] - mean[best]), float(np.mean(each))


def bars(runs: Sequence[PositiveRun]) -> list[str]:
    """What was asked for, with the figure that was reached."""
    lines = []
    for size in SIZES:
        part = [run for run in runs if run.positives == size]
        for of, what in (("errors", "error"), ("precision", "average precision")) if part else ():
            best, gap, each = behind(part, of)
            lines.append(
                f"{_verdict(gap <= NEAR)}: share known, {size} positive rows, {what}: {_place(gap)} the best other "
                f"method in the mean ({best}), asked for at most {NEAR:g} behind; {_place(each)} the best method of "
                f"each set ({_verdict(each <= NEAR)} in this stricter reading)"
            )
    most = [run for run in runs if run.positives == SIZES[-1]]
    if most:
        off = float(np.mean([abs(run.shares["ours"] - run.true_share) for run in most]))
        lines.append(
            f"{_verdict(off <= SHARE_OFF)}: share estimated, {SIZES[-1]} positive rows: off by {off:.3f} in the mean, "
            f"asked for at most {SHARE_OFF:g}"
        )
    return lines


def _place(gap: float) -> str:
    return f"{abs(gap):.1f} points {'behind' if gap > 0 else 'ahead of'}"


def _verdict(reached: bool) -> str:
    return "reached" if reached else "not reached"


def estimated_table(runs: Sequence[PositiveRun]) -> list[str]:
    """Every set with the most positive rows."""
    lines = ["| set | positive rows | true share | estimate | interval | error, share known | estimated |"]
    lines.append("|---" * 7 + "|")
    for data in SETS:
        size = max((run.positives for run in runs if run.data == data), default=0)
        part = [run for run in runs if run.data == data and run.positives == size]
        if part:
            shown = [
                np.mean([run.true_share for run in part]),
                np.mean([run.shares["ours"] for run in part]),
                *np.mean([interval(run) for run in part], axis=0),
            ]
            errors = np.mean([(run.errors[OURS], run.estimated_error) for run in part], axis=0)
            lines.append(
                f"| {data} | {size} | {shown[0]:.3f} | {shown[1]:.3f} | {shown[2]:.2f} to {shown[3]:.2f} | "
                f"{errors[0]:.1f} | {errors[1]:.1f} |"
            )
    return lines


def method_table(runs: Sequence[PositiveRun], of: str) -> list[str]:
    table = means(runs, of)
    names = list(next(iter(table.values())))
    lines = [f"| set | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    lines += [f"| {data} | {' | '.join(f'{row[name]:.1f}' for name in names)} |" for data, row in table.items()]
    mean = {name: np.mean([row[name] for row in table.values()]) for name in names}
    return [*lines, f"| **mean** | {' | '.join(f'**{mean[name]:.1f}**' for name in names)} |"]


BEGIN = f"""# Positive and unlabeled rows, measured

A set is {ROWS:,} of its rows, or more where fewer than {POSITIVES} of these are positive, or all rows that there are.
20, 50 or 200 positive rows are labeled, drawn at random, where at least as many stay hidden. Everything is
measured on the unlabeled rows, in percent, as a mean over the draws of each set. All methods know the share of
positives and take as many rows for positive. "Elkan-Noto, logistic" ranks by logistic regression of labeled against
unlabeled rows; the last column knows all labels of other rows (five folds) and is no bar. The risks of
`PositiveUnlabeledSVM` have the C that did best on other sets; so has its default.

Tables are those in even places of the alphabet; defaults, C, the estimator of the share and its interval were chosen on
tables in odd places and on USPS, pendigits, WebKB and Reuters. The sets of this page were looked at three times: with
at most {FIRST_ROWS:,} rows, where four sets had 200 positive rows to label; the same runs with the wider interval of
today; and with more rows and more sets. Nothing was chosen by these looks.

This page is written by `python -m benchmarks.positive_unlabeled --page docs/positive_unlabeled_measured.md` from
benchmarks/records/positive_unlabeled.jsonl and positive_shares.jsonl, which have every run.
"""
SHARES = """## The share of positives

Mean distance of the estimate from the true share, and how often its 80 % interval holds the true share:
"""
TUNING = """The same on the sets for tuning (`python -m benchmarks.positive_shares`), on which the estimator, how narrow
its bound is, and its interval were chosen:
"""
CHOICE = f"""The interval reaches {BELOW:g} deviations down from the estimate and {ABOVE:g} up. A deviation is that of
the estimate over resamples of the scores. Sets differ more than runs of one set do. So the reach was chosen by sets
that are left out. Where the runs of all other sets give the reach, the truth of the set left out is within it so often:
"""


def page(runs: Sequence[PositiveRun]) -> str:
    parts = [BEGIN, *first_part(runs), "## What was asked for", "", *(f"- {line}" for line in bars(runs)), ""]
    parts += [SHARES, *share_table(runs), "", *estimated_table(runs), ""]
    parts += tuning_part(read_runs(positive_shares.RECORDS, PositiveShareRun))
    for size in SIZES:
        part = [run for run in runs if run.positives == size]
        if part:
            draws = len({run.draw for run in part})
            parts += [
                f"## {size} positive rows, at most {draws} draws",
                "",
                "Error:",
                "",
                *method_table(part, "errors"),
                "",
            ]
            parts += ["Average precision:", "", *method_table(part, "precision"), ""]
    return "\n".join(parts)


def first_part(runs: Sequence[PositiveRun]) -> list[str]:
    """Say how many of the first runs are still here."""
    n_first = sum(run.first for run in runs)
    said = f"{n_first} of the {len(runs)} runs are still those of the first look, with {FIRST_ROWS:,} rows of a set.\n"
    return [f"{said}The command makes them again with more rows.\n"] if n_first else []


def tuning_part(runs: Sequence[PositiveShareRun]) -> list[str]:
    """The same of the sets that the estimator and its interval were chosen on."""
    if not runs:
        return []
    return [TUNING, *share_table(runs), "", CHOICE, *choice_table(runs), ""]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="positive_unlabeled", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--show", action="store_true", help="print what is recorded and run nothing")
    parser.add_argument("--page", type=Path, help="write what is recorded as a page of the docs")
    given = parser.parse_args(arguments)
    if not given.show:
        done = {run.key for run in read_runs(RECORDS, PositiveRun) if not run.first}
        for run in recorded(RECORDS, runs_of, given.sets, given.draws, done):
            print(f"{run.data}, {run.positives} positive rows, draw {run.draw}: {run.errors[OURS]:.1f}", flush=True)
    runs = read_runs(RECORDS, PositiveRun)
    if given.page:
        given.page.write_text(page(runs))
    print("\n".join(bars(runs)))


if __name__ == "__main__":
    main()
