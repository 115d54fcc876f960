"""Figures of `benchmarks.shares` as tables of a page, and the bars they are held against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.shares import ALONE, METHODS, REPORTING, TUNING, ShareRun

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
WITHIN = 1.0
"""Points of error by which the default may exceed labels alone, in the mean over the tables for reporting."""
AT_MOST = 25.0
"""Mean error of graph methods on the digits."""
AFTER = ("S3VM()", "S3VM(threshold=share)", "gradient", "CCCP", "CCCP, threshold=share", "Laplacian", "graph hybrid")
"""What is held against the cut at zero of the same method, on the sets."""
LOSS, ROW_LOSS = 0.2, 2.0
"""Points by which the sets may get worse: in the mean, and on one row that also exceeds two paired standard errors."""


def with_figures(page: str, runs: Sequence[ShareRun]) -> str:
    """The page with today's figures between its two marks."""
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{figures(runs)}\n\n{END}{rest.partition(END)[2]}"


def figures(runs: Sequence[ShareRun]) -> str:
    sections = [_estimates(runs), _digits(runs), *(_tables(runs, *role) for role in ROLES), _sets(runs), _bars(runs)]
    return "\n\n".join(section for section in sections if section)


ROLES = (("Tables for reporting", REPORTING), ("Tables for tuning", TUNING))


def mean_of(runs: Sequence[ShareRun], field: str) -> float:
    """Mean over the sets of the mean over their draws."""
    sets = {(run.data, run.labels) for run in runs}
    each = [[getattr(run, field) for run in runs if (run.data, run.labels) == one] for one in sets]
    return float(np.mean([np.mean(one) for one in each])) if each else float("nan")


def _error_and_f1(runs: Sequence[ShareRun]) -> str:
    return f"{mean_of(runs, 'error'):.1f} / {mean_of(runs, 'rare_f1'):.0f}" if runs else "-"


def _methods(runs: Sequence[ShareRun]) -> list[str]:
    """In the order of the benchmark, others as they come."""
    found = dict.fromkeys(run.method for run in runs)
    return [name for name in METHODS if name in found] + [name for name in found if name not in METHODS]


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _draws(runs: Sequence[ShareRun]) -> str:
    """The fewest and the most that a method has on one set."""
    draws: dict[tuple[str, int, str], set[int]] = {}
    for run in runs:
        draws.setdefault((run.data, run.labels, run.method), set()).add(run.draw)
    least, most = (end(map(len, draws.values())) for end in (min, max))
    return f"{most} draws" if least == most else f"{least} to {most} draws"


def _estimates(runs: Sequence[ShareRun]) -> str:
    chosen = [run for run in runs if run.part == "shares"]
    if not chosen:
        return ""
    lines = []
    for title, names in ROLES:
        for size in sorted({run.labels for run in chosen}):
            part = [run for run in chosen if run.data in names and run.labels == size]
            if part:
                figures_ = [
                    f"{mean_of([r for r in part if r.method == name], 'error'):.1f}" for name in _methods(chosen)
                ]
                lines.append([f"{title}, {size} labels ({_draws(part)})", *figures_])
    return "### Errors of the estimated shares, in points\n\n" + _table(["", *_methods(chosen)], lines)


def _digits(runs: Sequence[ShareRun]) -> str:
    chosen = [run for run in runs if run.part == "digits"]
    if not chosen:
        return ""
    data = sorted({run.data for run in chosen})
    lines = []
    for method in _methods(chosen):
        own = [run for run in chosen if run.method == method]
        cells = [f"{mean_of([run for run in own if run.data == one], 'error'):.1f}" for one in data]
        lines.append([method, *cells, f"**{mean_of(own, 'error'):.1f}**"])
    head = ["labels of 8 : of 3", *(one.partition(", ")[2] for one in data), "mean"]
    return f"### MNIST 3 against 8, 2,000 rows, 10 labels: error in percent ({_draws(chosen)})\n\n{_table(head, lines)}"


def _tables(runs: Sequence[ShareRun], title: str, names: Sequence[str]) -> str:
    parts = []
    for size in sorted({run.labels for run in runs if run.part == "tables"}):
        chosen = [run for run in runs if run.part == "tables" and run.data in names and run.labels == size]
        if not chosen:
            continue
        lines = []
        for method in _methods(chosen):
            own = [run for run in chosen if run.method == method]
            each = [[run for run in own if run.data == name] for name in names]
            lines.append([method, *map(_error_and_f1, each), f"**{_error_and_f1(own)}**"])
        parts.append(
            f"### {title}, {size} labels: error / F1 of the rarest class, in percent ({_draws(chosen)})\n\n"
            + _table(["", *names, "mean"], lines)
        )
    return "\n\n".join(parts)


def _sets(runs: Sequence[ShareRun]) -> str:
    chosen = [run for run in runs if run.part == "sets"]
    if not chosen:
        return ""
    methods = _methods(chosen)
    lines = [
        [name, *(_error_and_f1([r for r in chosen if r.data == name and r.method == m]) for m in methods)]
        for name in dict.fromkeys(run.data for run in chosen)
    ]
    lines.append(["**mean**", *(f"**{_error_and_f1([r for r in chosen if r.method == m])}**" for m in methods)])
    head = f"### Two-class rows of the default's page: error / F1 of the rarest class, in percent ({_draws(chosen)})"
    return f"{head}\n\n{_table(['', *methods], lines)}"


# ---------------------------------------------------------------- bars


def _bars(runs: Sequence[ShareRun]) -> str:
    lines = [*_bars_of_tables(runs), *_bars_of_digits(runs), *_bars_of_sets(runs)]
    return "### Bars\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def _reached(met: bool) -> str:
    return "reached" if met else "**not reached**"


def _bars_of_tables(runs: Sequence[ShareRun]) -> list[str]:
    chosen = [run for run in runs if run.part == "tables" and run.data in REPORTING]
    lines = []
    for method in ("S3VM()", "S3VM(threshold=share)"):
        own, alone = ([run for run in chosen if run.method == name] for name in (method, ALONE))
        if not own or not alone:
            continue
        keys = {run.key[:4] for run in own} & {run.key[:4] for run in alone}
        own, alone = ([run for run in part if run.key[:4] in keys] for part in (own, alone))
        loss = mean_of(own, "error") - mean_of(alone, "error")
        gain = mean_of(own, "rare_f1") - mean_of(alone, "rare_f1")
        lines.append(f"`{method}` on the tables for reporting ({_draws(own)}), error against labels alone: {loss:+.1f} "
                     f"points, at most {WITHIN:+.0f} is wanted: {_reached(loss <= WITHIN)}; not above it is wanted in "
                     f"the end: {_reached(round(loss, 1) <= 0)}.")  # fmt: skip
        lines.append(f"F1 of the rarest class against labels alone: {gain:+.1f} points, not below is wanted: "
                     f"{_reached(gain >= 0)}.")  # fmt: skip
    return lines


def _bars_of_digits(runs: Sequence[ShareRun]) -> list[str]:
    lines = []
    for method in ("Laplacian", "graph hybrid"):
        own = [run for run in runs if run.part == "digits" and run.method == method]
        before = [run for run in runs if run.part == "digits" and run.method == f"{method}, zero"]
        if own and before:
            error = mean_of(own, "error")
            lines.append(f"{method} on the digits: {error:.1f} %, before {mean_of(before, 'error'):.1f}; at most "
                         f"{AT_MOST:.0f} is wanted: {_reached(error <= AT_MOST)}.")  # fmt: skip
    return lines


def _bars_of_sets(runs: Sequence[ShareRun]) -> list[str]:
    lines = []
    for after in AFTER:
        before = f"{after.partition(', ')[0].replace('threshold=share', '')}, zero"
        changes: dict[str, list[float]] = {}
        known = {run.key: run for run in runs if run.part == "sets"}
        for key, run in known.items():
            other = known.get((*key[:4], before))
            if run.method == after and other is not None:
                changes.setdefault(run.data, []).append(run.error - other.error)
        if not changes:
            continue
        mean = float(np.mean([np.mean(one) for one in changes.values()]))
        worse = [f"{name} {np.mean(one):+.1f}" for name, one in changes.items() if _clearly_worse(one)]
        lines.append(f"{after} against {before} on the rows of the default's page: {mean:+.1f} points in the mean, at "
                     f"most {LOSS:+.1f} is wanted; clearly worse: {', '.join(worse) or 'none'}: "
                     f"{_reached(mean <= LOSS and not worse)}.")  # fmt: skip
    return lines


def _clearly_worse(changes: Sequence[float]) -> bool:
    """By more than two points and two paired standard errors."""
    mean = float(np.mean(changes))
    error = float(np.std(changes, ddof=1) / np.sqrt(len(changes))) if len(changes) > 1 else 0.0
    return mean > max(ROW_LOSS, 2 * error)
