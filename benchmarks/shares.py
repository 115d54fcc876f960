"""Class shares: how they are estimated, and error and F1 of the rarest class with and without meeting them.

    python -m benchmarks.shares --out docs/shares.jsonl [--parts tables digits sets] [--draws 10] [--page FILE]

Every run is recorded when it is done, so that a run which is stopped goes on where it was; all sets get their first
draw before any gets its second. Errors are on the unlabeled rows. Of the imbalanced tables four are for tuning and six
for reporting.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import f1_score

from benchmarks import ordinary_tables
from benchmarks.ordinary_tables import ALONE, OURS, draw_labels, too_few_or_many
from benchmarks.share_estimates import estimates
from semisvm import CCCPS3VM, S3VM, GradientS3VM, Graph, LaplacianSVM, SupervisedSVM
from semisvm.datasets import hide_labels, load_mnist, load_table
from semisvm.estimators.class_shares import LeftOutScores
from semisvm.estimators.default.preparation import preparations
from semisvm.estimators.labels import read_labels
from semisvm.estimators.probabilities import class_scores

TUNING = ("haberman", "hepatitis", "kc1", "oil-spill")
REPORTING = ("flare", "hypothyroid", "mammography", "newthyroid", "pc1", "spectfheart")
SIZES = (30, 15, 100)
DRAWS = 10
DIGITS, DIGIT_LABELS = "mnist 3-8", 10
STRONG = {"C": 10.0, "s": 1.0, "C_unlabeled": "equal", "n_stages": 7}
"""A gradient S3VM that trusts unlabeled rows as much as labels, as `S3VM(method="gradient")` does."""


Key = tuple[str, str, int, int, str]


@dataclass(frozen=True)
class ShareRun:
    """One method on one draw of labels."""

    part: str
    data: str
    labels: int
    draw: int
    method: str
    error: float
    rare_f1: float
    balanced: float
    rare_filled: float | None
    """Share of the unlabeled rows that the rarest class got, in percent; None where another page recorded the run."""
    rare_true: float | None
    seconds: float | None

    @property
    def key(self) -> Key:
        return self.part, self.data, self.labels, self.draw, self.method


Maker = Callable[[], Any]
OURS_AT_ZERO = "S3VM(), zero"
"""Differs from `S3VM()` by the limit for classes of one label, so where there is none it is taken from its run."""

METHODS: dict[str, Maker] = {
    ALONE: lambda: S3VM(method="supervised"),
    OURS_AT_ZERO: lambda: S3VM(threshold="zero"),
    OURS: lambda: S3VM(),
    "S3VM(threshold=share)": lambda: S3VM(threshold="share"),
    "gradient, zero": lambda: GradientS3VM(gamma="median", threshold="zero", **STRONG),
    "gradient": lambda: GradientS3VM(gamma="median", **STRONG),
    "gradient, smooth count": lambda: GradientS3VM(gamma="median", balance="smooth", **STRONG),
    "CCCP, zero": lambda: CCCPS3VM(gamma="median", C=10.0, threshold="zero"),
    "CCCP": lambda: CCCPS3VM(gamma="median", C=10.0),
    "CCCP, threshold=share": lambda: CCCPS3VM(gamma="median", C=10.0, threshold="share"),
    "Laplacian, zero": lambda: LaplacianSVM(gamma="median", threshold="zero"),
    "Laplacian": lambda: LaplacianSVM(gamma="median"),
    "graph hybrid, zero": lambda: GradientS3VM(gamma="median", C=10.0, graph=Graph(), threshold="zero"),
    "graph hybrid": lambda: GradientS3VM(gamma="median", C=10.0, graph=Graph()),
}
ON_DIGITS: dict[str, Maker] = {
    "Laplacian, zero": lambda: LaplacianSVM(threshold="zero"),
    "Laplacian": lambda: LaplacianSVM(),
    "graph hybrid, zero": lambda: GradientS3VM(graph=Graph(), threshold="zero"),
    "graph hybrid": lambda: GradientS3VM(graph=Graph()),
}
LINEAR = {"kernel": "linear"}
LINEAR_OF_PRODUCTS = {"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}
"""The same kernel, one unknown per row: with a graph, the linear one has a dense system of all words to solve."""


@dataclass(frozen=True)
class ShareDraw:
    """Rows, their classes, and which of them are labeled."""

    part: str
    data: str
    number: int
    X: Any
    y: np.ndarray
    labeled: np.ndarray

    def key(self, method: str) -> Key:
        return self.part, self.data, len(self.labeled), self.number, method

    @property
    def has_class_of_one_label(self) -> bool:
        return bool(read_labels(hide_labels(self.y, self.labeled)).single.any())


def table_draws(names: Sequence[str], sizes: Sequence[int], draws: int) -> Iterator[ShareDraw]:
    for draw, size, name in product(range(draws), sizes, names):
        data = load_table(name)
        X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
        if not too_few_or_many(data.y, size):
            yield ShareDraw("tables", name, draw, X, data.y, draw_labels(data.y, size, draw))


def digit_draws(draws: int) -> Iterator[ShareDraw]:
    """2,000 rows, of which 1 to 9 of 10 labels are eights."""
    data = load_mnist(classes=[3, 8])
    rows = np.random.default_rng(0).permutation(len(data.y))[:2000]
    X, y = data.X[rows].astype(np.float64), np.asarray(data.y)[rows]
    for draw in range(draws):
        for ones in range(1, DIGIT_LABELS):
            random = np.random.default_rng(100 + draw)
            drawn = [
                random.choice(np.flatnonzero(y == code), size, replace=False)
                for code, size in ((1, ones), (0, DIGIT_LABELS - ones))
            ]
            yield ShareDraw("digits", f"{DIGITS}, {ones}:{DIGIT_LABELS - ones}", draw, X, y, np.concatenate(drawn))


def set_draws(splits: int) -> Iterator[ShareDraw]:
    """The two-class rows of docs/default.md."""
    from semisvm_papers.default_table import ROWS

    for split, row in product(range(splits), [row for row in ROWS if not row.tuning]):
        for task in islice(row.source.tasks(), split, split + 1):
            if len(np.unique(task.y)) == 2:
                yield ShareDraw("sets", row.name, split, task.X, task.y, task.labeled)


def runs_of(draw: ShareDraw, methods: dict[str, Maker], done: Mapping[Key, ShareRun]) -> Iterator[ShareRun]:
    """The methods that are not done yet."""
    y = hide_labels(draw.y, draw.labeled)
    unlabeled = np.flatnonzero(y < 0)
    hidden, rare = draw.y[unlabeled], int(np.bincount(draw.y).argmin())
    prepared = preparations(draw.X)[0].apply(draw.X) if draw.part != "digits" else draw.X
    default: S3VM | None = None
    ours = done.get(draw.key(OURS))
    for name, make in methods.items():
        if draw.key(name) in done:
            continue
        if name == OURS_AT_ZERO and ours is not None and not draw.has_class_of_one_label:
            yield replace(ours, method=name)
            continue
        model = make()
        if not isinstance(prepared, np.ndarray) and "kernel" in model.get_params():
            model.set_params(**(LINEAR_OF_PRODUCTS if name.startswith("graph hybrid") else LINEAR))
        began = time.process_time()
        if isinstance(model, S3VM) and model.method == "auto":
            # kernels of the same rows serve all thresholds, and a refit is a fit, bit for bit
            default = model.fit(draw.X, y) if default is None else default.set_params(**model.get_params()).refit(y)
            model = default
        else:
            model.fit(draw.X if isinstance(model, S3VM) else prepared, y)
        said = model.transduction_[unlabeled]
        wrong = [np.mean(said[hidden == code] != code) for code in np.unique(hidden)]
        yield ShareRun(
            part=draw.part,
            data=draw.data,
            labels=len(draw.labeled),
            draw=draw.number,
            method=name,
            error=_percent(np.mean(said != hidden)),
            rare_f1=_percent(f1_score(hidden == rare, said == rare, zero_division=0.0)),
            balanced=_percent(np.mean(wrong)),
            rare_filled=_percent(np.mean(said == rare)),
            rare_true=_percent(np.mean(hidden == rare)),
            seconds=round(time.process_time() - began, 3),
        )


def share_runs(draw: ShareDraw, done: Container[Key]) -> Iterator[ShareRun]:
    """Mean absolute error of the shares, by every way to estimate them; recorded as the error of a run."""
    if ("shares", draw.data, len(draw.labeled), draw.number, "estimated") in done:
        return
    y = hide_labels(draw.y, draw.labeled)
    unlabeled = np.flatnonzero(y < 0)
    rows = preparations(draw.X)[0].apply(draw.X)
    model = SupervisedSVM(gamma="median", C=10.0).fit(rows, y)
    calibration = model.calibration_
    scores = LeftOutScores(
        calibration.labeled, calibration.codes, class_scores(model.decision_function(rows[unlabeled]))
    )
    true = np.bincount(draw.y[unlabeled], minlength=len(model.classes_)) / len(unlabeled)
    rare = int(np.bincount(draw.y).argmin())
    for name, shares in estimates(scores).items():
        off, low = _percent(np.abs(shares - true).sum() / 2), _percent(shares[rare])
        yield ShareRun(
            "shares", draw.data, len(y) - len(unlabeled), draw.number, name, off, 0, 0, low, _percent(true[rare]), 0
        )


def _percent(share: float) -> float:
    return round(100.0 * float(share), 3)


# ---------------------------------------------------------------- records


def read_runs(path: Path) -> list[ShareRun]:
    lines = path.read_text().splitlines() if path.exists() else []
    return list({run.key: run for run in (ShareRun(**json.loads(line)) for line in lines if line)}.values())


def runs_of_the_default(of_tables: Path, of_sets: Path) -> list[ShareRun]:
    """`S3VM()`, and labels alone, on the same draws, as the other pages of the default have recorded them."""
    unknown = None
    runs = []
    for one in ordinary_tables.read_runs(of_tables):
        for name in (OURS, ALONE):
            figures = one.errors[name], one.rare_f1[name], one.balanced[name]
            runs.append(ShareRun("tables", one.table, one.labels, one.draw, name, *figures, unknown, unknown, unknown))
    if of_sets.exists():
        from semisvm_papers.default_table_figures import BALANCED, RAREST
        from semisvm_papers.records import read_records

        for record in read_records(of_sets):
            if record.method == OURS and record.measures and record.error_pct is not None:
                figures = record.error_pct, float(record.measures[RAREST]), float(record.measures[BALANCED])
                labels = int(record.dataset.rpartition("@")[2])
                runs.append(
                    ShareRun("sets", record.dataset, labels, record.split, OURS, *figures, unknown, unknown, unknown)
                )
    return [run for run in runs if run.part == "sets" or run.data in (*REPORTING, *TUNING)]


def record(path: Path, runs: Iterator[ShareRun]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    for run in runs:
        with path.open("a") as file:
            file.write(json.dumps(asdict(run)) + "\n")


def measure(given: argparse.Namespace) -> None:
    """What the arguments ask for and the file does not have yet."""
    done = {run.key: run for run in every_run(given)}
    chosen = {name: make for name, make in METHODS.items() if name in given.methods}
    if "digits" in given.parts:
        on_digits = {name: make for name, make in ON_DIGITS.items() if name in given.methods}
        for draw in digit_draws(given.draws):
            record(given.out, runs_of(draw, on_digits, done))
    if "tables" in given.parts:
        for draw in table_draws(given.tables, given.sizes, given.draws):
            record(given.out, share_runs(draw, done))
            record(given.out, runs_of(draw, chosen, done))
    if "sets" in given.parts:
        for draw in set_draws(given.draws):
            record(given.out, runs_of(draw, chosen, done))


def every_run(given: argparse.Namespace) -> list[ShareRun]:
    """Those of the file, and the default on the tables and on the sets that the file has."""
    runs = read_runs(given.out)
    sets = {run.data for run in runs if run.part == "sets"}
    recorded = runs_of_the_default(given.of_tables, given.of_sets)
    runs += [run for run in recorded if run.part == "tables" or run.data in sets]
    return list({run.key: run for run in runs}.values())


def main(arguments: Sequence[str] | None = None) -> None:
    from benchmarks.shares_page import figures, with_figures

    parser = argparse.ArgumentParser(prog="shares", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/shares.jsonl"))
    parser.add_argument("--parts", nargs="*", default=["digits", "tables", "sets"])
    parser.add_argument("--tables", nargs="*", default=[*REPORTING, *TUNING])
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS), metavar="METHOD")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--of-tables", type=Path, default=Path("docs/ordinary_tables.jsonl"), help="where S3VM() is")
    parser.add_argument(
        "--of-sets", type=Path, default=Path("papers/default_table.jsonl"), help="where S3VM() is as well"
    )
    parser.add_argument("--show", action="store_true", help="print what is recorded and run nothing")
    parser.add_argument("--page", type=Path, help="write what is recorded into this page of the docs")
    given = parser.parse_args(arguments)
    if not given.show:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            measure(given)
    runs = every_run(given)
    if given.page:
        given.page.write_text(with_figures(given.page.read_text(), runs))
    print(figures(runs))


if __name__ == "__main__":
    main()
