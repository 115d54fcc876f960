"""The report as Markdown, with its figures in files beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from semisvm_papers.agreement import Cell
from semisvm_papers.report import PapersReport, TableReport
from semisvm_papers.report_text import (
    CODE,
    CODE_HEADER,
    JUDGEMENT,
    JUDGEMENT_HEADER,
    KENDALL,
    RULE,
    SIGNS,
    STATEMENTS,
    STATEMENTS_HEADER,
    SUMMARY_HEADER,
    code_lines,
    differing,
    grid,
    judgement_lines,
    ours_text,
    statement_lines,
    summary_lines,
    theirs_text,
    without_figure,
)


def markdown(report: PapersReport, figures: Mapping[str, Sequence[Path]]) -> str:
    """The whole page; ``figures`` names the drawings of each table, relative to the page."""
    signs = ", ".join(f"{sign} {verdict.value}" for verdict, sign in SIGNS.items() if sign)
    parts = ["# Published tables, ours beside theirs", *report.origin, RULE, f"Signs: {signs}. {KENDALL}"]
    summary = [(_link(name), *numbers) for name, numbers in summary_lines(report)]
    parts += [_table(SUMMARY_HEADER, summary), report.agreement, report.completeness]
    judgements = [(_link(name), *numbers) for name, numbers in judgement_lines(report)]
    parts += ["## What agreement is worth", JUDGEMENT, _table(JUDGEMENT_HEADER, judgements)]
    parts += [report.strictness, report.causes, *report.without_power]
    codes = [(_link(name), *numbers) for name, numbers in code_lines(report)]
    parts += ["## Which code made the records", CODE, report.confirmed, _table(CODE_HEADER, codes)]
    if report.claims:
        lines = [(name, *texts) for name, texts in statement_lines(report)]
        parts += ["## What the papers say", STATEMENTS, report.statements, _table(STATEMENTS_HEADER, lines)]
    for one in report.tables:
        parts += _section(one, report, figures.get(one.table.name, ()))
    if report.not_runnable:
        parts.append("## What is not measured")
        lines = [(entry.what, str(entry.values), entry.kind, entry.reason) for entry in report.not_runnable]
        parts.append(_table(("published", "values", "", "reason"), lines))
    return "\n\n".join([*parts, report.last_line]) + "\n"


def _link(name: str) -> str:
    """To the section of a table; addresses of headings have no dots."""
    return f"[{name}](#{name.replace('.', '')})"


def _section(one: TableReport, report: PapersReport, figures: Sequence[Path]) -> list[str]:
    parts = [f"## {one.table.name}", f"{one.table.title} ({one.table.paper})"]
    parts += [one.table.remarks] if one.table.remarks else []
    methods, rows = grid(one)
    if rows:
        parts.append(_table(("", *methods), [(dataset, *map(_cell, cells)) for dataset, cells in rows]))
    if reasons := differing(one, report):
        parts.append("\n".join(f"- Differ: {what}: {why}" for what, why in reasons))
    if reasons := without_figure(one):
        parts.append("\n".join(f"- {what}: {why}" for what, why in reasons))
    return parts + [f"![{one.table.title}]({path.as_posix()})" for path in figures]


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    theirs = theirs_text(cell.published)
    return f"{SIGNS[cell.verdict]} {ours_text(cell)}".strip() + (f" / {theirs}" if theirs else "")


def _table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in rows)
