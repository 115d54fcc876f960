"""The page of a table with labels of one class: how the rows rank, how many are of the class, what cannot be known."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from semisvm.report.drawing import LEFT, RIGHT, TALL, axis, drawing, titles
from semisvm.report.style import STYLE
from semisvm.report.tables import table

SHOWN_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Of the unlabeled rows, taken from the top."""
UNKNOWN = (
    "No row is known not to be {name}, so nothing here says how many of the rows at the top are wrong: look at some.",
    "Rows that look as if they were {name} and are not cannot be distinguished from it. The estimate of the share "
    "counts them in: the true share may be lower.",
    "The labeled rows are taken for a random draw of all rows that are {name}. A kind of {name} that nobody has "
    "labeled yet is not found, and the recall below does not count it.",
)


@dataclass(frozen=True)
class Ranked:
    """A row near the top of the ranking."""

    rank: int
    row: str
    score: float
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class OneClassStory:
    """What became of a table with labels of one class."""

    table: str
    out: str
    label: str
    positive: Any
    n_rows: int
    n_labeled: int
    prior: float
    prior_interval: tuple[float, float]
    prior_given: bool
    predicted: bool
    """Whether rows were given a class, and not only a score."""
    n_positive: int
    """Unlabeled rows that are taken for the class."""
    recall: tuple[tuple[int, float], ...]
    """(rows taken from the top, share of the left-out labeled rows among them)."""
    sensitivity: tuple[dict[str, float], ...]
    top: tuple[Ranked, ...]
    columns: tuple[tuple[str, str, str, int], ...]
    notes: tuple[str, ...]
    seconds: float

    @property
    def n_blank(self) -> int:
        return self.n_rows - self.n_labeled

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def share_sentence(self) -> str:
        name, low, high = self.positive, *self.prior_interval
        if self.prior_given:
            return f"{self.prior:.1%} of the {self.n_blank:,} other rows are {name}, as was said."
        return (
            f"About {self.prior:.1%} of the {self.n_blank:,} other rows are {name} (80 % interval {low:.1%} to "
            f"{high:.1%}), by an estimate."
        )

    @property
    def result_sentence(self) -> str:
        if self.predicted:
            return f"{self.n_positive:,} rows are taken for {self.positive}, those with a positive score."
        return (
            "Rows have a score and no class, because the share is too uncertain: say --ratio SHARE, or take as many "
            "rows from the top as you can look at."
        )


def page(story: OneClassStory) -> str:
    sections = (
        ("share", "How many", _share(story)),
        ("recall", "Recall", _recall(story)),
        ("top", "At the top", _top(story)),
        ("unknown", "What cannot be known", _unknown(story)),
        ("read", "What was read", _read(story)),
    )
    links = "".join(f'<li><a href="#{key}">{name}</a></li>' for key, name, _ in sections)
    body = "\n".join(f'<section id="{key}">{inside}</section>' for key, _, inside in sections)
    title = escape(f"{Path(story.table).name}: {story.label}")
    summary = f"{story.n_blank:,} rows ranked by {story.n_labeled:,} labels of one class, {story.positive}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#main">Skip to the content</a>\n<header>\n<h1>{title}</h1>\n'
        f'<p class="soft">{escape(summary)} by semisvm label.</p>\n<nav aria-label="Sections"><ul>{links}</ul></nav>\n'
        f'</header>\n<main id="main" tabindex="-1">\n{body}\n</main>\n</body>\n</html>\n'
    )


def _share(story: OneClassStory) -> str:
    rows = [
        (
            f"{one['prior']:.1%}",
            f"{one['n_positive']:,}",
            f"{one['rank_correlation']:.2f}",
            f"{one['top_agreement']:.0%}",
        )
        for one in story.sensitivity
    ]
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in story.notes)
    name = escape(str(story.positive))
    return (
        f'<h2>How many rows are {name}</h2><p class="verdict">{escape(story.share_sentence)}</p>'
        f"<p>{escape(story.result_sentence)}</p><p>What half and double the share would change, among the rows that "
        "were learned from:</p>"
        + table(
            ("share", f"rows taken for {story.positive}", "rank correlation", "of the rows at the top, still there"),
            rows,
            (0, 1, 2, 3),
        )
        + notes
    )


def _recall(story: OneClassStory) -> str:
    rows = [(f"{taken:,}", f"{taken / max(1, story.n_blank):.0%}", f"{share:.0%}") for taken, share in story.recall]
    return (
        "<h2>Recall against rows taken</h2><p>A fifth of the labeled rows is left out in turn, and ranked among the "
        f"other rows by a model of the rest: of these rows, so many are found where so many rows are taken.</p>"
        f'<figure class="wide">{recall_curve(story.recall, story.n_blank)}</figure>'
        + table(("rows taken from the top", "of all", "left-out rows among them"), rows, (0, 1, 2))
    )


def recall_curve(recall: Sequence[tuple[int, float]], n_rows: int) -> str:
    """Recall over the share of rows that is taken; the faint line is a random order."""
    points = [(0.0, 0.0), *((taken / max(1, n_rows), share) for taken, share in recall), (1.0, 1.0)]
    wide = RIGHT - LEFT
    line = " ".join(f"{LEFT + wide * x:.1f},{150 - 125 * y:.1f}" for x, y in points)
    marks = "".join(
        f'<text x="{LEFT + wide * k / 4:.1f}" y="167" text-anchor="middle">{25 * k}%</text>' for k in range(5)
    )
    inside = (
        f'{axis(150)}<polyline class="line old" points="{LEFT},150 {RIGHT},25"/>'
        f'<polyline class="line" points="{line}"/>{marks}' + titles("rows taken from the top", "recall", 420, TALL)
    )
    return drawing(420, TALL, "Recall of left-out rows over the share of rows taken", inside, frame=False)


def _top(story: OneClassStory) -> str:
    rows = [
        (str(one.rank), one.row, f"{one.score:.3f}", "; ".join(f"{name}: {cell}" for name, cell in one.cells))
        for one in story.top
    ]
    return (
        f"<h2>Rows at the top</h2><p>Look at these first. Those that are {escape(str(story.positive))} become labels; "
        "others, once labeled as something else, make it a question of two classes, whose errors can be estimated.</p>"
        + table(("rank", "row", "score", "cells"), rows, (0, 2))
    )


def _unknown(story: OneClassStory) -> str:
    lines = "".join(f"<li>{escape(line.format(name=story.positive))}</li>" for line in UNKNOWN)
    return f"<h2>What cannot be known</h2><ul>{lines}</ul>"


def _read(story: OneClassStory) -> str:
    rows = [(name, kind, text, f"{missing:,}") for name, kind, text, missing in story.columns]
    return "<h2>What was read</h2>" + table(("column", "read as", "", "blank cells"), rows, (3,))
