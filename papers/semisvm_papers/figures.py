"""The papers' figures, drawn again from the records: curves of one fit, or one point per data set."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm_papers.records import Record
from semisvm_papers.table import PublishedFigure, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PER_LINE = 3
_MARKERS = "osD^vPX*<>"


def drawings(table: Table, records: Sequence[Record]) -> Iterator[str]:
    """An SVG for every figure of a table that its records suffice for."""
    own = [record for record in records if record.table == table.name and record.failure is None]
    for number, figure in enumerate(table.figures):
        drawn = [one for one in own if one.figure(figure.x) is not None and one.figure(figure.y) is not None]
        if drawn:
            yield _drawn(figure, table, drawn, f"{table.name}-{number}")


def _drawn(figure: PublishedFigure, table: Table, records: list[Record], salt: str) -> str:
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    curves = isinstance(records[0].figure(figure.y), list)
    panels = [row.dataset for row in table.rows if any(one.dataset == row.dataset for one in records)]
    panels = panels if curves else [""]
    wide = min(_PER_LINE, len(panels))
    high = math.ceil(len(panels) / wide)
    # words stay words, and the same records give the same file
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt, "font.size": 9}):
        canvas = Canvas(figsize=(3.6 * wide + 0.6, 2.7 * high + 0.6), layout="constrained")
        axes = canvas.subplots(high, wide, squeeze=False).ravel()
        for panel, dataset in zip(axes, panels, strict=False):
            draw = _curves if curves else _points
            draw(panel, figure, table, [one for one in records if dataset in ("", one.dataset)])
            panel.set(title=dataset, xlabel=figure.x_label or figure.x, ylabel=figure.y_label or figure.y)
            panel.set(xscale=figure.x_scale, yscale=figure.y_scale)
        for panel in axes[len(panels) :]:
            panel.set_visible(False)
        axes[0].legend(fontsize=7)
        canvas.suptitle(fill(figure.title, 48 * wide), fontsize=10)
        file = io.StringIO()
        canvas.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    return text[text.index("<svg") :]


def _curves(panel: Axes, figure: PublishedFigure, table: Table, records: list[Record]) -> None:
    """One line per method: the mean over the splits where all have the same x, every split otherwise."""
    for place, method in enumerate(_methods(table, records)):
        lines = [_xy(one, figure) for one in records if one.method == method]
        style: dict[str, Any] = {"color": f"C{place % 10}", "linewidth": 1.2}
        if all(np.array_equal(x, lines[0][0]) for x, _ in lines):
            marker = _MARKERS[place % len(_MARKERS)] if len(lines[0][0]) < 20 else None
            panel.plot(lines[0][0], np.mean([y for _, y in lines], axis=0), label=method, marker=marker, ms=3, **style)
            continue
        for number, (x, y) in enumerate(lines):
            panel.plot(x, y, label=None if number else method, alpha=0.5, **style)


def _points(panel: Axes, figure: PublishedFigure, table: Table, records: list[Record]) -> None:
    """One line per method through its data sets, in the order of x: means over the splits.

    Where x changes from split to split (an angle that was drawn) every split is a point of its own.
    """
    for place, method in enumerate(_methods(table, records)):
        groups: dict[str, list[tuple[float, float]]] = {}
        for one in records:
            if one.method == method:
                x, y = _xy(one, figure)
                groups.setdefault(one.dataset, []).append((float(x[0]), float(y[0])))
        style: dict[str, Any] = {"label": method, "marker": _MARKERS[place % len(_MARKERS)], "color": f"C{place % 10}"}
        if any(np.ptp([x for x, _ in group]) > 0 for group in groups.values()):
            every = np.array([xy for group in groups.values() for xy in group])
            panel.scatter(every[:, 0], every[:, 1], s=9, **style)
            continue
        means = np.array(sorted(tuple(np.mean(group, axis=0)) for group in groups.values()))
        panel.plot(means[:, 0], means[:, 1], ms=4, **style)


def _methods(table: Table, records: list[Record]) -> list[str]:
    return [column.method for column in table.columns if any(one.method == column.method for one in records)]


def _xy(record: Record, figure: PublishedFigure) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.asarray(record.figure(figure.x), dtype=float), np.asarray(record.figure(figure.y), dtype=float)
    shared = min(x.size, y.size)
    return x.ravel()[:shared], y.ravel()[:shared]
