"""The page of a labeled table: one HTML file that needs nothing else, no network and no script.

Sections stand one below the other on a narrow screen and side by side on a wide one.  What can be picked (a class, the
rows that changed) is picked by radio buttons and a box to tick, so it works from the keyboard.
"""

import re
from html import escape
from pathlib import Path

import numpy as np

from semisvm.report.course import course
from semisvm.report.drawing import count_bars, margin_curves, scatter
from semisvm.report.story import Story
from semisvm.report.style import STYLE, class_rules
from semisvm.report.tables import bar_table, table

MOST_PICKS = 24
"""Classes up to which each can be picked in the map."""


def write_page(story: Story, path: Path) -> None:
    """Write the page of this story to a file."""
    path.write_text(page(story), encoding="utf-8")


def page(story: Story) -> str:
    """The page as text."""
    sections = [
        ("help", "What to expect", "", _summary(story)),
        ("next", "Label next", "", _next_rows(story)),
        ("doubts", "Doubtful labels", "", _doubts(story)),
        ("map", "Map", "", _maps(story)),
        ("balance", "Balance", "most", _balance(story)),
        ("confidence", "Confidence", "rest", _confidence(story)),
        ("fit", "Fit", "", course(story)),
        ("python", "Python", "", _reproduce(story)),
        ("read", "What was read", "", _read(story)),
    ]
    shown = [one for one in sections if one[3]]
    links = "".join(f'<li><a href="#{key}">{name}</a></li>' for key, name, _, _ in shown)
    body = "\n".join(f'<section id="{key}" class="{width}">{inside}</section>' for key, _, width, inside in shown)
    title = escape(f"{Path(story.table).name}: {story.label}")
    summary = f"{story.n_filled:,} blank cells of column {story.label!r} filled in from {story.n_labeled:,} labels"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{STYLE}{class_rules(len(story.classes))}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#main">Skip to the content</a>\n<header>\n<h1>{title}</h1>\n'
        f'<p class="soft">{escape(summary)} by semisvm label, method {escape(story.method)}.</p>\n'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n</header>\n<main id="main" tabindex="-1">\n{body}\n'
        "</main>\n</body>\n</html>\n"
    )


# ---------------------------------------------------------------- what to expect


def _summary(story: Story) -> str:
    figures = [
        *([(f"{story.expected_error:.0%}", "wrong, expected")] if story.expected_error is not None else []),
        (f"{story.n_rows:,}", "rows"),
        (f"{story.n_labeled:,}", "labels given"),
        (f"{story.n_trained:,}", "rows trained on"),
        (f"{story.n_filled:,}", "rows filled"),
        *([(f"{story.n_left:,}", "left blank")] if story.n_left else []),
        (f"{len(story.classes)}", "classes"),
        (f"{story.mean_confidence:.0%}", "mean confidence"),
        (f"{story.seconds:.1f} s", "taken"),
    ]
    shown = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for value, name in figures)
    notes = "".join(f'<p class="note">{_note(note)}</p>' for note in (*story.said, *story.notes))
    return (
        f'<h2>What to expect of the filled cells</h2><p class="verdict">{escape(story.verdict)}</p>'
        f'<dl class="figures">{shown}</dl>{_judged(story)}{_folds(story)}{notes}'
    )


def _note(text: str) -> str:
    """With options of the command that are not broken at their hyphens."""
    return re.sub(r"--[a-z-]+(?: VALUE)?", r'<span class="option">\g<0></span>', escape(text))


def _judged(story: Story) -> str:
    if story.expected_error is None:
        return ""
    interval = story.expected_interval
    between = "" if interval is None else f"{interval[0]:.0%} to {interval[1]:.0%}"
    rows = [(name, f"{error:.1%}", "", error) for name, error in story.baselines.items()]
    ours, of_all = "this model", story.expected_error_of_all
    if of_all is not None:
        rows.append(("this model, all cells", f"{of_all:.1%}", "", of_all))
        ours = "this model, the cells filled"
    rows.append((ours, f"{story.expected_error:.1%}", between, story.expected_error))
    return (
        f"<p>Errors on {story.n_judged:,} labels, each predicted without itself:</p>"
        f'<div class="wide">{bar_table(("filled by", "error", "80 % interval", ""), rows, last_is_new=True)}</div>'
    )


def _folds(story: Story) -> str:
    if not story.folds:
        return ""
    rows = [(one.method, f"{one.error:.1%}", f"± {one.deviation:.1%}", one.error) for one in story.folds]
    shown = bar_table(("cross-validated on folds of the labels", "error", "standard error", ""), rows, True)
    return f'<div class="wide">{shown}</div>'


# ---------------------------------------------------------------- the map


def _maps(story: Story) -> str:
    one = story.map
    if one is None:
        return ""
    n_shown = int(np.count_nonzero(one.given < 0))
    n_changed = int(np.count_nonzero(one.changed))
    return (
        "<h2>The rows in two directions</h2><p>Each point is a row at the two principal directions of all columns, in "
        "deviations from the middle; rows far out stand at the edge. The fainter, the nearer to the boundary (its "
        "margin), or the more rows lie on each other. Labeled rows are large and ringed. The two models differ in "
        f"{n_changed:,} of the {n_shown:,} unlabeled rows shown.</p>"
        f'<div class="pair"><figure>{scatter(one, story.classes, after=False)}'
        "<figcaption>Before: a plain supervised SVM on the labels alone</figcaption></figure>"
        f"<figure>{scatter(one, story.classes, after=True)}"
        f"<figcaption>After: with the unlabeled rows</figcaption></figure></div>{_picks(story)}"
    )


def _picks(story: Story) -> str:
    dots = [f'<i class="dot c{k}" aria-hidden="true"></i>{escape(str(name))}' for k, name in enumerate(story.classes)]
    if len(dots) > MOST_PICKS:
        keys = "".join(f'<span class="key">{one}</span> ' for one in dots)
        return f"<p>{keys}</p>"
    radios = "".join(
        f'<label><input type="radio" name="pick" id="pick-{k}">{one}</label>' for k, one in enumerate(dots)
    )
    return (
        "<fieldset><legend>Show one class</legend>"
        f'<label><input type="radio" name="pick" id="pick-all" checked>all</label>{radios}</fieldset>'
        '<fieldset><legend>Show changes</legend><label><input type="checkbox" id="only-changed">'
        "only rows that changed their class</label></fieldset>"
    )


# ---------------------------------------------------------------- balance and confidence


def _balance(story: Story) -> str:
    total_given, total = max(1, sum(story.given)), max(1, sum(story.obtained))
    within = [f"{expected:.1%} ({low:.1%} to {high:.1%})" for expected, (low, high) in
              zip(story.expected, story.expected_shares_within, strict=True)]  # fmt: skip
    rows = [
        (str(name), f"{n:,}", f"{n / total_given:.1%}", expected, f"{filled:,}", f"{filled / total:.1%}")
        for name, n, expected, filled in zip(story.classes, story.given, within, story.obtained, strict=True)
    ]
    origin = "the one that was asked for" if story.ratio is not None else "estimated from the labels"
    header = (
        "class",
        "labels",
        "share of the labels",
        "share expected (80 % interval)",
        "rows filled",
        "share obtained",
    )
    return (
        f"<h2>Balance of the classes</h2><p>The share expected among the unlabeled rows is {origin}.</p>"
        f"{table(header, rows, (1, 2, 3, 4, 5), tall=True)}"
    )


def _confidence(story: Story) -> str:
    bars = count_bars(story.confidences, "Rows filled by confidence")
    margins = ""
    if story.map is not None and np.any(story.map.given < 0):
        open_rows = story.map.given < 0
        curves = margin_curves(story.map.margin_before[open_rows], story.map.margin_after[open_rows])
        margins = (
            f"<figure>{curves}<figcaption>Unlabeled rows by distance from the boundary, in typical margins: the dashed "
            "line before, the other with the unlabeled rows. Few rows near 0 mean a clear gap.</figcaption></figure>"
        )
    return (
        f"<h2>Confidence of the rows filled</h2><figure>{bars}<figcaption>Rows by the probability of their class. With "
        f"few labels per class probabilities are cautious.</figcaption></figure>{margins}"
    )


# ---------------------------------------------------------------- rows to label next, Python, the table


def _next_rows(story: Story) -> str:
    if not story.suggestions:
        return ""
    names = [name for name, _ in story.suggestions[0].cells]
    rows = [
        (str(s.rank), s.row, str(s.guess), f"{s.confidence:.0%}", *(cell for _, cell in s.cells))
        for s in story.suggestions
    ]
    header = ("rank", "row" if story.id is None else story.id, "guess", "confidence", *names)
    return (
        "<h2>Rows to label next</h2><p>Those the model is least sure of, spread over the data. Fill in their labels "
        f"and run the command again.</p>{table(header, rows, (0, 3), tall=True)}"
    )


def _doubts(story: Story) -> str:
    if not story.doubts:
        return ""
    names = [name for name, _ in story.doubts[0].cells]
    rows = [
        (one.row, str(one.given), str(one.guess), f"{one.chance:.0%}", *(cell for _, cell in one.cells))
        for one in story.doubts
    ]
    header = ("row" if story.id is None else story.id, "label", "guess", "chance of the label", *names)
    return (
        "<h2>Given labels that look wrong</h2><p>Models that had not seen these labels would give another. Look at "
        f"them again: a wrong label does more harm than a missing one.</p>{table(header, rows, (3,), tall=True)}"
    )


def _read(story: Story) -> str:
    rows = [(name, kind, use, f"{missing:,}") for name, kind, use, missing in story.columns]
    return (
        f"<h2>What was read</h2><p>{escape(story.table)}: {story.n_rows:,} rows, label column "
        f"{escape(repr(story.label))}; written to {escape(story.out)}. Blanks are counted in the rows trained on.</p>"
        f"{table(('column', 'kind', 'used as', 'blank'), rows, (3,), tall=True)}"
    )


def _reproduce(story: Story) -> str:
    return (
        "<h2>The same in Python</h2><p>On a table that fits into memory; all of its rows take part in training.</p>"
        f'<pre tabindex="0" role="region" aria-label="Python code">{escape(story.python)}</pre>'
    )
