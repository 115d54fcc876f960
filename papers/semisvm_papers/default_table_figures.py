"""Records of `make default-table` as text and as tables of a page: errors, balanced errors, F1 of the rarest class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from semisvm_papers.records import Record

if TYPE_CHECKING:
    from semisvm_papers.default_table import Row

TABLE = "default-table"
SUPERVISED = "SVC"
OURS = "S3VM()"
ALL_LABELS = "SVC, all labels"
"""One supervised fit with every label known: the unit of time."""
BALANCED, RAREST = "balanced_error_pct", "rarest_f1_pct"
EXPECTED, HELPED = "expected_error_pct", "said_to_have_helped"
"""Measures of a record: the mean of the errors on every class, and F1 of the class with the fewest rows."""


@dataclass(frozen=True)
class MethodScore:
    error: float
    seconds: float
    splits: int
    balanced_error: float | None = None
    """None where it was not recorded on all splits."""
    rarest_f1: float | None = None


def cells(records: Sequence[Record], names: Sequence[str]) -> dict[tuple[str, str], MethodScore]:
    """Means of (data set, method) over the splits on which all of these methods were measured that were at all.

    Cells with a failure are left out.
    """
    groups: dict[tuple[str, str], dict[int, Record]] = {}
    for record in records:
        if record.method in names:
            groups.setdefault((record.dataset, record.method), {})[record.split] = record
    shared: dict[str, set[int]] = {}
    for (dataset, _), group in groups.items():
        shared[dataset] = shared.get(dataset, set(group)) & set(group)
    table = {}
    for (dataset, method), group in groups.items():
        chosen = [group[split] for split in shared[dataset]]
        error = _mean(chosen, "error_pct")
        if error is not None:
            seconds = float(np.mean([r.seconds for r in chosen]))
            of_classes = _mean(chosen, BALANCED), _mean(chosen, RAREST)
            table[dataset, method] = MethodScore(error, seconds, len(chosen), *of_classes)
    return table


def _mean(records: Sequence[Record], figure: str) -> float | None:
    """None where a record lacks the figure."""
    figures = [record.figure(figure) for record in records]
    return None if not figures or any(one is None for one in figures) else float(np.mean(figures))  # type: ignore[arg-type]


# ---------------------------------------------------------------- as text


def show(records: Sequence[Record], rows: Sequence[Row], names: Sequence[str]) -> str:
    if not {OURS, SUPERVISED} <= set(names):
        return f"{OURS} and {SUPERVISED} are needed among the methods for a comparison."
    table = cells(records, names)
    lines: list[str] = []
    for title, chosen in (
        ("Sets the policy was tuned on", [row for row in rows if row.tuning]),
        ("Sets for reporting", [row for row in rows if not row.tuning]),
    ):
        measured = [row.name for row in chosen if (row.name, OURS) in table and (row.name, SUPERVISED) in table]
        if measured:
            lines += [title, *_section(table, measured, [name for name in names if name != ALL_LABELS]), ""]
            lines += _by_class(table, measured, names)
    return "\n".join(lines)


def _section(table: dict[tuple[str, str], MethodScore], rows: list[str], names: list[str]) -> list[str]:
    errors = np.array([[table[row, n].error if (row, n) in table else np.nan for n in names] for row in rows])
    wide = max(map(len, rows)) + 2

    def beside(texts: Iterable[str]) -> str:
        return " ".join(f"{text:>{max(6, len(name))}}" for text, name in zip(texts, names, strict=True))

    lines = [" " * wide + "splits " + beside(names) + "  times SVC"]
    for row, line in zip(rows, errors, strict=True):
        unit = table.get((row, ALL_LABELS))
        times = f"{table[row, OURS].seconds / max(unit.seconds, 1e-9):9.0f}x" if unit else ""
        begin = f"{row:<{wide}}{table[row, OURS].splits:6d} "
        lines.append(begin + beside("-" if np.isnan(e) else f"{e:.1f}" for e in line) + times)
    # equals share a rank; a method without a figure ranks last
    ranks = rankdata(np.nan_to_num(errors, nan=np.inf), axis=1)
    base = errors[:, names.index(SUPERVISED)]
    summary = {
        "mean error": np.nanmean(errors, axis=0),
        "mean rank": ranks.mean(axis=0),
        "worst loss": np.nanmax(errors - base[:, None], axis=0),
    }
    for title, figures in summary.items():
        lines.append(f"{title:<{wide + 7}}" + beside(f"{figure:.1f}" for figure in figures))
    seconds = [np.mean([table[row, n].seconds for row in rows if (row, n) in table] or [np.nan]) for n in names]
    lines.append(f"{'seconds':<{wide + 7}}" + beside(f"{s:.2f}" for s in seconds))
    ours = errors[:, names.index(OURS)]
    lines.append(f"mean error of {OURS} over that of {SUPERVISED}: {ours.mean() / base.mean():.2f}")
    worse = [f"{row} {o - b:+.1f}" for row, o, b in zip(rows, ours, base, strict=True) if o - b > 2]
    lines.append(f"worse than {SUPERVISED} by more than 2 points: {', '.join(worse) or 'no set'}")
    return lines


def _by_class(table: dict[tuple[str, str], MethodScore], rows: list[str], names: Sequence[str]) -> list[str]:
    """Balanced error and F1 of the rarest class; nothing where they were not recorded."""
    lines = of_classes(table, rows, names)
    if not lines:
        return []
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    begin = ["Balanced error / F1 of the rarest class"]
    return [*begin, *("  ".join(f"{text:<{n}}" for text, n in zip(line, wide, strict=True)) for line in lines), ""]


def of_classes(table: dict[tuple[str, str], MethodScore], rows: list[str], names: Sequence[str]) -> list[list[str]]:
    """A head, a line for each row and the means, of the methods and rows for which both measures were recorded."""

    def pair(row: str, name: str) -> tuple[float, float] | None:
        score = table.get((row, name))
        if score is None or score.balanced_error is None or score.rarest_f1 is None:
            return None
        return score.balanced_error, score.rarest_f1

    shown = [name for name in names if any(pair(row, name) for row in rows)]
    found = {row: [both for name in shown if (both := pair(row, name))] for row in rows}
    whole = {row: pairs for row, pairs in found.items() if pairs and len(pairs) == len(shown)}
    if OURS not in shown or not whole:
        return []
    means = np.mean(list(whole.values()), axis=0)
    return [
        ["set @labels", *shown],
        *([row, *(f"{balanced:.1f} / {f1:.0f}" for balanced, f1 in pairs)] for row, pairs in whole.items()),
        ["mean", *(f"{balanced:.1f} / {f1:.0f}" for balanced, f1 in means)],
    ]


# ---------------------------------------------------------------- as tables of a page


def markdown(records: Sequence[Record], rows: Sequence[Row], names: Sequence[str]) -> str:
    """Errors, and balanced errors with F1 of the rarest class where they were recorded; the sets for reporting."""
    table, shown = cells(records, names), [name for name in names if name != ALL_LABELS]
    chosen = [row.name for row in rows if not row.tuning and all((row.name, name) in table for name in shown)]
    lines = [f"| set @labels | splits | {' | '.join(shown)} | times |", "|---" * (len(shown) + 3) + "|"]
    for row in chosen:
        errors = " | ".join(f"{table[row, name].error:.1f}" for name in shown)
        unit = table.get((row, ALL_LABELS))
        times = f"{table[row, OURS].seconds / unit.seconds:.0f}" if unit else ""
        lines.append(f"| {row} | {table[row, OURS].splits} | {errors} | {times} |")
    head, *others = of_classes(table, chosen, shown) or [[]]
    if others:
        lines += ["", "Balanced error / F1 of the rarest class:", ""]
        lines += [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *others)]
    return "\n".join(lines)
