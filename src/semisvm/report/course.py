"""The course of the fit: objective and changed labels, stage by stage, of a method or of every kernel of many."""

from collections.abc import Sequence
from html import escape
from typing import Any

from semisvm.report.drawing import short, stages
from semisvm.report.story import Story
from semisvm.report.tables import bar_table, table

MOST_PANELS = 6
"""Kernels whose stages are drawn, the most important first."""
MOST_STAGES = 60
FACTS = ("weight", "temperature", "smoothing", "objective", "changed", "seconds")


def course(story: Story) -> str:
    """The section of the page."""
    body = _of_kernels(story) if story.method == "auto" else _of_one(story.path)
    return f"<h2>Course of the fit ({escape(story.method)})</h2>{body}"


def _of_kernels(story: Story) -> str:
    paths = {name: [stage for stage in story.path if stage.get("kernel") == name] for name, _ in story.kernels}
    panels = "".join(
        f"<figure>{_curve(paths[name])}<figcaption>{weight:.1%} {escape(name)}</figcaption></figure>"
        for name, weight in story.kernels[:MOST_PANELS]
        if len(paths[name]) > 1
    )
    rows = [(name, f"{weight:.1%}", *_ends(paths[name]), weight) for name, weight in story.kernels]
    header = ("kernel", "share", "objective at the end", "rows changed", "")
    drawn = (
        "<p>A model on each kernel, from its supervised start through stages in which the unlabeled rows weigh more "
        "and more, up to as much as the labeled ones. The line is the objective at the end of a stage, with the weight "
        f'below it; bars count unlabeled rows whose class changed in it.</p><div class="panels">{panels}</div>'
    )
    return (drawn if panels else "") + (
        "<p>Kernels of the average and how much each counted, by how well it predicts a label it has not seen and by "
        f"how often its models agree with the average.</p>{bar_table(header, rows, tall=True)}"
    )


def _ends(path: Sequence[dict]) -> tuple[str, str]:
    """Objective of the last stage, rows that changed in all of them."""
    if not path:
        return "", ""
    changed = [stage["changed"] for stage in path if stage.get("changed") is not None]
    return _number(path[-1].get("objective")), f"{sum(changed):,}" if changed else ""


def _of_one(path: Sequence[dict]) -> str:
    names = [name for name in FACTS if any(name in stage for stage in path)]
    stages = [stage for stage in path if stage.get("objective") is not None]
    curve = ""
    if len(stages) > 1:
        lowest, highest = (short(pick(stage["objective"] for stage in stages)) for pick in (min, max))
        curve = (
            f"<figure>{_curve(stages, wide=True)}<figcaption>Objective at the end of a stage, {lowest} to {highest}; "
            "below, labels that changed in it</figcaption></figure>"
        )
    rows = [(str(k), *(_number(stage.get(name)) for name in names)) for k, stage in enumerate(path)][:MOST_STAGES]
    return f'<div class="pair">{curve}{table(("stage", *names), rows, tuple(range(len(names) + 1)), tall=True)}</div>'


def _curve(path: Sequence[dict], *, wide: bool = False) -> str:
    return stages(
        [float(stage["objective"]) for stage in path],
        [None if stage.get("changed") is None else int(stage["changed"]) for stage in path],
        [_number(stage.get("weight")) for stage in path] if len(path) <= MOST_PANELS else (),
        wide=420 if wide else 230,
    )


def _number(value: Any) -> str:
    if value is None:
        return ""
    return short(value) if isinstance(value, float) else str(value)
