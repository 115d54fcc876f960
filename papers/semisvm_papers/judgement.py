"""How much an agreement is worth: a stricter rule, the power of the rule, and whether ours lie on one side.

Cells with enough splits are judged.  A rule has power if it tells methods apart: our figure of one method should not
agree with what was published for another method in the same row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from semisvm_papers.agreement import Cell, Verdict, judged
from semisvm_papers.derived import rule_of
from semisvm_papers.table import Published, Table, TableColumn, TableRow

MOST_OTHERS = 0.5
"""A rule by which more of the other methods' figures agree than this share has no power."""


@dataclass(frozen=True)
class Judgement:
    """What the judged cells of a table say, beyond how many agree."""

    n_judged: int
    n_agree: int
    n_strict: int
    """How many are within one published standard deviation, or within one point where none is printed."""
    measurements: frozenset[tuple[str, ...]]
    """The different measurements: the same data, method, parameters and protocol give one, in whatever table."""
    n_others: int
    """Pairs of our figure and the figure published for another method in the same row."""
    n_others_agree: int
    n_others_strict: int
    n_above: int
    """Measurements with an error above the published one."""
    n_below: int

    @property
    def others_agree(self) -> float | None:
        """The share of other methods' figures that would have agreed; None without another method."""
        return self.n_others_agree / self.n_others if self.n_others else None

    @property
    def others_strict(self) -> float | None:
        return self.n_others_strict / self.n_others if self.n_others else None

    @property
    def has_power(self) -> bool:
        """Whether the rule tells methods apart; taken to do so where there is no other method to tell apart."""
        return (self.others_agree or 0.0) <= MOST_OTHERS

    @property
    def strict_has_power(self) -> bool:
        return (self.others_strict or 0.0) <= MOST_OTHERS

    @property
    def sign_level(self) -> float | None:
        """The level of the two-sided sign test of errors above against errors below the published ones."""
        from scipy.stats import binomtest

        n = self.n_above + self.n_below
        return float(binomtest(self.n_above, n).pvalue) if n else None

    def summary(self) -> dict[str, Any]:
        """The judgement as plain data."""
        return {
            "judged": self.n_judged,
            "agree": self.n_agree,
            "strict": self.n_strict,
            "distinct": len(self.measurements),
            "others_agree": self.others_agree,
            "others_strict": self.others_strict,
            "has_power": self.has_power if self.n_others else None,
            "strict_has_power": self.strict_has_power if self.n_others else None,
            "above": self.n_above,
            "below": self.n_below,
            "sign_test": self.sign_level,
        }


def is_judged(cell: Cell) -> bool:
    """Whether a cell has an error, or an accuracy, of enough splits beside a published one."""
    return cell.verdict in (Verdict.AGREES, Verdict.DIFFERS)


def is_strict(ours: Sequence[float], published: Published) -> bool:
    """Whether our mean is within one published standard deviation, or within one point where none is printed."""
    allowed = 1.0 if published.std is None else published.std
    return abs(fmean(ours) - published.mean) <= allowed + 1e-9


def judgement_of(table: Table, cells: Iterable[Cell]) -> Judgement:
    """The judgement of a table's cells."""
    cells = list(cells)
    own = [(cell, cell.published) for cell in cells if is_judged(cell) and cell.published is not None]
    pairs = [
        (cell, other.published)
        for cell, _ in own
        for other in cells
        # a method that is not run here was published all the same
        if other.method != cell.method and other.dataset == cell.dataset and other.published is not None
        if _metric(table, other) == _metric(table, cell)
    ]
    apart: dict[tuple[str, ...], list[float]] = {}
    for cell, published in own:
        # errors: an accuracy below the published one is an error above it
        sign = -1 if is_accuracy(cell) else 1
        apart.setdefault(measurement_of(table, cell), []).append(sign * (fmean(cell.ours) - published.mean))
    return Judgement(
        n_judged=len(own),
        n_agree=sum(cell.verdict is Verdict.AGREES for cell, _ in own),
        n_strict=sum(is_strict(cell.ours, published) for cell, published in own),
        measurements=frozenset(apart),
        n_others=len(pairs),
        n_others_agree=sum(_agrees(table, cell, published) for cell, published in pairs),
        n_others_strict=sum(is_strict(cell.ours, published) for cell, published in pairs),
        n_above=sum(fmean(one) > 1e-9 for one in apart.values()),
        n_below=sum(fmean(one) < -1e-9 for one in apart.values()),
    )


def is_accuracy(cell: Cell) -> bool:
    return cell.shows == "accuracy_pct"


def measurement_of(table: Table, cell: Cell) -> tuple[str, ...]:
    """What tells a measurement from others: its declaration and the figure that is shown of it."""
    if rule_of(*_declared(table, cell)) is not None:
        # nothing is declared of what follows from other cells
        return (cell.table, cell.dataset, cell.method, cell.shows)
    return (table.declarations[cell.table, cell.dataset, cell.method], cell.shows)


def _declared(table: Table, cell: Cell) -> tuple[TableRow, TableColumn]:
    row = next(row for row in table.rows if row.dataset == cell.dataset)
    return row, next(column for column in table.columns if column.method == cell.method)


def _metric(table: Table, cell: Cell) -> str:
    row, column = _declared(table, cell)
    return row.metric or column.metric or table.metric


def _agrees(table: Table, cell: Cell, published: Published) -> bool:
    n_published = table.n_published or table.n_splits
    return judged(cell.ours, published, n_published, is_accuracy(cell)) is Verdict.AGREES
