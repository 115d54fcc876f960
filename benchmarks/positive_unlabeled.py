"""SVMs from positive and unlabeled rows beside what else takes them: 20, 50 and 200 positive rows of twelve sets.

    python -m benchmarks.positive_unlabeled [--draws 3] [--show] [--page docs/positive_unlabeled_measured.md]

Every run is recorded when it is done, so that a run which is stopped goes on where it was. Average precision and error
are on the unlabeled rows. All methods are cut where the known share of the unlabeled rows is positive.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM

from semisvm import PositiveUnlabeledS3VM, PositiveUnlabeledSVM
from semisvm.datasets import hide_labels, load_mnist, load_newsgroups, load_table
from semisvm.estimators.positive_share import PositiveScores, best_bin, elkan_noto

RECORDS = Path("benchmarks/records/positive_unlabeled.jsonl")
SIZES = (20, 50, 200)
DRAWS = 3
ROWS = 1000
"""Rows of a set at most, drawn once."""
TABLES = ("bands", "breast", "chess", "hypothyroid", "monk-2", "pc1", "ring", "twonorm")
"""Two-class tables in even places of the alphabet, which are for reporting; the rarer class is positive."""
OURS = "PositiveUnlabeledSVM()"
SUPERVISED = "SVM that knows all labels"
ESTIMATES = "ours", "best bin as published", "Elkan and Noto"
NEAR, SHARE_OFF = 3.0, 0.05
"""What is asked for: points from the best method, and the error of an estimated share at 200 positive rows."""


# ---------------------------------------------------------------- sets


def drawn_rows(X: Any, positive: np.ndarray) -> tuple[Any, np.ndarray]:
    rows = np.random.default_rng(0).permutation(len(positive))[:ROWS]
    return X[rows], positive[rows]


def of_mnist(digits: Sequence[int]) -> tuple[Any, np.ndarray]:
    data = loaded(load_mnist)
    return drawn_rows(data.X, np.isin(data.y, digits))


@cache
def loaded(load: Callable[[], Any]) -> Any:
    return load()


def of_newsgroups(topic: str) -> tuple[Any, np.ndarray]:
    data = loaded(load_newsgroups)
    return drawn_rows(data.X, np.array([name.startswith(topic) for name in data.classes])[data.y])


def of_table(name: str) -> tuple[Any, np.ndarray]:
    data = load_table(name)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    return drawn_rows(StandardScaler().fit_transform(X), data.y == np.bincount(data.y).argmin())


SETS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "MNIST, even": partial(of_mnist, (0, 2, 4, 6, 8)),
    "MNIST, 3": partial(of_mnist, (3,)),
    "newsgroups, sci": partial(of_newsgroups, "sci."),
    "newsgroups, rec": partial(of_newsgroups, "rec."),
    **{name: partial(of_table, name) for name in TABLES},
}


# ---------------------------------------------------------------- methods


class Keeping(PositiveUnlabeledSVM):
    """Keeps the scores that the share is estimated from, for other estimators of it."""

    def _settle_prior(self, bare, training, randomness) -> None:
        super()._settle_prior(bare, training, randomness)
        self.folded_ = PositiveScores.of(self._for_estimation(bare, training, randomness), randomness)


def methods(prior: float, **space: Any) -> dict[str, Any]:
    """Ours, each risk with the C that did best on other sets."""
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
    interval: tuple[float, float]
    seconds: dict[str, float]

    @property
    def key(self) -> tuple[str, int, int]:
        return self.data, self.positives, self.draw


def runs_of(data: str, draw: int, done: set[tuple[str, int, int]]) -> Iterator[PositiveRun]:
    todo = [size for size in SIZES if (data, size, draw) not in done]
    if not todo:
        return
    X, positive = SETS[data]()
    whole: dict[str, float] | None = None
    for size in todo:
        members = np.flatnonzero(positive)
        if 2 * size > len(members):
            continue
        known = np.random.default_rng(100 + draw).permutation(members)[:size]
        whole = whole or supervised(X, positive)
        yield judged(data, draw, X, positive, known, whole)


def kernel_of(X: Any) -> dict[str, Any]:
    return {"kernel": "linear"} if hasattr(X, "tocsr") else {}


def supervised(X: Any, positive: np.ndarray) -> dict[str, float]:
    """Scores of every row by a model of the other four fifths, all labels of which are known."""
    model = SVC(C=10.0, **kernel_of(X))
    scores = cross_val_predict(model, X, positive, method="decision_function")
    return {"precision": _percent(average_precision_score(positive, scores)), "error": wrong(scores, positive)}


def judged(
    data: str, draw: int, X: Any, positive: np.ndarray, known: np.ndarray, whole: dict[str, float]
) -> PositiveRun:
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
    estimated = Keeping(random_state=0, **space).fit(X, y)
    low, high = estimated.prior_interval_.tolist()
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
        shares={
            "ours": round(estimated.prior_, 4),
            "best bin as published": round(best_bin(estimated.folded_), 4),
            "Elkan and Noto": round(elkan_noto(estimated.folded_), 4),
        },
        interval=(round(low, 4), round(high, 4)),
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


def read_runs(path: Path) -> list[PositiveRun]:
    lines = path.read_text().splitlines() if path.exists() else []
    return list({one.key: one for one in (PositiveRun(**json.loads(line)) for line in lines if line)}.values())


def append(path: Path, run: PositiveRun) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(asdict(run)) + "\n")


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


def share_table(runs: Sequence[PositiveRun]) -> list[str]:
    lines = [
        "| positive rows | runs | " + " | ".join(ESTIMATES) + " | interval holds the true share |",
        "|---" * 6 + "|",
    ]
    for size in SIZES:
        part = [run for run in runs if run.positives == size]
        if part:
            off = [np.mean([abs(run.shares[name] - run.true_share) for run in part]) for name in ESTIMATES]
            held = np.mean([run.interval[0] <= run.true_share <= run.interval[1] for run in part])
            lines.append(f"| {size} | {len(part)} | {' | '.join(f'{one:.3f}' for one in off)} | {held:.0%} |")
    return lines


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
                *np.mean([run.interval for run in part], axis=0),
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

Twelve sets of at most {ROWS:,} rows. 20, 50 or 200 positive rows are labeled, drawn at random, where at least as many
stay hidden. Everything is measured on the unlabeled rows, in percent, as a mean over the draws of each set. All methods
know the share of positives and take as many rows for positive. "Elkan-Noto, logistic" ranks by logistic regression of
labeled against unlabeled rows; the last column knows all labels of other rows (five folds) and is no bar. The risks of
`PositiveUnlabeledSVM` have the C that did best on other sets; so has its default.

Tables are those in even places of the alphabet; defaults, C and the estimator of the share were chosen on tables in odd
places and on USPS, pendigits, WebKB and Reuters. The sets of this page were looked at once.

This page is written by `python -m benchmarks.positive_unlabeled --page docs/positive_unlabeled_measured.md` from
benchmarks/records/positive_unlabeled.jsonl, which has every run.
"""


def page(runs: Sequence[PositiveRun]) -> str:
    parts = [BEGIN, "## What was asked for", "", *(f"- {line}" for line in bars(runs)), ""]
    parts += ["## The share of positives", "", "Mean distance of the estimate from the true share:", ""]
    parts += [*share_table(runs), "", *estimated_table(runs), ""]
    for size in SIZES:
        part = [run for run in runs if run.positives == size]
        if part:
            draws = len({run.draw for run in part})
            parts += [f"## {size} positive rows, {draws} draws", "", "Error:", "", *method_table(part, "errors"), ""]
            parts += ["Average precision:", "", *method_table(part, "precision"), ""]
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="positive_unlabeled", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--show", action="store_true", help="print what is recorded and run nothing")
    parser.add_argument("--page", type=Path, help="write what is recorded as a page of the docs")
    given = parser.parse_args(arguments)
    if not given.show:
        done = {run.key for run in read_runs(RECORDS)}
        for draw in range(given.draws):
            for data in given.sets:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    for run in runs_of(data, draw, done):
                        append(RECORDS, run)
                        print(f"{data}, {run.positives} positive rows, draw {draw}: {run.errors[OURS]:.1f}", flush=True)
    runs = read_runs(RECORDS)
    if given.page:
        given.page.write_text(page(runs))
    print("\n".join(bars(runs)))


if __name__ == "__main__":
    main()
