"""The report as one HTML page that needs nothing else: light and dark, signs besides colors, figures inline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from semisvm_papers.agreement import Cell, Verdict
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

_STYLE = """
:root { color-scheme: light dark; --text: #1d232b; --page: #fff; --line: #ccd3da; --soft: #5c6873;
  --agrees: #d9f0df; --differs: #fbdcd5; --few: #fdf1cf; --none: #eef0f2; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ec; --page: #14181d; --line: #3a434d; --soft: #9aa6b2;
  --agrees: #1c4429; --differs: #5a2620; --few: #4a3d12; --none: #23292f; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0 auto;
  max-width: 1200px; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; margin: .6rem 0; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; white-space: nowrap; }
td.number { text-align: right; } td.reason { white-space: normal; }
td small { color: var(--soft); display: block; font-size: 12px; }
td.agrees { background: var(--agrees); } td.differs { background: var(--differs); }
td.few { background: var(--few); } td.none { background: var(--none); color: var(--soft); }
.remarks { color: var(--soft); font-size: 13px; max-width: 900px; }
ul { margin: .4rem 0; padding-left: 1.3rem; } figure { margin: .8rem 0; } figure svg { max-width: 100%; height: auto;
  background: #fff; }
footer { margin-top: 2rem; font-weight: 600; }
"""
_CLASSES = {
    Verdict.AGREES: "agrees",
    Verdict.DIFFERS: "differs",
    Verdict.FEW_SPLITS: "few",
    Verdict.FAILED: "differs",
    Verdict.NOT_RUN: "none",
    Verdict.NOT_RUNNABLE: "none",
    Verdict.SHOWN: "shown",
}


def html(report: PapersReport, figures: Mapping[str, Sequence[str]]) -> str:
    """The whole page; ``figures`` holds the drawings (SVG) of each table."""
    signs = " ".join(
        f'<span title="{escape(verdict.value)}">{sign} {escape(verdict.value)};</span>'
        for verdict, sign in SIGNS.items()
        if sign
    )
    body = [
        "<h1>Published tables, ours beside theirs</h1>",
        *(f"<p>{escape(sentence)}</p>" for sentence in report.origin),
        f"<p>{escape(RULE)}</p>",
        f"<p>Signs: {signs} {escape(KENDALL)}</p>",
        _summary(SUMMARY_HEADER, summary_lines(report)),
        f"<p>{escape(report.agreement)}</p>",
        f"<p>{escape(report.completeness)}</p>",
        "<h2>What agreement is worth</h2>",
        f"<p>{escape(JUDGEMENT)}</p>",
        _summary(JUDGEMENT_HEADER, judgement_lines(report)),
        *(f"<p>{escape(sentence)}</p>" for sentence in (report.strictness, report.causes, *report.without_power)),
        "<h2>Which code made the records</h2>",
        *(f"<p>{escape(sentence)}</p>" for sentence in (CODE, report.confirmed)),
        _summary(CODE_HEADER, code_lines(report)),
    ]
    if report.claims:
        body += ["<h2>What the papers say</h2>", f"<p>{escape(STATEMENTS)}</p>", f"<p>{escape(report.statements)}</p>"]
        body.append(_statements(report))
    for one in report.tables:
        body += _section(one, report, figures.get(one.table.name, ()))
    if report.not_runnable:
        body += ["<h2>What is not measured</h2>", _not_runnable(report)]
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Published tables, ours beside theirs</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join(body) + f"\n<footer>{escape(report.last_line)}</footer>\n</body>\n</html>\n"


def _summary(header: Sequence[str], tables: Sequence[tuple[str, Sequence[str]]]) -> str:
    lines = [
        f'<tr><th scope="row"><a href="#{escape(name)}">{escape(name)}</a></th>'
        + "".join(f'<td class="number">{number}</td>' for number in numbers)
        + "</tr>"
        for name, numbers in tables
    ]
    return _table(header, lines)


def _section(one: TableReport, report: PapersReport, figures: Sequence[str]) -> list[str]:
    name = escape(one.table.name)
    parts = [f'<h2 id="{name}">{name}</h2>', f"<p>{escape(one.table.title)} ({escape(one.table.paper)})</p>"]
    if one.table.remarks:
        parts.append(f'<p class="remarks">{escape(one.table.remarks)}</p>')
    methods, rows = grid(one)
    if rows:
        lines = [
            f'<tr><th scope="row">{escape(dataset)}</th>' + "".join(map(_cell, cells)) + "</tr>"
            for dataset, cells in rows
        ]
        parts.append(_table(("", *methods), lines))
    reasons = [(f"Differ: {what}", why) for what, why in differing(one, report)] + without_figure(one)
    if reasons:
        parts.append("<ul>" + "".join(f"<li>{escape(what)}: {escape(why)}</li>" for what, why in reasons) + "</ul>")
    return parts + [f"<figure>{drawing}</figure>" for drawing in figures]


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    theirs = theirs_text(cell.published)
    said = f"{SIGNS[cell.verdict]} {ours_text(cell)}".strip()
    below = f"<small>{escape(theirs)}</small>" if theirs else ""
    return f'<td class="{_CLASSES[cell.verdict]}" title="{escape(cell.verdict.value)}">{escape(said)}{below}</td>'


def _statements(report: PapersReport) -> str:
    lines = [
        "<tr>" + "".join(f'<td class="reason">{escape(text)}</td>' for text in (name, *texts)) + "</tr>"
        for name, texts in statement_lines(report)
    ]
    return _table(STATEMENTS_HEADER, lines)


def _not_runnable(report: PapersReport) -> str:
    lines = [
        f'<tr><td>{escape(entry.what)}</td><td class="number">{entry.values}</td><td>{entry.kind}</td>'
        f'<td class="reason">{escape(entry.reason)}</td></tr>'
        for entry in report.not_runnable
    ]
    return _table(("published", "values", "", "reason"), lines)


def _table(header: Sequence[str], lines: Sequence[str]) -> str:
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    return f'<div class="scroll"><table><thead><tr>{names}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
