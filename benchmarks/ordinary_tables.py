"""`S3VM()` beside labels alone and plain baselines on 41 ordinary tables: 15, 30 and 100 labels, ten draws each.

    python -m benchmarks.ordinary_tables --out docs/ordinary_tables.jsonl [--part 1/2] [--draws 10]

Every run is recorded when it is done, so that a run which is stopped goes on where it was, and several processes can
take a part of the tables each. Errors are on the unlabeled rows. In alphabetical order tables in odd places are for
tuning, those in even places for reporting.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from semisvm import S3VM
from semisvm.datasets import hide_labels, load_table, table_names
from semisvm_papers.provenance import commit

SIZES = (30, 15, 100)
DRAWS = 10
OURS, ALONE, COMMONEST = "S3VM()", "labels alone", "commonest class"
BINS = 10
VERSION = 5
"""Of the default that was measured: a record of another one is run again."""


@dataclass(frozen=True)
class Run:
    """One draw of labels of one table."""

    table: str
    labels: int
    draw: int
    n_rows: int
    n_classes: int
    errors: dict[str, float]
    """In percent, by method."""
    balanced: dict[str, float]
    """Mean over the classes of the error on each, in percent."""
    rare_f1: dict[str, float]
    """F1 of the rarest class, in percent."""
    expected_error: float | None
    expected_interval: tuple[float, float] | None
    helped: bool | None
    confidence: float
    """Mean largest probability on the unlabeled rows, in percent."""
    calibration_error: float
    """Expected calibration error over ten bins of equal counts, in percent."""
    share_error: float
    """Mean absolute error of the expected class shares, in percent."""
    used: dict[str, float]
    seconds: dict[str, float] = field(default_factory=dict)
    version: int = VERSION
    commit: str | None = None

    @property
    def key(self) -> tuple[str, int, int]:
        return self.table, self.labels, self.draw


def role(table: str) -> str:
    return "tune" if table_names().index(table) % 2 == 0 else "report"


def draw_labels(y: np.ndarray, n_labels: int, draw: int) -> np.ndarray:
    """One row of each class, the others from a shuffle of the remaining rows."""
    random = np.random.default_rng(100 + draw)
    n_classes = int(y.max()) + 1
    first = np.array([random.choice(np.flatnonzero(y == code)) for code in range(n_classes)])
    others = random.permutation(np.setdiff1d(np.arange(len(y)), first))
    return np.concatenate([first, others[: n_labels - n_classes]])


def too_few_or_many(y: np.ndarray, n_labels: int) -> bool:
    """At least two labels per class, and at most a third of the rows."""
    return n_labels < 2 * (int(y.max()) + 1) or n_labels > len(y) / 3


def baselines() -> dict[str, Any]:
    return {
        "SVC": SVC(C=10.0, gamma="scale"),
        "logistic regression": LogisticRegression(max_iter=1000),
        "random forest": RandomForestClassifier(300, random_state=0),
        "extra trees": ExtraTreesClassifier(300, random_state=0),
    }


def runs_of(table: str, draws: Sequence[int], sizes: Sequence[int], done: set) -> Iterator[Run]:
    """Runs that are not done yet; kernels are built once, all further draws are refits."""
    data = load_table(table)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    scaled = StandardScaler().fit_transform(X)
    model = S3VM()
    fitted = False
    for n_labels in sizes:
        for draw in draws:
            if too_few_or_many(data.y, n_labels) or (table, n_labels, draw) in done:
                continue
            labeled = draw_labels(data.y, n_labels, draw)
            y = hide_labels(data.y, labeled)
            began = time.process_time()
            model = model.refit(y) if fitted else model.fit(X, y)
            seconds = {"refit" if fitted else "fit": round(time.process_time() - began, 3)}
            fitted = True
            yield _judged(table, n_labels, draw, data.y, labeled, model, (X, scaled), seconds)


def _judged(table, n_labels, draw, truth, labeled, model, rows, seconds) -> Run:
    X, scaled = rows
    unlabeled = np.setdiff1d(np.arange(len(truth)), labeled)
    y = hide_labels(truth, labeled)
    said = {OURS: model.transduction_[unlabeled]}
    said[ALONE] = S3VM(method="supervised").fit(X, y).transduction_[unlabeled]
    for name, classifier in baselines().items():
        features = X if "tree" in name or "forest" in name else scaled
        said[name] = classifier.fit(features[labeled], truth[labeled]).predict(features[unlabeled])
    counts = np.bincount(truth[labeled])
    said[COMMONEST] = np.full(len(unlabeled), counts.argmax())
    hidden = truth[unlabeled]
    rare = int(np.bincount(truth).argmin())
    P = model.predict_proba(X[unlabeled])
    shares = np.bincount(hidden, minlength=len(model.classes_)) / len(hidden)
    expected = np.array([share.expected for share in model.report_.shares])
    return Run(
        table=table,
        labels=n_labels,
        draw=draw,
        n_rows=len(truth),
        n_classes=len(counts),
        errors={name: _percent(np.mean(one != hidden)) for name, one in said.items()},
        balanced={name: _percent(1 - balanced_accuracy_score(hidden, one)) for name, one in said.items()},
        rare_f1={
            name: _percent(f1_score(hidden == rare, one == rare, zero_division=0.0)) for name, one in said.items()
        },
        expected_error=model.report_.expected_error,
        expected_interval=model.report_.expected_interval,
        helped=model.report_.unlabeled_rows_helped,
        confidence=_percent(P.max(axis=1).mean()),
        calibration_error=_percent(calibration_error(P.max(axis=1), said[OURS] == hidden)),
        share_error=_percent(np.abs(shares - expected).mean()),
        used={name: round(weight, 3) for name, weight in model.report_.used.items()},
        seconds=seconds,
        commit=commit(),
    )


def calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Mean distance of confidence and accuracy over bins of equal counts."""
    order = np.argsort(confidence, kind="stable")
    bins = [part for part in np.array_split(order, BINS) if len(part)]
    return float(sum(len(part) * abs(confidence[part].mean() - right[part].mean()) for part in bins) / len(order))


def _percent(share: float) -> float:
    return round(100.0 * float(share), 3)


# ---------------------------------------------------------------- records


def read_runs(path: Path) -> list[Run]:
    """All runs of today's version, the last one of each draw."""
    if not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text().splitlines() if line]
    return list({one.key: one for one in (Run(**line) for line in lines) if one.version == VERSION}.values())


def append(path: Path, run: Run) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(asdict(run)) + "\n")


# ---------------------------------------------------------------- showing


def show(runs: Sequence[Run]) -> str:
    lines: list[str] = []
    for title in ("tune", "report"):
        for n_labels in sorted(SIZES):
            part = [run for run in runs if role(run.table) == title and run.labels == n_labels]
            if part:
                lines += [*_section(f"Tables to {title}, {n_labels} labels", part), ""]
    return "\n".join(lines)


def means(runs: Sequence[Run]) -> dict[str, dict[str, float]]:
    """Mean error of every method on every table."""
    tables = sorted({run.table for run in runs})
    return {
        table: {
            name: float(np.mean([run.errors[name] for run in runs if run.table == table])) for name in runs[0].errors
        }
        for table in tables
    }


def _section(title: str, runs: Sequence[Run]) -> list[str]:
    table = means(runs)
    names = list(runs[0].errors)
    lines = [f"{title}: {len(table)} tables, {len(runs)} runs"]
    lines.append(f"{'':18}" + "".join(f"{name[:11]:>13}" for name in names))
    lines += [f"{row:18}" + "".join(f"{errors[name]:13.1f}" for name in names) for row, errors in table.items()]
    column = {name: np.array([errors[name] for errors in table.values()]) for name in names}
    lines.append(f"{'mean':18}" + "".join(f"{column[name].mean():13.2f}" for name in names))
    loss, guess = column[OURS] - column[ALONE], column[OURS] - column[COMMONEST]
    lines.append(
        f"against labels alone: {loss.mean():+.2f}, more than 2 points worse on {np.sum(loss > 2)} tables, worst "
        f"{loss.max():+.1f}; worse than the commonest class by more than a point on {np.sum(guess > 1)}"
    )
    lines.append(_truth(runs))
    for name, of in (("balanced error", "balanced"), ("F1 of the rarest class", "rare_f1")):
        ours, alone = (np.mean([getattr(run, of)[method] for run in runs]) for method in (OURS, ALONE))
        lines.append(f"{name}: {ours:.1f}, labels alone {alone:.1f}")
    return lines


def _truth(runs: Sequence[Run]) -> str:
    """How true the report was."""
    judged = [run for run in runs if run.expected_error is not None and run.expected_interval is not None]
    true = np.array([run.errors[OURS] / 100 for run in judged])
    expected = np.array([run.expected_error for run in judged], dtype=float)
    ends = np.array([run.expected_interval for run in judged], dtype=float).reshape(-1, 2)
    gain = np.array([run.errors[ALONE] - run.errors[OURS] for run in runs])
    said = np.array([bool(run.helped) for run in runs])
    large = gain > 5
    ece = np.mean([run.calibration_error for run in runs])
    gap = np.mean([run.confidence - 100 + run.errors[OURS] for run in runs])
    covered = np.mean((ends[:, 0] <= true) & (true <= ends[:, 1]))
    gains = f"{np.sum(said & large)} of {np.sum(large)} that gain more than 5 points"
    return (
        f"expected error {100 * expected.mean():.1f}, true {100 * true.mean():.1f}, interval covers {covered:.0%}; "
        f"calibration error {ece:.1f}, confidence minus accuracy {gap:+.1f}; helped is said in {np.sum(said)} runs, "
        f"true in {np.sum(gain[said] > 0)}, and in {gains}"
    )


BEGIN = """# The default on ordinary tables

41 tables as people have them: numbers, categories, blanks, imbalance, at most 2,000 rows
(`semisvm.datasets.load_table`). One row of each class is labeled and the others are drawn; a size is skipped where it
has fewer than two labels per class or more than a third of the rows. Errors in percent on the unlabeled rows, means
over the draws. "Labels alone" is `S3VM(method="supervised")`. In alphabetical order tables in odd places were for
tuning and those in even places are for reporting. The latter were looked at eight times: three times in parts, after
which the rule for "they helped" was made stricter, and five times as a whole with all sizes. After the first of these
logistic regression began to choose C and the expected error to trust the model's doubt more; after the second the
evidence was freed of its last trace of the labels it is judged on; after the third, which named fewer large gains, the
rule for "they helped" got its second condition; after the last a saving of work in the folds, found on tables for
tuning, was taken back below 50 labels. Figures of the tables and sets for tuning settled the others.

This page is written by `python -m benchmarks.ordinary_tables --page docs/ordinary_tables.md` from
ordinary_tables.jsonl, which has every run; `make default-table` goes on where it was stopped.
"""


def page(runs: Sequence[Run]) -> str:
    """What is recorded, as a page of the docs."""
    parts = [BEGIN, *_made_with(runs)]
    for title, name in (("report", "Tables for reporting"), ("tune", "Tables for tuning")):
        for n_labels in sorted(SIZES):
            part = [run for run in runs if role(run.table) == title and run.labels == n_labels]
            if part:
                parts.append(_page_section(f"{name}, {n_labels} labels", part))
    return "\n".join(parts)


def _made_with(runs: Sequence[Run]) -> list[str]:
    commits = sorted({run.commit for run in runs if run.commit})
    return [f"The runs are of {', '.join(f'`{one[:7]}`' for one in commits)}.\n"] if commits else []


def _page_section(title: str, runs: Sequence[Run]) -> str:
    table, names = means(runs), list(runs[0].errors)
    draws = {row: sum(run.table == row for run in runs) for row in table}
    lines = [f"## {title}\n", f"| table | draws | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    lines += [
        f"| {row} | {draws[row]} | {' | '.join(f'{errors[name]:.1f}' for name in names)} |"
        for row, errors in table.items()
    ]
    column = {name: np.mean([errors[name] for errors in table.values()]) for name in names}
    lines.append(f"| **mean** | | {' | '.join(f'**{column[name]:.1f}**' for name in names)} |")
    return "\n".join([*lines, "", *(f"- {line}" for line in _section(title, runs)[-4:]), ""])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="ordinary_tables", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/ordinary_tables.jsonl"))
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--tables", nargs="*", default=None)
    parser.add_argument("--role", choices=("tune", "report"), default=None)
    parser.add_argument("--part", default="1/1", help="1/2 and 2/2 in two processes share the tables")
    parser.add_argument("--show", action="store_true", help="print what is recorded and run nothing")
    parser.add_argument("--page", type=Path, help="write what is recorded as a page of the docs")
    given = parser.parse_args(arguments)
    number, of = (int(one) for one in given.part.split("/"))
    chosen = given.tables or [name for name in table_names() if given.role in (None, role(name))]
    if not given.show:
        done = {run.key for run in read_runs(given.out)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in chosen[number - 1 :: of]:
                for run in runs_of(name, range(given.draws), given.sizes, done):
                    append(given.out, run)
    runs = [run for run in read_runs(given.out) if run.table in chosen]
    if given.page:
        given.page.write_text(page(runs))
    print(show(runs))


if __name__ == "__main__":
    main()
