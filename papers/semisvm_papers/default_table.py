"""`make default-table`: the default beside supervised SVMs, graph methods and every method by name, on many sets.

All methods get the same prepared rows and no hyper-parameter: those that need a width and C take the median width and
C = 10, the supervised ones choose both by cross-validation on the labels. Errors are on the unlabeled rows, times are
of the processor. Every cell is recorded when it is done, so a run that is stopped goes on where it was, and several
processes can take a part of the cells each. All get their first split before any gets its second, small ones first.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC, LinearSVC

from semisvm.datasets import DataFileMissingError, hide_labels
from semisvm.estimators import S3VM
from semisvm.estimators.default.named import METHODS
from semisvm.estimators.default.preparation import preparations
from semisvm.geometry.distances import Points
from semisvm.geometry.widths import width
from semisvm.model_selection.scoring import f1_of_class
from semisvm_papers.default_table_figures import (
    ALL_LABELS,
    BALANCED,
    EXPECTED,
    HELPED,
    OURS,
    RAREST,
    SUPERVISED,
    TABLE,
    markdown,
    show,
)
from semisvm_papers.provenance import commit, versions
from semisvm_papers.records import Record, append_record, read_records
from semisvm_papers.tasks import DrawnSplits, PublishedSplits, Task, TaskSource

SMALL_SETS_ONLY = ("branch-and-bound", "sdp")
TIME_LIMIT = 60.0
"""Seconds after which a method by name ends where it is."""


@dataclass(frozen=True)
class SampledRows(TaskSource):
    """Some rows of a large set, drawn anew for each split."""

    inner: DrawnSplits
    n_rows: int

    def tasks(self) -> Iterator[Task]:
        for split, task in enumerate(self.inner.tasks()):
            random = np.random.RandomState(split)
            others = np.setdiff1d(np.flatnonzero(task.y >= 0), task.labeled)
            rows = np.concatenate([task.labeled, random.permutation(others)[: self.n_rows - len(task.labeled)]])
            yield Task(task.X[rows], task.y[rows], np.arange(len(task.labeled)))


@dataclass(frozen=True)
class Row:
    name: str
    source: TaskSource
    tuning: bool = False
    """Whether the policy was tuned on this set; the others are for reporting."""


def _ssl(name: str, n_labeled: int, *, tuning: bool = False) -> Row:
    return Row(f"ssl_{name} @{n_labeled}", PublishedSplits("load_ssl", n_labeled, {"name": name}), tuning)


def _uci(name: str, n_labeled: int, *, tuning: bool = False) -> Row:
    return Row(
        f"uci_{name} @{n_labeled}", DrawnSplits("load_uci", n_labeled=n_labeled, arguments={"name": name}), tuning
    )


def _newsgroups(first: str, second: str) -> Row:
    pair = {"classes": [first, second]}
    title = f"{first.split('.')[-1]}-{second.split('.')[-1]} @10"
    return Row(title, DrawnSplits("load_newsgroups", n_labeled=10, arguments=pair))


ROWS = (
    *(_uci(name, l, tuning=True) for name in ("vehicle", "wdbc") for l in (10, 50)),
    *(_uci(name, 20) for name in ("house", "heart_statlog", "australian")),
    Row("g50c @50", PublishedSplits("load_g50c", 50), tuning=True),
    *(_ssl("bci", l) for l in (10, 100)),
    *(_ssl(name, l, tuning=True) for name in ("digit1", "g241c") for l in (10, 100)),
    *(_ssl(name, l) for name in ("usps", "coil2", "g241n", "coil") for l in (10, 100)),
    Row("Text @50", PublishedSplits("load_text", 50), tuning=True),
    *(_ssl("text", l, tuning=True) for l in (10, 100)),
    _newsgroups("rec.sport.baseball", "rec.sport.hockey"),
    _newsgroups("sci.med", "sci.space"),
    _newsgroups("talk.politics.guns", "talk.politics.mideast"),
    Row(
        "imdb glove @100",
        SampledRows(
            DrawnSplits("load_imdb", n_labeled=100, only=("negative", "positive"), arguments={"features": "glove"}),
            2000,
        ),
    ),
    Row("mnist 3-8 @10", SampledRows(DrawnSplits("load_mnist", n_labeled=10, arguments={"classes": [3, 8]}), 2000)),
    *(
        Row(f"uci_{name} @50", SampledRows(DrawnSplits("load_uci", n_labeled=50, arguments={"name": name}), 2000))
        for name in ("optdigits", "pendigits", "satimage")
    ),
    Row("mnist @100", SampledRows(DrawnSplits("load_mnist", n_labeled=100), 2000)),
    Row("cifar10 @100", SampledRows(DrawnSplits("load_cifar10", n_labeled=100), 2000)),
    Row("Uspst @50", PublishedSplits("load_uspst", 50), tuning=True),
    Row("Coil20 @40", DrawnSplits("load_coil20", per_class=2), tuning=True),
    Row("isolet @104", DrawnSplits("load_isolet", per_class=4, arguments={"groups": [1]})),
)


# ---------------------------------------------------------------- methods

Labeler = Callable[[Any, np.ndarray], np.ndarray]
"""(prepared rows, labels with -1 where unknown) -> the class of every row."""


def _chosen_by_labels(model: Any, grid: dict[str, Sequence[float]]) -> Labeler:
    """Parameters by cross-validation on the labels; the first of the grid among equals, or where a class has one label.

    Few labels leave many equals, so the order counts: a small C first would mean a constant classifier.
    """

    def label(X: Any, y: np.ndarray) -> np.ndarray:
        rows = np.flatnonzero(y >= 0)
        folds = min(5, int(np.bincount(y[rows]).min()))
        if folds < 2:
            first = {name: values[0] for name, values in grid.items()}
            return model.set_params(**first).fit(X[rows], y[rows]).predict(X)
        search = GridSearchCV(model, grid, cv=StratifiedKFold(folds))
        return search.fit(X[rows], y[rows]).predict(X)

    return label


def _svc(X: Any, y: np.ndarray) -> np.ndarray:
    gamma = width("median", Points.of(X))
    return _chosen_by_labels(SVC(), {"C": [10, 1, 100, 0.1], "gamma": [gamma, gamma / 4, 4 * gamma]})(X, y)


def _label_spreading(X: Any, y: np.ndarray) -> np.ndarray:
    return LabelSpreading(kernel="knn", n_neighbors=10).fit(_dense(X), y).transduction_


def _self_training(X: Any, y: np.ndarray) -> np.ndarray:
    """Probabilities by folds of the labels; a class with one label has none, and the SVM stays as it is."""
    base, rows = SVC(C=10.0, gamma=width("median", Points.of(X))), np.flatnonzero(y >= 0)
    folds = min(5, int(np.bincount(y[rows]).min()))
    if folds < 2:
        return base.fit(X[rows], y[rows]).predict(X)
    return SelfTrainingClassifier(CalibratedClassifierCV(base, cv=folds, ensemble=False)).fit(X, y).predict(X)


def _all_labels(X: Any, y: np.ndarray) -> np.ndarray:
    return SVC(C=10.0, gamma=width("median", Points.of(X))).fit(X, y).predict(X)


def _dense(X: Any) -> np.ndarray:
    return X if isinstance(X, np.ndarray) else X.toarray()


PEERS: dict[str, Labeler] = {
    SUPERVISED: _svc,
    "LinearSVC": _chosen_by_labels(LinearSVC(random_state=0), {"C": [1, 10, 0.1, 100, 0.01]}),
    "LabelSpreading": _label_spreading,
    "SelfTraining": _self_training,
}
NAMES = (OURS, *PEERS, *(name for name in METHODS if name not in SMALL_SETS_ONLY), ALL_LABELS)


def measure(name: str, task: Task, peers: Mapping[str, Labeler] = PEERS) -> tuple[float, float, dict[str, float]]:
    """(error on the unlabeled rows in percent, seconds of the fit, further measures).

    These are the balanced error and F1 of the rarest class; of the default also the expected error, and whether it says
    that the unlabeled rows helped.
    """
    y = hide_labels(task.y, task.labeled)
    X = task.X
    if name in peers or name == ALL_LABELS:
        X = preparations(task.X)[0].apply(task.X)
        X = X if isinstance(X, np.ndarray) else normalize(X)
    begin = time.process_time()
    if name == ALL_LABELS:
        _all_labels(X, task.y)
        return 0.0, time.process_time() - begin, {}
    if name in peers:
        labels = peers[name](X, y)
    else:
        model = S3VM() if name == OURS else S3VM(method=name, time_limit=TIME_LIMIT)
        labels = model.fit(X, y).transduction_
    seconds = time.process_time() - begin
    said, true = labels[task.unlabeled], task.y[task.unlabeled]
    measures = _by_class(true, said) | (_evidence(model) if name == OURS else {})
    return 100 * float(np.mean(said != true)), seconds, measures


def _evidence(model: S3VM) -> dict[str, float]:
    """The error that the default expects, where it can say so, and whether it says that the unlabeled rows helped."""
    expected = model.report_.expected_error
    said = {} if expected is None else {EXPECTED: 100 * float(expected)}
    return said | {HELPED: float(bool(model.report_.unlabeled_rows_helped))}


def _by_class(true: np.ndarray, said: np.ndarray) -> dict[str, float]:
    """In percent: the mean of the errors on every class, and F1 of the class with the fewest rows."""
    classes, counts = np.unique(true, return_counts=True)
    return {
        BALANCED: 100 * float(np.mean([np.mean(said[true == one] != one) for one in classes])),
        RAREST: 100 * f1_of_class(true, said, classes[counts.argmin()]),
    }


# ---------------------------------------------------------------- running


@dataclass(frozen=True)
class Part:
    """Every n-th split of a set, counted over all sets, for one of n processes."""

    number: int = 1
    of: int = 1

    @classmethod
    def read(cls, text: str) -> Part:
        number, _, of = text.partition("/")
        if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
            raise argparse.ArgumentTypeError(f"{text!r} was given and a part such as 1/2 is needed")
        return cls(int(number), int(of))

    def has(self, place: int) -> bool:
        return place % self.of == self.number - 1


WHOLE = Part()


def run(
    rows: Sequence[Row],
    names: Sequence[str],
    splits: int,
    out: Path,
    part: Part = WHOLE,
    peers: Mapping[str, Labeler] = PEERS,
) -> list[Record]:
    """All cells of this part that are not in `out` yet, and then all there are."""
    done = {record.key for record in read_records(out)}
    missing: set[str] = set()
    for place, (split, row) in enumerate(product(range(splits), rows)):
        wanted = [name for name in names if (TABLE, row.name, name, split) not in done]
        if not wanted or row.name in missing or not part.has(place):
            continue
        try:
            tasks = islice(row.source.tasks(), split, split + 1)
            for task in tasks:
                for name in wanted:
                    append_record(out, _record(row, name, split, task, peers))
        except DataFileMissingError as error:
            missing.add(row.name)
            print(f"{row.name} is passed over: {error}")
    return [record for record in read_records(out) if record.table == TABLE]


def _record(row: Row, name: str, split: int, task: Task, peers: Mapping[str, Labeler]) -> Record:
    failure, error, seconds = None, None, 0.0
    measures: dict[str, float] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error, seconds, measures = measure(name, task, peers)
    except Exception as problem:
        failure = f"{type(problem).__name__}: {problem}"
    return Record(
        table=TABLE,
        dataset=row.name,
        method=name,
        split=split,
        seed=split,
        error_pct=error,
        seconds=round(seconds, 4),
        objective=None,
        n_iter=None,
        commit=commit(),
        versions=versions(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        failure=failure,
        measures=measures,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="default-table", description=__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--datasets", nargs="*", default=None, help="rows whose name contains one of these words")
    parser.add_argument("--methods", nargs="*", default=None, choices=NAMES)
    parser.add_argument("--out", type=Path, default=Path("build/default-table.jsonl"))
    parser.add_argument("--part", type=Part.read, default=WHOLE, help="1/2 and 2/2 in two processes share the cells")
    parser.add_argument("--markdown", action="store_true", help="print the sets for reporting as a table of a page")
    given = parser.parse_args(arguments)
    rows = [row for row in ROWS if given.datasets is None or any(word in row.name for word in given.datasets)]
    names = [name for name in NAMES if given.methods is None or name in given.methods]
    records = run(rows, names, given.splits, given.out, given.part)
    print(markdown(records, rows, names) if given.markdown else show(records, rows, names))


if __name__ == "__main__":
    main()
