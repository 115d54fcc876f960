"""Cells that follow from the records of others: ranks, rank correlations, means over sets, paired tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import kendalltau, rankdata, ttest_rel

from semisvm_papers.records import Record

if TYPE_CHECKING:
    from semisvm_papers.table import Table, TableColumn, TableRow

TESTS = ("t test", "t test of means")
KINDS = ("mean", "mean rank", "rank sum", "kendall", *TESTS)


@dataclass(frozen=True)
class Derived:
    """How the cells of a row follow from those of all data sets, or the cells of a column from those of all methods.

    ``of`` and ``against`` name figures of the records. ``mean`` is that of ``of`` over the data sets; ``mean rank`` is
    the mean over the data sets of a method's rank among all methods, the smallest first; ``kendall`` is the rank
    correlation of ``of`` and ``against`` over the methods, on splits that all of them have; ``t test`` is the level at
    which a paired test calls ``of`` and ``against`` different, over methods and splits, over data sets and splits, or
    over all three where a derived row and column meet; ``t test of means`` first takes the mean over the methods of a
    split, whose errors on the same points are not independent. ``rank sum`` is the sum over the data sets of a method's
    rank by the mean over the splits, the smallest first, equal means with the same rank. ``mean``, ``mean rank`` and
    ``kendall`` are taken split by split.

    ``table`` names the table whose records they are, where it is another, or several of them; ``among`` the methods
    that count and ``datasets`` patterns of the data sets, where they are not all. Where a derived row and column meet
    the rule is that of the column.
    """

    kind: str
    of: str
    against: str | None = None
    table: str | Sequence[str] | None = None
    among: Sequence[str] = ()
    datasets: Sequence[str] = ("*",)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"derived kind {self.kind!r} is not known: use one of {', '.join(KINDS)}.")
        if self.against is None and self.kind in ("kendall", *TESTS):
            raise ValueError(f"derived kind {self.kind!r} compares two figures: name the second one as against.")

    @property
    def tables(self) -> tuple[str, ...]:
        """The other tables."""
        if self.table is None:
            return ()
        return (self.table,) if isinstance(self.table, str) else tuple(self.table)

    @property
    def shows(self) -> str:
        """The measure that derived records hold."""
        if self.kind in TESTS:
            return "p_value"
        return self.of if self.kind == "mean" else self.kind.replace(" ", "_")


def rule_of(row: TableRow, column: TableColumn) -> Derived | None:
    """The rule of a cell, if it follows from others."""
    return column.derived or row.derived


def shown_in(row: TableRow, column: TableColumn) -> str:
    """Which figure of its records stands in a cell."""
    rule = rule_of(row, column)
    return rule.shows if rule is not None else row.shows or column.shows


def source_tables(table: Table) -> set[str]:
    """The other tables whose records cells of this one follow from."""
    rules = [*(row.derived for row in table.rows), *(column.derived for column in table.columns)]
    return {name for rule in rules if rule is not None for name in rule.tables}


def derived_records(table: Table, records: Iterable[Record]) -> list[Record]:
    """The records of the derived rows and columns of a table, from all records there are."""
    known = [record for record in records if record.failure is None]
    made: list[Record] = []
    for row in table.rows:
        for column in table.columns:
            rule = rule_of(row, column)
            if rule is not None and not row.not_runnable and not column.not_runnable:
                made += _cell(table, row, column, rule, _sources(table, rule, known))
    return made


def _sources(table: Table, rule: Derived, known: list[Record]) -> list[Record]:
    own = [one for one in known if one.table in (rule.tables or (table.name,))]
    own = [one for one in own if any(fnmatchcase(one.dataset, pattern) for pattern in rule.datasets)]
    return [one for one in own if not rule.among or one.method in rule.among]


def _cell(table: Table, row: TableRow, column: TableColumn, rule: Derived, sources: list[Record]) -> list[Record]:
    # of a method in a derived row, of a data set in a derived column, of all where the two meet
    own = [one for one in sources if column.derived or one.method == column.method]
    own = [one for one in own if row.derived or one.dataset == row.dataset]
    if rule.kind == "rank sum":
        own = _with_rank_sum(sources, rule.of, own)
        rule = replace(rule, kind="mean", of="rank_sum")
    if rule.kind == "mean rank":
        own = [replace(one, measures={**one.measures, "rank": rank}) for one, rank in _ranked(sources, rule.of, own)]
        rule = replace(rule, kind="mean", of="rank")
    figures: Mapping[str, Callable[[Derived, list[Record]], float | None]] = {
        "mean": _mean,
        "kendall": _kendall,
        "t test": _level,
        "t test of means": _level_of_means,
    }
    groups = {0: own} if rule.kind in TESTS else _grouped(own, lambda one: one.split)
    if rule.kind == "kendall":
        # an order of fewer methods is another figure: splits that are not done yet wait
        complete = len({one.method for one in own})
        groups = {split: group for split, group in groups.items() if len(group) == complete}
    shown = "mean_rank" if rule.of == "rank" else rule.shows
    made = []
    for split, group in sorted(groups.items()):
        figure = figures[rule.kind](rule, group)
        if figure is not None:
            facts: dict[str, Any] = {"dataset": row.dataset, "method": column.method, "split": split, "seed": split}
            # what is shown may be a field; no other field of the sources is one of this cell
            facts |= {name: figure if name == shown else None for name in ("error_pct", "objective")}
            facts |= {"n_iter": None, "warning": None}
            measures = {shown: figure, "n_records": float(len(group))}
            made.append(replace(group[-1], table=table.name, **facts, measures=measures))
    return made


def _grouped(records: Iterable[Record], by: Callable[[Record], Any]) -> dict[Any, list[Record]]:
    groups: dict[Any, list[Record]] = defaultdict(list)
    for record in records:
        groups[by(record)].append(record)
    return groups


def _set_and_split(record: Record) -> tuple[str, int]:
    return record.dataset, record.split


def _ranked(sources: list[Record], of: str, own: list[Record]) -> list[tuple[Record, float]]:
    """The records with their rank among all methods on the same set and split."""
    ranks = {}
    for group in _grouped((one for one in sources if one.figure(of) is not None), _set_and_split).values():
        values = np.array([one.figure(of) for one in group])
        # solutions that agree to a millionth are one and the same
        places = rankdata(np.round(values / np.maximum(np.abs(values).max(), 1e-300), 6))
        ranks.update({one.key: float(place) for one, place in zip(group, places, strict=True)})
    return [(one, ranks[one.key]) for one in own if one.key in ranks]


def _with_rank_sum(sources: list[Record], of: str, own: list[Record]) -> list[Record]:
    """One record with the sum of its method's ranks by the means; none before every method has all data sets."""
    means = {
        cell: _mean(Derived("mean", of), group) for cell, group in _grouped(sources, lambda one: one.key[1:3]).items()
    }
    datasets, methods = sorted({cell[0] for cell in means}), sorted({cell[1] for cell in means})
    values = [[means.get((dataset, method)) for method in methods] for dataset in datasets]
    if not own or any(value is None for row in values for value in row):
        return []
    sums = rankdata(np.round(np.array(values, dtype=float), 9), method="min", axis=1).sum(axis=0)
    total = float(sums[methods.index(own[-1].method)])
    return [replace(own[-1], split=0, measures={"rank_sum": total})]


def _mean(rule: Derived, group: list[Record]) -> float | None:
    figures = [one.figure(rule.of) for one in group]
    numbers = [figure for figure in figures if isinstance(figure, int | float)]
    return float(np.mean(numbers)) if numbers else None


def _pairs(rule: Derived, group: list[Record]) -> np.ndarray:
    pairs = [(one.figure(rule.of), one.figure(rule.against or "")) for one in group]
    return np.array([pair for pair in pairs if None not in pair], dtype=float).reshape(-1, 2)


def _kendall(rule: Derived, group: list[Record]) -> float | None:
    pairs = _pairs(rule, group)
    if len(pairs) < 3:
        return None
    correlation = float(kendalltau(pairs[:, 0], pairs[:, 1]).statistic)
    return correlation if np.isfinite(correlation) else 0.0


def _level(rule: Derived, group: list[Record]) -> float | None:
    return _level_of(_pairs(rule, group))


def _level_of_means(rule: Derived, group: list[Record]) -> float | None:
    splits = [_pairs(rule, split) for split in _grouped(group, _set_and_split).values()]
    return _level_of(np.array([pairs.mean(axis=0) for pairs in splits if len(pairs)]).reshape(-1, 2))


def _level_of(pairs: np.ndarray) -> float | None:
    if len(pairs) < 2:
        return None
    level = float(ttest_rel(pairs[:, 0], pairs[:, 1]).pvalue)
    # figures that never differ are not different
    return level if np.isfinite(level) else 1.0
