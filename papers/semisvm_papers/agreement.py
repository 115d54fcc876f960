"""When our figure agrees with the published one, and whether both put the methods in the same order.

Errors are compared, in percent; accuracies as the errors they leave.  Ours is the mean of at least `MIN_SPLITS` splits.
Other figures (times, iterations, ranks) are shown and not judged: they depend on the machine and on the program.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean, stdev

from semisvm_papers.derived import rule_of, shown_in
from semisvm_papers.jobs import Resolver, estimator_named
from semisvm_papers.records import Record
from semisvm_papers.table import Published, Table, TableColumn, TableRow

MIN_SPLITS = 10


class Verdict(Enum):
    """What there is to say about a cell; the value is the text for it."""

    AGREES = "agrees"
    DIFFERS = "differs"
    FEW_SPLITS = "not enough splits"
    FAILED = "failed"
    NOT_RUN = "not run"
    NOT_RUNNABLE = "not runnable"
    SHOWN = "shown, not judged"

    @property
    def counts(self) -> bool:
        """Whether the cell is one of those that could agree: an error was published and it can be measured here."""
        return self not in (Verdict.NOT_RUNNABLE, Verdict.SHOWN)


@dataclass(frozen=True)
class Cell:
    """One cell: our figure of each split beside the published one."""

    table: str
    dataset: str
    method: str
    shows: str
    ours: tuple[float, ...]
    published: Published | None
    verdict: Verdict
    reason: str | None = None
    """Why it cannot be run, or how it failed."""
    n_failed: int = 0
    stand_in: bool = False
    """Whether other data stand in for the paper's."""

    @property
    def mean(self) -> float | None:
        return fmean(self.ours) if self.ours else None

    @property
    def std(self) -> float | None:
        return stdev(self.ours) if len(self.ours) > 1 else None


def tolerance(ours: Sequence[float], published: Published, n_published: int, accuracy: bool = False) -> float:
    """How far apart the two may be: the largest of one point, a tenth of the published error, two standard errors.

    The standard error is that of the difference of two means, so it is there only where the paper prints a deviation.
    """
    theirs = 100 - published.mean if accuracy else published.mean
    allowed = max(1.0, 0.1 * theirs)
    if published.std is not None and len(ours) > 1:
        # sqrt(s^2 / n + s'^2 / n')
        allowed = max(allowed, 2 * math.sqrt(stdev(ours) ** 2 / len(ours) + published.std**2 / n_published))
    return allowed


def judged(ours: Sequence[float], published: Published, n_published: int, accuracy: bool = False) -> Verdict:
    """Whether errors (or accuracies) of enough splits agree with a published one."""
    if len(ours) < MIN_SPLITS:
        return Verdict.FEW_SPLITS
    apart = abs(fmean(ours) - published.mean)
    # what is printed is rounded; so is the comparison, far below any digit of it
    return Verdict.AGREES if apart <= tolerance(ours, published, n_published, accuracy) + 1e-9 else Verdict.DIFFERS


def cells_of(table: Table, records: Iterable[Record], resolve: Resolver = estimator_named) -> list[Cell]:
    """All cells of a table that were published or measured, row by row."""
    by_cell: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.table == table.name:
            by_cell.setdefault((record.dataset, record.method), []).append(record)
    cells = [
        _cell(table, row, column, by_cell.get((row.dataset, column.method), []), resolve)
        for row in table.rows
        for column in table.columns
    ]
    return [cell for cell in cells if cell.published is not None or cell.ours]


def _cell(table: Table, row: TableRow, column: TableColumn, records: list[Record], resolve: Resolver) -> Cell:
    shows = shown_in(row, column)
    figures = [record.figure(shows) for record in records if record.failure is None]
    ours = tuple(float(figure) for figure in figures if isinstance(figure, int | float))
    failures = [record.failure for record in records if record.failure is not None]
    published = row.published.get(column.method)
    verdict, reason = Verdict.SHOWN, None
    if row.not_runnable or column.not_runnable:
        verdict, reason = Verdict.NOT_RUNNABLE, row.not_runnable or column.not_runnable
    elif rule_of(row, column) is None and column.estimator is not None and resolve(column.estimator) is None:
        verdict, reason = Verdict.NOT_RUNNABLE, f"there is no {column.estimator} in semisvm"
    elif published is not None and is_error(row.metric or column.metric or table.metric):
        if ours:
            verdict = judged(ours, published, table.n_published or table.n_splits, shows == "accuracy_pct")
        else:
            verdict, reason = (Verdict.FAILED, failures[0]) if failures else (Verdict.NOT_RUN, None)
    elif not ours:
        verdict, reason = Verdict.SHOWN, failures[0] if failures else "not run"
    names = (table.name, row.dataset, column.method)
    return Cell(*names, shows, ours, published, verdict, reason, len(failures), row.stand_in)


def is_error(metric: str) -> bool:
    """Whether a metric is an error or an accuracy in percent, which is what can agree."""
    return metric.endswith(("error_pct", "accuracy_pct"))


def order_correlation(cells: Iterable[Cell]) -> float | None:
    """Kendall's correlation (tau-b) of our order of the methods and the published one: the mean over the data sets.

    Data sets with fewer than three methods measured by both have no order worth the name.
    """
    from scipy.stats import kendalltau

    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for cell in cells:
        if cell.ours and cell.published is not None:
            rows.setdefault((cell.dataset, cell.shows), []).append((fmean(cell.ours), cell.published.mean))
    found = []
    for pairs in rows.values():
        if len(pairs) >= 3:
            ours, theirs = zip(*pairs, strict=True)
            correlation = float(kendalltau(ours, theirs).statistic)
            if math.isfinite(correlation):
                found.append(correlation)
    return fmean(found) if found else None


def count(cells: Iterable[Cell]) -> Mapping[Verdict, int]:
    """How many cells there are of each verdict."""
    counts = dict.fromkeys(Verdict, 0)
    for cell in cells:
        counts[cell.verdict] += 1
    return counts
