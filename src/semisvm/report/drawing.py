"""Drawings of the page as SVG text: a map of rows, bars of counts, curves."""

from collections.abc import Sequence
from html import escape

import numpy as np

from semisvm.report.story import Map

SIZE = 340
"""Width and height of a map, in its own units."""
LEFT, RIGHT, TALL = 16.0, 404.0, 174
"""Where the axis of a chart begins and ends, in units of its width of 420, and its height."""


def scatter(one: Map, classes: Sequence, *, after: bool) -> str:
    """The rows in the plane, coloured by class; the fainter, the nearer to the boundary; labeled rows are ringed."""
    codes, confidence, margin = (
        (one.after, one.confidence_after, one.margin_after)
        if after
        else (one.before, one.confidence_before, one.margin_before)
    )
    low, high = one.points.min(axis=0), one.points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    at = 12 + (SIZE - 24) * (one.points - low) / span
    faint = _opacity(margin)
    dots = []
    for k in np.argsort(one.given >= 0, kind="stable"):
        place = f'cx="{at[k, 0]:.1f}" cy="{SIZE - at[k, 1]:.1f}"'
        name = escape(f"{classes[codes[k]]}")
        if one.given[k] >= 0:
            dots.append(f'<circle class="c{codes[k]} given" {place} r="5.5"><title>{name}, given</title></circle>')
            continue
        told = f"{name}, confidence {confidence[k]:.0%}, margin {margin[k]:.2g}"
        mark = " x" if one.changed[k] else ""
        dots.append(
            f'<circle class="c{codes[k]}{mark}" {place} r="2.7" opacity="{faint[k]:.2f}"><title>{told}</title></circle>'
        )
    return drawing(SIZE, SIZE, f"Map of the rows {'with' if after else 'without'} unlabeled rows", "".join(dots))


def _opacity(margin: np.ndarray) -> np.ndarray:
    """0.25 at the boundary, 0.95 from a typical margin on."""
    typical = float(np.median(margin)) or 1.0
    return 0.25 + 0.7 * np.clip(margin / typical, 0.0, 1.0)


def count_bars(counts: Sequence[int], name: str) -> str:
    """One bar per tenth from 0 to 1, its count above it."""
    most = max(1, *counts)
    wide = (RIGHT - LEFT) / len(counts)
    parts = [_axis(150)]
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
        f'{_axis(150)}<polygon class="under" points="{at[0]:.1f},150 {new} {at[-1]:.1f},150"/>'
        f'<polyline class="line old" points="{old}"/><polyline class="line" points="{new}"/>{marks}'
    )
    return drawing(420, TALL, "Rows by distance from the boundary", inside, frame=False)


def stages(objectives: Sequence[float], changed: Sequence[int | None]) -> str:
    """The objective of every stage as a line, labels changed in it as bars below."""
    low, high = min(objectives), max(objectives)
    span = (high - low) or 1.0
    n = len(objectives)
    at = [LEFT + 10 + (RIGHT - LEFT - 20) * k / max(1, n - 1) for k in range(n)]
    spots = " ".join(f"{x:.1f},{100 - 80 * (v - low) / span:.1f}" for x, v in zip(at, objectives, strict=True))
    parts = [f'<polyline class="line" points="{spots}"/>']
    most = max([1, *(count or 0 for count in changed)])
    for k, (x, value, count) in enumerate(zip(at, objectives, changed, strict=True)):
        told = f"stage {k}: objective {value:.5g}" + ("" if count is None else f", {count:,} labels changed")
        parts.append(
            f'<circle class="bar" cx="{x:.1f}" cy="{100 - 80 * (value - low) / span:.1f}" r="3.5">'
            f"<title>{told}</title></circle>"
        )
        if count:
            tall = 40 * count / most
            parts.append(
                f'<rect class="under" x="{x - 6:.1f}" y="{160 - tall:.1f}" width="12" height="{tall:.1f}"/>'
                f'<text x="{x:.1f}" y="{156 - tall:.1f}" text-anchor="middle">{count:,}</text>'
            )
    parts.append(_axis(160))
    return drawing(420, 166, "Objective and changed labels of every stage", "".join(parts), frame=False)


def _axis(y: int) -> str:
    return f'<line class="axis" x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}"/>'


def drawing(width: int, height: int, name: str, inside: str, *, frame: bool = True) -> str:
    """An SVG element with a name that is read out."""
    box = f'<rect class="frame" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>' if frame else ""
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(name, quote=True)}">{box}{inside}</svg>'
