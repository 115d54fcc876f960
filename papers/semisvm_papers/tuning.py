"""The parameters of a cell that give the least mean error over the splits: how papers tune on the test set."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean, stdev
from typing import Any

from semisvm_papers.jobs import pending_jobs
from semisvm_papers.records import Record
from semisvm_papers.table import Table


@dataclass(frozen=True)
class Tried:
    """What a point of a grid gave, split by split."""

    point: str
    errors_pct: tuple[float, ...]

    @property
    def mean(self) -> float:
        return fmean(self.errors_pct)

    @property
    def std(self) -> float | None:
        return stdev(self.errors_pct) if len(self.errors_pct) > 1 else None


def read_grid(text: str) -> Mapping[str, Sequence[Any]]:
    """The grid that a text declares as table files do: ``{ sigma = [5, 10], C = [1, 10] }``."""
    try:
        grid = tomllib.loads(f"grid = {text}")["grid"]
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"The grid {text!r} cannot be read ({error}): write it as {{ C = [1, 10] }}.") from error
    if (
        not isinstance(grid, dict)
        or not grid
        or not all(isinstance(values, list) and values for values in grid.values())
    ):
        raise ValueError(f"The grid {text!r} names no lists of values: write it as {{ C = [1, 10] }}.")
    return grid


def tuning_table(table: Table, dataset: str, method: str, grid: Mapping[str, Sequence[Any]]) -> Table:
    """A table of one row, with a column for every point of the grid in place of the method."""
    job = next(iter(pending_jobs(table, splits=1, datasets=[dataset], methods=[method])), None)
    if job is None:
        raise ValueError(f"{method} on {dataset} is not run in {table.name}: `semisvm papers run` says why.")
    points = {
        _described(point): point for point in (dict(zip(grid, one, strict=True)) for one in product(*grid.values()))
    }
    fixed = job.row.cells.get(job.column.method, {})
    row = replace(job.row, published={}, cells={name: {**fixed, **point} for name, point in points.items()})
    columns = tuple(replace(job.column, method=name) for name in points)
    return replace(table, name=f"{table.name}-tuning", csv=None, figures=(), rows=(row,), columns=columns)


def best_first(records: Iterable[Record]) -> list[Tried]:
    """The points by their mean error over the splits that all of them have."""
    errors: dict[str, dict[int, float]] = defaultdict(dict)
    for record in records:
        if record.error_pct is not None:
            errors[record.method][record.split] = record.error_pct
    common = sorted(set.intersection(*(set(one) for one in errors.values()))) if errors else []
    tried = [Tried(point, tuple(one[split] for split in common)) for point, one in errors.items() if common]
    return sorted(tried, key=lambda one: one.mean)


def _described(point: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())
