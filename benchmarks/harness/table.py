"""The one table at the end: ours, the bar, whether it is met, the error, and what other programs need."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.harness.figure import Figure

HEADER = ("task", "method", "ours", "bar", "met", "error %", "peers, stored")


def ratio(figure: Figure) -> str:
    spread = "" if figure.low == figure.high else f" ({figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.value:.2f}{spread} {figure.unit}"


def bar(figure: Figure) -> str:
    if figure.bar is None:
        return ""
    return f"{'>=' if figure.at_least else '<='} {figure.bar:g}"


def met(figure: Figure) -> str:
    words = {True: "yes", False: "no", None: ""}
    if figure.error_met is False:
        return f"{words[figure.met]}, error no"
    return words[figure.met]


def error(figure: Figure) -> str:
    if figure.error is None:
        return ""
    return f"{figure.error:.2f} +- {figure.error_spread or 0.0:.2f}"


def cells(figure: Figure) -> tuple[str, ...]:
    method = figure.method if figure.threads == 1 else f"{figure.method}, {figure.threads} threads"
    return figure.task, method, ratio(figure), bar(figure), met(figure), error(figure), figure.peers


def plain(figures: Iterable[Figure]) -> str:
    rows = [HEADER, *(cells(figure) for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def markdown(figures: Iterable[Figure]) -> str:
    lines = [HEADER, ("---",) * len(HEADER), *(cells(figure) for figure in figures)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def summary(figures: list[Figure]) -> str:
    judged = [figure for figure in figures if figure.met is not None]
    compared = [figure for figure in figures if figure.error_met is not None]
    bars, errors = sum(bool(figure.met) for figure in judged), sum(bool(figure.error_met) for figure in compared)
    return (
        f"{bars} of {len(judged)} bars met; {errors} of {len(compared)} errors within half a point of the best program "
        "running the same method"
    )
