"""How the papers set their experiments up, and whether ours are set up so: read from the declared tables and the code.

A setting that is followed says nothing about results, so these statements are counted apart from those that hold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any

import numpy as np

from semisvm_papers.records import Record
from semisvm_papers.table import Table, TableColumn, TableRow


@dataclass(frozen=True)
class Setting:
    """Where the number of a statement is to be found here.

    ``name`` is an entry of the data of a row ("data"), of the parameters of a cell ("parameters"), of the protocol of a
    column ("protocol") or a figure of the records ("recorded"); several names are added up, and divided by the sum of
    those in ``over``. "splits", "rows" and "methods" count those of a table, "records" its records, and "classes" the
    classes that its rows keep of a set. In "code" the name is ``module:attribute``, with the place in a list after a
    further dot; of a function the value at ``at`` counts. In "generator" it is a function of semisvm.datasets and
    ``axis`` a column of what it draws: the setting is how far from 0 its values are on average. Of a list the length
    counts.
    """

    kind: str
    name: str | Sequence[str] = ()
    over: Sequence[str] = ()
    table: str = ""
    datasets: Sequence[str] = ("*",)
    """Patterns as in a shell."""
    methods: Sequence[str] = ("*",)
    at: float | None = None
    axis: int = 0
    take: str = "all"
    """Which of several numbers counts: all of them, the least or the largest."""
    within: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"setting kind {self.kind!r} is not known: use one of {', '.join(KINDS)}.")

    @property
    def names(self) -> Sequence[str]:
        return (self.name,) if isinstance(self.name, str) else self.name


@dataclass(frozen=True)
class SettingResult:
    """Our number, in words, and whether it is the paper's."""

    ours: str
    followed: bool


@dataclass(frozen=True)
class Declared:
    """The tables by name, and all records."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    records: Collection[Record] = ()

    def rows(self, setting: Setting) -> list[TableRow]:
        """The rows of a setting that can be run."""
        rows = self._table(setting).rows
        return [row for row in rows if not row.not_runnable and _fits(row.dataset, setting.datasets)]

    def columns(self, setting: Setting) -> list[TableColumn]:
        columns = self._table(setting).columns
        return [one for one in columns if one.estimator is not None and _fits(one.method, setting.methods)]

    def splits(self, setting: Setting) -> list[int]:
        return [self._table(setting).splits_of(row) for row in self.rows(setting)]

    def classes(self, setting: Setting) -> set[Any]:
        kept = [dict(_entries(row.source)).get("only", ()) for row in self.rows(setting)]
        return {name for names in kept for name in names}

    def recorded(self, setting: Setting) -> list[Record]:
        return [
            record
            for record in self.records
            if record.table == setting.table and record.failure is None
            if _fits(record.dataset, setting.datasets) and _fits(record.method, setting.methods)
        ]

    def _table(self, setting: Setting) -> Table:
        if setting.table not in self.tables:
            raise ValueError(f"A setting names the table {setting.table!r}, and there is none.")
        return self.tables[setting.table]


def find_setting(setting: Setting, number: float | None, declared: Declared) -> SettingResult | None:
    """Our number beside that of a paper; None where the tables and records do not have it."""
    found = [setting.scale * one for one in KINDS[setting.kind](setting, declared)]
    if not found:
        return None
    if setting.take != "all":
        found = [min(found) if setting.take == "least" else max(found)]
    ours = f"{min(found):.4g}" + (f" to {max(found):.4g}" if max(found) > min(found) else "")
    followed = all(abs(one - (number or 0.0)) <= setting.within + 1e-9 * abs(one) for one in found)
    return SettingResult(ours, followed)


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _of_data(setting: Setting, declared: Declared) -> Iterator[float]:
    for row in declared.rows(setting):
        yield from _ratio(setting, dict(_entries(row.source)))


def _of_parameters(setting: Setting, declared: Declared) -> Iterator[float]:
    for row in declared.rows(setting):
        for column in declared.columns(setting):
            yield from _ratio(setting, {**column.parameters, **row.parameters, **row.cells.get(column.method, {})})


def _of_protocol(setting: Setting, declared: Declared) -> Iterator[float]:
    for column in declared.columns(setting):
        yield from _ratio(setting, dict(_entries(column.protocol)))


def _of_records(setting: Setting, declared: Declared) -> Iterator[float]:
    for record in declared.recorded(setting):
        entries = {name: record.figure(name) for name in (*setting.names, *setting.over)}
        yield from _ratio(setting, {name: value for name, value in entries.items() if value is not None})


def _ratio(setting: Setting, entries: Mapping[str, Any]) -> Iterator[float]:
    """sum of the named entries / sum of those in ``over``; nothing where one of them is not there."""
    if all(name in entries for name in (*setting.names, *setting.over)):
        below = sum(_number(entries[name]) for name in setting.over) if setting.over else 1.0
        yield sum(_number(entries[name]) for name in setting.names) / below


def _entries(thing: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a data class, those of the data classes in it and the entries of the mappings in it."""
    if not is_dataclass(thing):
        return
    for one in fields(thing):
        value = getattr(thing, one.name)
        yield one.name, value
        if isinstance(value, Mapping):
            yield from value.items()
        else:
            yield from _entries(value)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float(len(value))


def _in_code(setting: Setting, declared: Declared) -> Iterator[float]:
    for name in setting.names:
        module, _, path = name.partition(":")
        value: Any = import_module(module)
        for part in path.split("."):
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        yield _number(value if setting.at is None else value(setting.at))


def _drawn(setting: Setting, declared: Declared) -> Iterator[float]:
    for name in setting.names:
        make = getattr(import_module("semisvm.datasets"), name)
        X, _ = make(n_samples=20_000, n_features=2, random_state=0)
        yield float(np.abs(X[:, setting.axis]).mean())


KINDS: Mapping[str, Callable[[Setting, Declared], Iterator[float]]] = {
    "splits": lambda setting, declared: map(float, declared.splits(setting)),
    "rows": lambda setting, declared: iter([float(len(declared.rows(setting)))]),
    "methods": lambda setting, declared: iter([float(len(declared.columns(setting)))]),
    "classes": lambda setting, declared: iter([float(len(declared.classes(setting)))]),
    "records": lambda setting, declared: iter([float(len(declared.recorded(setting)))]),
    "recorded": _of_records,
    "data": _of_data,
    "parameters": _of_parameters,
    "protocol": _of_protocol,
    "code": _in_code,
    "generator": _drawn,
}
