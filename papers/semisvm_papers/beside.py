"""Ours beside theirs, as plain text."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean, stdev

from semisvm_papers.derived import derived_records, shown_in
from semisvm_papers.jobs import Resolver, estimator_named
from semisvm_papers.records import Record, latest
from semisvm_papers.report_text import figure_text
from semisvm_papers.table import Published, Table, TableColumn, TableRow

_HEADER = ("data set", "method", "ours", "splits", "published", "difference")


def side_by_side(table: Table, records: Iterable[Record], resolve: Resolver = estimator_named) -> str:
    """One line per cell: our mean and standard deviation over splits, the published value, and the difference.

    A cell without a number says why: not available (semisvm has no such estimator yet), not runnable, failed,
    or not run.
    """
    known = latest(records)
    own = [record for record in known if record.table == table.name] + derived_records(table, known)
    lines: list[tuple[str, ...]] = [_HEADER]
    for row in table.rows:
        for column in table.columns:
            cell = [record for record in own if (record.dataset, record.method) == (row.dataset, column.method)]
            lines.append(_line(row, column, cell, resolve))
    widths = [max(len(line[place]) for line in lines) for place in range(len(_HEADER))]
    body = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([f"{table.name}: {table.title} ({table.paper})", "", *body, *_remarks(table, own)])


def _line(row: TableRow, column: TableColumn, cell: list[Record], resolve: Resolver) -> tuple[str, ...]:
    published = row.published.get(column.method)
    figures = [record.figure(shown_in(row, column)) for record in cell if record.failure is None]
    errors = [figure for figure in figures if isinstance(figure, float | int)]
    if not errors:
        why = _why_empty(row, column, cell, resolve)
        return (row.dataset, column.method, why, "", _printed(published), "")
    ours = figure_text(fmean(errors)) + (f" ± {figure_text(stdev(errors))}" if len(errors) > 1 else "")
    difference = "" if published is None else _signed(fmean(errors) - published.mean)
    return (row.dataset, column.method, ours, str(len(errors)), _printed(published), difference)


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + figure_text(value)


def _why_empty(row: TableRow, column: TableColumn, cell: list[Record], resolve: Resolver) -> str:
    if row.not_runnable or column.not_runnable:
        return "not runnable"
    if column.estimator is not None and resolve(column.estimator) is None:
        return "not available"
    return "failed" if cell else "not run"


def _printed(published: Published | None) -> str:
    if published is None:
        return ""
    return f"{published.mean:g}" if published.std is None else f"{published.mean:g} ± {published.std:g}"


def _remarks(table: Table, records: list[Record]) -> list[str]:
    reasons = [(row.dataset, row.not_runnable) for row in table.rows]
    reasons += [(column.method, column.not_runnable) for column in table.columns]
    remarks = [f"{name}: not runnable, {reason}." for name, reason in reasons if reason]
    failures: dict[tuple[str, str], str] = {}
    for record in records:
        if record.failure:
            failures.setdefault((record.dataset, record.method), record.failure)
    remarks += [f"{dataset}, {method}: failed, {failure}" for (dataset, method), failure in failures.items()]
    remarks += _certificates(records)
    return ["", *remarks] if remarks else []


def _certificates(records: list[Record]) -> list[str]:
    """One line per cell whose method bounds the optimum: how often it proved its answer, and the gaps that are left."""
    proofs: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if "certified" in record.measures:
            proofs.setdefault((record.dataset, record.method), []).append(record)
    lines = []
    for (dataset, method), cell in proofs.items():
        open_ones = [record for record in cell if not record.measures["certified"]]
        gaps = [
            f"split {record.split} lies between {record.measures['lower_bound']:.4g} and "
            f"{record.measures['upper_bound']:.4g}"
            for record in open_ones
        ]
        certified = "; ".join([f"optimum certified on {len(cell) - len(open_ones)} of {len(cell)} splits", *gaps])
        lines.append(f"{dataset}, {method}: {certified}")
    return lines
