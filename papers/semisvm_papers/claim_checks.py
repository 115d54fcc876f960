"""How statements of papers are checked against our records: each kind of check gives a figure of ours and a verdict.

A factor of time holds if ours is at least half of it, since computers and programs differ; an exponent if ours is
within one half of it, or no more than one half above where it is a bound; an error within one published standard
deviation, or one point where none is printed. Counts of rows are compared as shares: some rows cannot be run here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from statistics import fmean

import numpy as np

from semisvm_papers.agreement import Cell
from semisvm_papers.records import Record

ROUNDING = 1e-9


@dataclass(frozen=True)
class Check:
    """Which figures of which cells are held against a number, and how."""

    kind: str
    table: str
    method: str
    datasets: Sequence[str] = ("*",)
    """Patterns as in a shell."""
    figure: str | None = None
    """A field or a measure of the records; what the cells show where none is named."""
    per: str | None = None
    """Another figure of the same record by which it is divided."""
    against: str | None = None
    """The other method of a comparison."""
    against_table: str | None = None
    among: Sequence[str] = ()
    """The methods that are put in order; all of a row where none is named."""
    ratio: float | None = None
    """The factor that two printed times give, where the number is one of them."""
    of: int | None = None
    """Of how many rows the number is a count; all rows have to be right where it is not given."""
    ties: bool = False
    of_splits: bool = False
    """Whether the largest or smallest single split counts, and not that of the means."""
    take: str = "least"
    """Which of several factors counts: the least or the largest."""
    place: int | None = None
    within: float | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"check kind {self.kind!r} is not known: use one of {', '.join(KINDS)}.")


@dataclass(frozen=True)
class CheckResult:
    """What our records say: a figure, in words, and whether the statement holds."""

    ours: str
    holds: bool


class NoRecordError(Exception):
    """A check needs a cell that was not measured."""


class Measured:
    """The figures of all cells, by table, data set and method."""

    def __init__(self, cells: Iterable[Cell], records: Iterable[Record]) -> None:
        self.cells = {(cell.table, cell.dataset, cell.method): cell for cell in cells}
        self._records: dict[tuple[str, str, str], list[Record]] = {}
        for record in records:
            if record.failure is None:
                self._records.setdefault(record.key[:3], []).append(record)

    def of(self, check: Check, method: str, table: str | None = None) -> dict[str, list[float]]:
        """The figures of every split, by data set; curves are figures one by one."""
        found: dict[str, list[float]] = {}
        for cell in self._named(check, method, table):
            figures = cell.ours if check.figure is None else self._recorded(cell, check.figure, check.per)
            if figures:
                found[cell.dataset] = [check.scale * one for one in figures]
        if not found:
            raise NoRecordError(f"{table or check.table}: {method}")
        return found

    def curves(self, check: Check) -> list[list[float]]:
        """The curves of a measure, one per split."""
        records = [one for cell in self._named(check, check.method) for one in self._of_cell(cell)]
        curves = [one.figure(check.figure or "") for one in records]
        found = [curve for curve in curves if isinstance(curve, list)]
        if not found:
            raise NoRecordError(f"{check.table}: {check.method}")
        return found

    def rows(self, check: Check) -> dict[str, dict[str, float]]:
        """The means of the methods that are put in order, by data set; rows without the method are left out."""
        found: dict[str, dict[str, float]] = {}
        shown = {cell.shows for cell in self._named(check, check.method)}
        for cell in self.cells.values():
            wanted = not check.among or cell.method in (*check.among, check.method)
            if cell.table == check.table and wanted and cell.shows in shown and _fits(cell, check) and cell.ours:
                found.setdefault(cell.dataset, {})[cell.method] = fmean(cell.ours)
        found = {dataset: row for dataset, row in found.items() if check.method in row and len(row) > 1}
        if not found:
            raise NoRecordError(f"{check.table}: {check.method}")
        return found

    def _named(self, check: Check, method: str, table: str | None = None) -> list[Cell]:
        wanted = (table or check.table, method)
        return [cell for cell in self.cells.values() if (cell.table, cell.method) == wanted and _fits(cell, check)]

    def _of_cell(self, cell: Cell) -> list[Record]:
        return self._records.get((cell.table, cell.dataset, cell.method), [])

    def _recorded(self, cell: Cell, figure: str, per: str | None = None) -> list[float]:
        found = []
        for record in self._of_cell(cell):
            value, unit = record.figure(figure), 1.0 if per is None else record.figure(per)
            if value is not None and isinstance(unit, int | float):
                found += [one / unit for one in (value if isinstance(value, list) else [float(value)])]
        return found


def find(check: Check, number: float | None, measured: Measured) -> CheckResult:
    """What the records say of a statement; raises NoRecordError where they do not have its cells."""
    return KINDS[check.kind](check, number or 0.0, measured)


def _fits(cell: Cell, check: Check) -> bool:
    return any(fnmatchcase(cell.dataset, pattern) for pattern in check.datasets)


def _one(values: Mapping[str, list[float]]) -> list[float]:
    if len(values) != 1:
        raise ValueError(f"A check of one figure fits {len(values)} data sets: {', '.join(values)}.")
    return next(iter(values.values()))


def _extremes(check: Check, measured: Measured) -> list[float]:
    values = measured.of(check, check.method)
    return [number for one in values.values() for number in (one if check.of_splits else [fmean(one)])]


def _figure(check: Check, number: float, measured: Measured) -> CheckResult:
    ours = fmean(_one(measured.of(check, check.method)))
    (dataset,) = measured.of(check, check.method)
    published = measured.cells[check.table, dataset, check.method].published
    deviation = published.std if published is not None and published.std is not None else 1.0
    allowed = deviation if check.within is None else check.within
    return CheckResult(f"{ours:.3g}", abs(ours - number) <= allowed + ROUNDING)


def _lowest_figure(check: Check, number: float, measured: Measured) -> CheckResult:
    (row,) = measured.rows(check).values()
    method, ours = min(row.items(), key=lambda item: item[1])
    return CheckResult(f"{ours:.3g} ({method})", abs(ours - number) <= (check.within or 1.0) + ROUNDING)


def _at_most(check: Check, number: float, measured: Measured) -> CheckResult:
    ours = max(_extremes(check, measured))
    return CheckResult(f"{ours:.3g}", ours <= number + ROUNDING)


def _below(check: Check, number: float, measured: Measured) -> CheckResult:
    ours = max(_extremes(check, measured))
    return CheckResult(f"{ours:.3g}", ours < number - ROUNDING)


def _at_least(check: Check, number: float, measured: Measured) -> CheckResult:
    ours = min(_extremes(check, measured))
    return CheckResult(f"{ours:.3g}", ours >= number - ROUNDING)


def _factor(check: Check, number: float, measured: Measured) -> CheckResult:
    own, other = _pair(check, measured)
    ratios = {dataset: fmean(other[dataset]) / fmean(own[dataset]) for dataset in own.keys() & other.keys()}
    chosen = (max if check.take == "largest" else min)(sorted(ratios), key=lambda dataset: ratios[dataset])
    slower = sum(ratio < 1 for ratio in ratios.values())
    where = f" ({chosen}, {check.take} of {len(ratios)}; below 1 on {slower})" if len(ratios) > 1 else ""
    factor = number if check.ratio is None else check.ratio
    return CheckResult(f"{ratios[chosen]:.2g}{where}", ratios[chosen] >= factor / 2)


def _rows_below(check: Check, number: float, measured: Measured) -> CheckResult:
    own, other = _pair(check, measured)
    shared = own.keys() & other.keys()
    apart = [fmean(own[dataset]) - fmean(other[dataset]) for dataset in shared]
    return _counted(check, number, sum(one < (ROUNDING if check.ties else -ROUNDING) for one in apart), len(shared))


def _rows_lowest(check: Check, number: float, measured: Measured) -> CheckResult:
    rows = measured.rows(check).values()
    return _counted(check, number, sum(row[check.method] <= min(row.values()) + ROUNDING for row in rows), len(rows))


def _rows_highest(check: Check, number: float, measured: Measured) -> CheckResult:
    rows = measured.rows(check).values()
    return _counted(check, number, sum(row[check.method] >= max(row.values()) - ROUNDING for row in rows), len(rows))


def _counted(check: Check, number: float, right: int, n_rows: int) -> CheckResult:
    # right / n_rows against number / of
    holds = right == n_rows if check.of is None else right * check.of >= number * n_rows
    return CheckResult(f"{right} of {n_rows} rows", holds)


def _place(check: Check, number: float, measured: Measured) -> CheckResult:
    (row,) = measured.rows(check).values()
    order = sorted(row, key=lambda method: row[method])
    place = order.index(check.method) + 1
    return CheckResult(f"{row[check.method]:.3g}, place {place} of {len(order)}", place == check.place)


def _exponent(check: Check, number: float, measured: Measured) -> CheckResult:
    power = _power(check, measured)
    return CheckResult(f"{power:.2f}", abs(power - number) <= 0.5)


def _exponent_at_most(check: Check, number: float, measured: Measured) -> CheckResult:
    power = _power(check, measured)
    return CheckResult(f"{power:.2f}", power <= number + 0.5)


def _power(check: Check, measured: Measured) -> float:
    """The power of the number of rows with which a figure grows over the data sets."""
    seconds = measured.of(check, check.method)
    sizes = {
        dataset: fmean(measured.of(_sized(check, dataset, "n_labeled"), check.method)[dataset])
        + fmean(measured.of(_sized(check, dataset, "n_unlabeled"), check.method)[dataset])
        for dataset in seconds
    }
    if len(sizes) < 3:
        raise NoRecordError(f"{check.table}: {check.method} on three sizes")
    # log(seconds) = a + power log(size)
    logs = np.log([[sizes[dataset], fmean(seconds[dataset])] for dataset in seconds])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def _sized(check: Check, dataset: str, figure: str) -> Check:
    return Check("figure", check.table, check.method, [dataset], figure)


def _constant(check: Check, number: float, measured: Measured) -> CheckResult:
    means = [fmean(one) for one in measured.of(check, check.method).values()]
    return CheckResult(f"{min(means):.3g} to {max(means):.3g}", max(means) <= 2 * min(means))


def _reached(check: Check, number: float, measured: Measured) -> CheckResult:
    firsts = [next((at for at, one in enumerate(curve, 1) if one <= 0), None) for curve in measured.curves(check)]
    reached = [first for first in firsts if first is not None]
    if len(reached) < len(firsts):
        return CheckResult("never, on some splits", False)
    return CheckResult(f"{fmean(reached):.3g}", fmean(reached) <= number + ROUNDING)


def _pair(check: Check, measured: Measured) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    if check.against is None:
        raise ValueError(f"A check of kind {check.kind!r} compares two methods: name the second one as against.")
    return measured.of(check, check.method), measured.of(check, check.against, check.against_table)


KINDS: Mapping[str, Callable[[Check, float, Measured], CheckResult]] = {
    "figure": _figure,
    "lowest figure": _lowest_figure,
    "at most": _at_most,
    "below": _below,
    "at least": _at_least,
    "factor": _factor,
    "rows below": _rows_below,
    "rows lowest": _rows_lowest,
    "rows highest": _rows_highest,
    "place": _place,
    "exponent": _exponent,
    "exponent at most": _exponent_at_most,
    "constant": _constant,
    "reached": _reached,
}
