"""A published table as its file declares it: rows of data, columns of methods, the values that were printed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from semisvm_papers.derived import Derived
from semisvm_papers.protocol import Protocol
from semisvm_papers.protocols.reading import take_protocol
from semisvm_papers.protocols.transductive import Transductive
from semisvm_papers.sources import source_of
from semisvm_papers.tasks import TaskSource


@dataclass(frozen=True)
class Published:
    """A printed value, with its standard deviation where the paper gives one."""

    mean: float
    std: float | None = None


@dataclass(frozen=True)
class TableColumn:
    """A method: which estimator with which parameters, measured how; or why it is not run."""

    method: str
    estimator: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    true_ratio: bool = False
    protocol: Protocol = field(default_factory=Transductive)
    not_runnable: str | None = None
    shows: str = "error_pct"
    """What of a record stands in the cell: error_pct, accuracy_pct, objective, n_iter, seconds, or a measure."""
    metric: str | None = None
    """The metric of the transcribed values, where it is not that of the table."""
    printed_as: str | None = None
    """The method's name in the transcribed values, where it is another."""
    setting: str | None = None
    """The condition under which those values were printed, where there are several."""
    derived: Derived | None = None
    """How the cells follow from other records, where nothing is run for them."""


@dataclass(frozen=True)
class TableRow:
    """A data set: where its tasks come from, its hyper-parameters, and what was printed for each method."""

    dataset: str
    published: Mapping[str, Published]
    source: TaskSource | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    not_runnable: str | None = None
    stand_in: bool = False
    """Whether other data stand in for the paper's, which are not available: the opening comment says which."""
    cells: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Hyper-parameters of one method on this set, by method; they come last."""
    printed_as: str | None = None
    """The set's name in the transcribed values, where it is another."""
    setting: str | None = None
    metric: str | None = None
    shows: str | None = None
    """What of a record stands in the cells of this row, where it is not what the columns show."""
    n_splits: int | None = None
    """Over how many splits, where it is not as in the other rows."""
    alone: bool = False
    """Whether a fit takes so much memory that one process at a time runs them, after all others."""
    derived: Derived | None = None


@dataclass(frozen=True)
class PublishedFigure:
    """A published figure, drawn from the records: two of their figures against each other.

    ``x`` and ``y`` name fields or measures of the records. Where those are curves (lists) there is one panel per data
    set and one line per method; where they are numbers, one panel whose lines go from data set to data set.
    """

    title: str
    x: str
    y: str
    x_label: str = ""
    y_label: str = ""
    x_scale: Literal["linear", "log"] = "linear"
    y_scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True)
class Table:
    """One published table; ``csv`` names the file of transcribed values it was copied from, if it has numbers."""

    name: str
    title: str
    paper: str
    metric: str
    n_splits: int
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    n_published: int | None = None
    """Over how many splits the published values are means, where ours are not over as many."""
    csv: str | None = None
    variant_of: str | None = None
    """The table that this one measures otherwise, to show what a difference comes from; its cells are not counted."""
    figures: tuple[PublishedFigure, ...] = ()
    remarks: str = ""
    """How the cells are measured and where that departs from the paper: the comment that opens the file."""

    def splits_of(self, row: TableRow) -> int:
        """Over how many splits the cells of a row are means."""
        return row.n_splits or self.n_splits

    @cached_property
    def declarations(self) -> Mapping[tuple[str, str, str], str]:
        """A checksum of the declaration of every cell: its data, estimator, parameters and protocol."""
        return {
            (self.name, row.dataset, column.method): _checksum(row, column)
            for row in self.rows
            for column in self.columns
        }

    @classmethod
    def load(cls, name: str) -> Table:
        """The table of that name among those the package carries."""
        if name not in list_tables():
            raise ValueError(f"There is no table {name!r}: the tables are {', '.join(list_tables())}.")
        return cls.parse(name, _folder().joinpath(f"{name}.toml").read_text(encoding="utf-8"))

    @classmethod
    def read(cls, path: str | Path) -> Table:
        """The table of a file of your own."""
        return cls.parse(Path(path).stem, Path(path).read_text(encoding="utf-8"))

    @classmethod
    def parse(cls, name: str, text: str) -> Table:
        """The table a TOML text declares."""
        try:
            content = tomllib.loads(text)
            columns = tuple(_column(entry) for entry in content.pop("columns"))
            rows = tuple(_row(entry) for entry in content.pop("rows"))
            figures = tuple(PublishedFigure(**entry) for entry in content.pop("figures", []))
            table = cls(name=name, columns=columns, rows=rows, figures=figures, remarks=_opening(text), **content)
        except KeyError as error:
            raise ValueError(f"The table file {name} lacks the entry {error}.") from error
        except TypeError as error:
            raise ValueError(f"The table file {name} has an entry no table knows: {error}.") from error
        except ValueError as error:
            raise ValueError(f"The table file {name} cannot be read: {error}") from error
        methods = [column.method for column in columns]
        for row in rows:
            if unknown := [method for method in row.published if method not in methods]:
                raise ValueError(
                    f"The table file {name} has a value of {unknown[0]} for {row.dataset} but no such column."
                )
        return table


def list_tables() -> list[str]:
    """The names of all tables the package carries, table 2 before table 10."""
    names = [entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml")]
    return sorted(names, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)])


def _folder() -> Traversable:
    return package_files(__package__).joinpath("tables")


def declarations_of(tables: Iterable[Table]) -> dict[tuple[str, str, str], str]:
    """The checksums of the cells of several tables."""
    return {cell: checksum for table in tables for cell, checksum in table.declarations.items()}


def _checksum(row: TableRow, column: TableColumn) -> str:
    parameters = {**column.parameters, **row.parameters, **row.cells.get(column.method, {})}
    parts = (column.estimator, sorted(parameters.items()), column.true_ratio, column.protocol, row.source)
    return sha256(repr([_declared(part) for part in parts]).encode()).hexdigest()[:12]


def _declared(thing: Any) -> Any:
    """A data class by its name and whatever is not as by default: fields to come leave the checksum as it is."""
    if not is_dataclass(thing) or isinstance(thing, type):
        return thing
    defaults = {
        one.name: one.default_factory() if callable(one.default_factory) else one.default for one in fields(thing)
    }
    values = {name: getattr(thing, name) for name in defaults}
    return type(thing).__name__, [(name, _declared(value)) for name, value in values.items() if value != defaults[name]]


def _opening(text: str) -> str:
    """The comment a file opens with, as one paragraph."""
    opening = takewhile(lambda line: line.startswith("#"), text.lstrip().splitlines())
    return " ".join(" ".join(line.lstrip("#") for line in opening).split())


def _column(entry: dict[str, Any]) -> TableColumn:
    protocol, derived = take_protocol(entry), _derived(entry)
    return TableColumn(protocol=protocol, derived=derived, **entry)


def _row(entry: dict[str, Any]) -> TableRow:
    published = {method: _published(value) for method, value in entry.pop("published").items()}
    source, derived = source_of(entry.pop("data")) if "data" in entry else None, _derived(entry)
    return TableRow(published=published, source=source, derived=derived, **entry)


def _derived(entry: dict[str, Any]) -> Derived | None:
    return Derived(**entry.pop("derived")) if "derived" in entry else None


def _published(value: float | dict[str, float]) -> Published:
    return Published(**value) if isinstance(value, dict) else Published(value)
