"""Drawings of the page as SVG text: a map of rows, bars of counts, curves."""

from collections.abc import Sequence
from html import escape

import numpy as np

from semisvm.report.story import Map

SIZE = 340
"""Width and height of a map, in its own units."""
MARGIN = 15
"""Room for the titles of its axes, to the left of it and below."""
LEFT, RIGHT, TALL = 26.0, 404.0, 190
"""Where the axis of a chart begins and ends, in units of its width of 420, and its height."""


def scatter(one: Map, classes: Sequence, *, after: bool) -> str:
    """The rows in the plane, colored by class; the fainter, the nearer to the boundary; labeled rows are ringed."""
    codes, confidence, margin = (
        (one.after, one.confidence_after, one.margin_after)
        if after
        else (one.before, one.confidence_before, one.margin_before)
    )
    at = _in_frame(one.points)
    faint = _opacity(margin) * _room(at)
    dots = []
    for k in np.argsort(one.given >= 0, kind="stable"):
        place = f'cx="{at[k, 0]:.1f}" cy="{SIZE - at[k, 1]:.1f}"'
        name = escape(f"{classes[codes[k]]}")
        if one.given[k] >= 0:
            dots.append(f'<circle class="c{codes[k]} given" {place} r="5.5"><title>{name}, given</title></circle>')
            continue
        text = f"{name}, confidence {confidence[k]:.0%}, margin {margin[k]:.2g}"
        mark = " x" if one.changed[k] else ""
        dots.append(
            f'<circle class="c{codes[k]}{mark}" {place} r="2.7" opacity="{faint[k]:.2f}"><title>{text}</title></circle>'
        )
    axes = titles("first direction", "second direction", SIZE, SIZE + MARGIN, left=3 - MARGIN)
    name = f"Map of the rows {'with' if after else 'without'} unlabeled rows"
    return drawing(SIZE, SIZE, name, "".join(dots) + axes, margin=MARGIN)


def _in_frame(points: np.ndarray) -> np.ndarray:
    """Positions in the frame: the farthest hundredth of the rows are moved to its edge, the others fill it."""
    low, high = np.quantile(points, (0.01, 0.99), axis=0)
    span = np.where(high > low, high - low, 1.0)
    return 20 + (SIZE - 40) * np.clip((points - low) / span, -0.03, 1.03)


def _room(at: np.ndarray) -> np.ndarray:
    """1 for a row alone, less for rows that lie on each other: 1 / sqrt(rows within a square of 4 units)."""
    _, place, counts = np.unique(np.floor(at / 4).astype(int), axis=0, return_inverse=True, return_counts=True)
    return 1 / np.sqrt(counts[place.ravel()])


def _opacity(margin: np.ndarray) -> np.ndarray:
    """0.25 at the boundary, 0.95 from a typical margin on."""
    typical = float(np.median(margin)) or 1.0
    return 0.25 + 0.7 * np.clip(margin / typical, 0.0, 1.0)


def count_bars(counts: Sequence[int], name: str) -> str:
    """One bar per tenth from 0 to 1, its count above it."""
    most = max(1, *counts)
    wide = (RIGHT - LEFT) / len(counts)
    parts = [axis(150)]
    for k, n in enumerate(counts):
        x, tall = LEFT + k * wide, 118 * n / most
        parts.append(
            f'<rect class="bar" x="{x + 3:.1f}" y="{150 - tall:.1f}" width="{wide - 6:.1f}" height="{tall:.1f}" rx="2">'
            f"<title>{k / 10:.0%} to {(k + 1) / 10:.0%}: {n:,} rows</title></rect>"
        )
        if n:
            parts.append(f'<text x="{x + wide / 2:.1f}" y="{143 - tall:.1f}" text-anchor="middle">{n:,}</text>')
        if k % 2 == 0:
            parts.append(f'<text x="{x:.1f}" y="167" text-anchor="middle">{k * 10}%</text>')
    parts.append(f'<text x="{RIGHT}" y="167" text-anchor="middle">100%</text>')
    parts.append(titles("confidence", "rows", 420, TALL))
    return drawing(420, TALL, name, "".join(parts), frame=False)


def margin_curves(before: np.ndarray, after: np.ndarray) -> str:
    """How many rows lie how far from the boundary, in typical margins of each model."""
    bins = np.linspace(0.0, 3.0, 25)
    heights = [np.histogram(one / (np.median(one) or 1.0), bins=bins)[0] / len(one) for one in (before, after)]
    most = max(float(one.max()) for one in heights) or 1.0
    at = LEFT + (RIGHT - LEFT) * (bins[:-1] + bins[1:]) / 2 / 3.0
    old, new = (
        " ".join(f"{x:.1f},{150 - 125 * share / most:.1f}" for x, share in zip(at, one, strict=True)) for one in heights
    )
    step = (RIGHT - LEFT) / 3
    marks = "".join(f'<text x="{LEFT + step * k:.1f}" y="167" text-anchor="middle">{k}</text>' for k in range(4))
    inside = (
        f'{axis(150)}<polygon class="under" points="{at[0]:.1f},150 {new} {at[-1]:.1f},150"/>'
        f'<polyline class="line old" points="{old}"/><polyline class="line" points="{new}"/>{marks}'
        + titles("distance from the boundary, in typical margins", "share of rows", 420, TALL)
    )
    return drawing(420, TALL, "Rows by distance from the boundary", inside, frame=False)


def stages(objectives: Sequence[float], changed: Sequence[int | None], names: Sequence[str], *, wide: int = 420) -> str:
    """The objective of every stage as a line, labels changed in it as bars below, their names at the bottom."""
    low, high = min(objectives), max(objectives)
    span = (high - low) or 1.0
    n, end = len(objectives), wide - LEFT
    at = [LEFT + 14 + (end - LEFT - 28) * k / max(1, n - 1) for k in range(n)]
    up = [82 - 64 * (value - low) / span for value in objectives]
    spots = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(at, up, strict=True))
    parts = [f'<polyline class="line" points="{spots}"/>']
    most = max([1, *(count or 0 for count in changed)])
    broad = min(12.0, 0.7 * (end - LEFT) / n)
    for k, (x, y, value, count) in enumerate(zip(at, up, objectives, changed, strict=True)):
        title = f"stage {k}: objective {value:.5g}" + ("" if count is None else f", {count:,} labels changed")
        parts.append(f'<circle class="bar" cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{title}</title></circle>')
        if k in (0, n - 1):
            parts.append(f'<text x="{x:.1f}" y="{y - 7:.1f}" text-anchor="middle">{short(value)}</text>')
        if count:
            tall = 32 * count / most
            parts.append(
                f'<rect class="under" x="{x - broad / 2:.1f}" y="{148 - tall:.1f}" width="{broad:.1f}" '
                f'height="{tall:.1f}"/>'
            )
            if n <= 12 or count == most:
                parts.append(f'<text x="{x:.1f}" y="{144 - tall:.1f}" text-anchor="middle">{count:,}</text>')
    parts += [
        f'<text x="{x:.1f}" y="162" text-anchor="middle">{escape(name)}</text>'
        for x, name in zip(at, names, strict=False)
    ]
    parts += [axis(148, end), titles("weight of the unlabeled rows" if names else "stage", "objective", wide, 184)]
    return drawing(wide, 184, "Objective and changed labels of every stage", "".join(parts), frame=False)


def titles(across: str, up: str, wide: int, tall: int, *, left: int = 9) -> str:
    """What the axes of a chart mean: below it, and along its left side."""
    middle = (tall - 30) / 2
    return (
        f'<text class="axis-title" x="{wide / 2:.0f}" y="{tall - 4}" text-anchor="middle">{escape(across)}</text>'
        f'<text class="axis-title" x="{left}" y="{middle:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 {left} {middle:.0f})">{escape(up)}</text>'
    )


def axis(y: int, end: float = RIGHT) -> str:
    return f'<line class="axis" x1="{LEFT}" y1="{y}" x2="{end}" y2="{y}"/>'


def short(value: float) -> str:
    """Three significant digits, and all digits before the point."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def drawing(width: int, height: int, name: str, inside: str, *, frame: bool = True, margin: int = 0) -> str:
    """An SVG element with a name for screen readers; `margin`: room to the left and below."""
    box = f'<rect class="frame" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>' if frame else ""
    view = f"{-margin} 0 {width + margin} {height + margin}"
    return f'<svg viewBox="{view}" role="img" aria-label="{escape(name, quote=True)}">{box}{inside}</svg>'
