"""Words that both pages of the report use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from semisvm_papers.agreement import Cell, Verdict
from semisvm_papers.claims import REASONS, Judged
from semisvm_papers.confirming import CodeState, count_states
from semisvm_papers.report import PapersReport, TableReport
from semisvm_papers.table import Published

SIGNS = {
    Verdict.AGREES: "✓",
    Verdict.DIFFERS: "✗",
    Verdict.FEW_SPLITS: "…",
    Verdict.FAILED: "!",
    Verdict.NOT_RUN: "–",
    Verdict.NOT_RUNNABLE: "∅",
    Verdict.SHOWN: "",
}
RULE = (
    "Ours is the mean over the splits ± their standard deviation, the number of splits in brackets; theirs stands "
    "below, or behind the stroke. With at least 10 splits a cell agrees if the two are no further apart than the "
    "largest of one point, a tenth of the published error, and two standard errors of the difference where the paper "
    "prints a deviation; accuracies are judged by the errors they leave. Times, iterations and ranks are shown and not "
    "judged."
)
KENDALL = "Kendall is the rank correlation of our order of the methods with the published one, the mean over data sets."

JUDGEMENT = (
    "Strict counts the cells within one published standard deviation, or within one point where none is printed. "
    "Distinct counts measurements: the same data, method, parameters and protocol are measured once. Others agree is "
    "how often the figure published for another method in the same row would have agreed with ours, and others strict "
    "how often by the strict rule: above 50 % the rule does not tell methods apart, has no power, and the table is not "
    "counted. Above and below count the distinct measurements whose error is above or below the published one; the "
    "sign test is the two-sided level at which they differ. Cells of a table share splits, so the level is too small "
    "rather than too large."
)


def figure_text(value: float) -> str:
    """About four digits: 0.0123, 6.34, 23.1, 1204."""
    if value == 0 or not abs(value) < 1e15:
        return f"{value:g}"
    size = abs(value)
    if size >= 10:
        return f"{value:.0f}" if size >= 1000 else f"{value:.1f}"
    return f"{value:.2f}" if size >= 1 else f"{value:.3g}"


def ours_text(cell: Cell) -> str:
    """6.3 ± 1.1 (10), or why there is nothing."""
    if cell.mean is None:
        return cell.verdict.value if cell.verdict is not Verdict.SHOWN else cell.reason or ""
    spread = "" if cell.std is None else f" ± {figure_text(cell.std)}"
    failed = f", {cell.n_failed} failed" if cell.n_failed else ""
    return f"{figure_text(cell.mean)}{spread} ({len(cell.ours)}{failed})"


def theirs_text(published: Published | None) -> str:
    if published is None:
        return ""
    return f"{published.mean:g}" + ("" if published.std is None else f" ± {published.std:g}")


def grid(one: TableReport) -> tuple[list[str], list[tuple[str, list[Cell | None]]]]:
    """The methods with any cell, and for each data set its cells under them."""
    known = {(cell.dataset, cell.method): cell for cell in one.cells}
    methods = [c.method for c in one.table.columns if any(cell.method == c.method for cell in one.cells)]
    datasets = [r.dataset for r in one.table.rows if any(cell.dataset == r.dataset for cell in one.cells)]
    return methods, [(dataset, [known.get((dataset, method)) for method in methods]) for dataset in datasets]


def differing(one: TableReport, report: PapersReport) -> list[tuple[str, str]]:
    """(what differs, why), the cells of one reason together."""
    reasons: dict[str, list[Cell]] = {}
    for cell in one.cells:
        if cell.verdict is Verdict.DIFFERS:
            reasons.setdefault(report.sentence(cell), []).append(cell)
    return [(_named(cells), reason) for reason, cells in reasons.items()]


def without_figure(one: TableReport) -> list[tuple[str, str]]:
    """(which cells have failed or cannot be run, why), the cells of one reason together."""
    reasons: dict[str, list[Cell]] = {}
    for cell in one.cells:
        if cell.verdict in (Verdict.FAILED, Verdict.NOT_RUNNABLE):
            reasons.setdefault(f"{cell.verdict.value}: {cell.reason}", []).append(cell)
    return [(_named(cells), reason) for reason, cells in reasons.items()]


def _named(cells: Iterable[Cell]) -> str:
    """Data sets with their methods: g50c (SVM, LDS), Text (SVM)."""
    methods: dict[str, list[str]] = {}
    for cell in cells:
        methods.setdefault(cell.dataset, []).append(cell.method)
    return ", ".join(f"{dataset} ({', '.join(names)})" for dataset, names in methods.items())


SUMMARY_HEADER = ("table", "agree", "differ", "not enough splits", "failed", "not run", "not runnable", "Kendall")


def summary_lines(report: PapersReport) -> list[tuple[str, Sequence[str]]]:
    """For each table its name and what stands in the summary."""
    lines: list[tuple[str, Sequence[str]]] = []
    for one in report.tables:
        counts, kendall = one.counts, one.correlation
        judged = (Verdict.AGREES, Verdict.DIFFERS, Verdict.FEW_SPLITS, Verdict.FAILED, Verdict.NOT_RUN)
        numbers = [str(counts[verdict]) for verdict in (*judged, Verdict.NOT_RUNNABLE)]
        lines.append((one.table.name, [*numbers, "" if kendall is None else f"{kendall:.2f}"]))
    return lines


JUDGEMENT_HEADER = (
    "table", "judged", "agree", "strict", "distinct", "others agree", "others strict", "above", "below", "sign test",
)  # fmt: skip


def judgement_lines(report: PapersReport) -> list[tuple[str, Sequence[str]]]:
    """For each table with judged cells its name and its judgement."""
    lines: list[tuple[str, Sequence[str]]] = []
    for one in report.tables:
        j = one.judgement
        if j.n_judged:
            numbers = [str(n) for n in (j.n_judged, j.n_agree, j.n_strict, len(j.measurements))]
            others = [_others(j.others_agree, j.has_power), _others(j.others_strict, j.strict_has_power)]
            level = "" if j.sign_level is None else f"{j.sign_level:.2g}"
            lines.append((one.table.name, [*numbers, *others, str(j.n_above), str(j.n_below), level]))
    return lines


def _others(share: float | None, has_power: bool) -> str:
    if share is None:
        return "not known"
    return f"{100 * share:.0f} %" + ("" if has_power else ", no power")


CODE = (
    "A record holds a fingerprint of the code that computed it: a checksum of the modules of its method, protocol and "
    "data, and of all modules that they import. Where that is not today's, `semisvm papers confirm` runs one split of "
    "the cell again: figures that are equal within 1e-6 confirm it, and otherwise all its splits are run again."
)
CODE_HEADER = ("table", *(state.value for state in CodeState))


def code_lines(report: PapersReport) -> list[tuple[str, Sequence[str]]]:
    """For each table with records how many cells there are of each state."""
    lines: list[tuple[str, Sequence[str]]] = []
    for one in report.tables:
        if one.states:
            lines.append((one.table.name, [str(number) for number in count_states(one.states).values()]))
    return lines


STATEMENTS = (
    "Numbers that the papers state, in our words. Errors hold within one published standard deviation, or within one "
    "point where none is printed; factors of time if ours is at least half of them, since programs and computers "
    "differ; powers within one half, or no more than one half above where they are bounds; counts of rows as shares of "
    "the rows that are run here. What a paper says of how its experiments were set up is followed or not by our runs: "
    "that is no result, and is counted apart. Not judged: "
    + "; ".join(f"{name} ({meaning})" for name, meaning in REASONS.items())
    + "."
)
STATEMENTS_HEADER = ("", "statement", "printed", "verdict", "ours, or the reason")


def statement_lines(report: PapersReport) -> list[tuple[str, Sequence[str]]]:
    """For each statement its number and what stands beside it; those with a verdict first, paper by paper."""
    order = sorted(report.claims, key=lambda one: one.verdict is Judged.NOT_JUDGED)
    return [
        (one.claim.id, (one.claim.says, one.claim.printed, one.verdict.value, one.ours or one.reason or ""))
        for one in order
    ]
