"""The page of a labeled table: one HTML file that needs nothing else, in light and dark, on narrow and wide screens."""

import json
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

PALETTE = ("#3b7dd8", "#e07b29", "#2f9e62", "#c2445f", "#8b62c9", "#8a6d3b", "#d864a9", "#6b7785", "#a3a51c", "#17a2b8")
SIZE = 340
"""Width and height of a drawing, in its own units."""


@dataclass(frozen=True)
class Suggestion:
    """A row whose label would teach most."""

    rank: int
    row: str
    guess: Any
    confidence: float
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Map:
    """Rows in the plane; `given` is -1 where a row has no label."""

    points: np.ndarray
    given: np.ndarray
    before: np.ndarray
    after: np.ndarray
    confidence_before: np.ndarray
    confidence_after: np.ndarray
    n_changed: int


@dataclass(frozen=True, eq=False)
class Story:
    """What happened to a table."""

    table: str
    out: str
    label: str
    method: str
    n_rows: int
    n_labeled: int
    classes: tuple
    given: tuple[int, ...]
    expected: tuple[float, ...]
    obtained: tuple[int, ...]
    confidences: tuple[int, ...]
    mean_confidence: float
    columns: tuple[tuple[str, str, str, int], ...]
    comparison: Any
    kernels: tuple[tuple[str, float], ...]
    path: tuple[dict, ...]
    text: tuple[str, ...] = ()
    id: str | None = None
    notes: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    map: Map | None = None
    seconds: float = 0.0

    @property
    def n_filled(self) -> int:
        return self.n_rows - self.n_labeled

    def as_dict(self) -> dict:
        """For programs: everything but the drawing."""
        told = {name: value for name, value in self.__dict__.items() if name not in ("map", "comparison")}
        told["columns"] = [dict(zip(("name", "kind", "use", "missing"), one, strict=True)) for one in self.columns]
        told["suggestions"] = [asdict(one) for one in self.suggestions]
        told["comparison"] = asdict(self.comparison)
        return {**told, "n_filled": self.n_filled, "verdict": self.comparison.verdict, "python": self.python}

    @property
    def python(self) -> str:
        """The call that does the same in Python."""
        readers = {".parquet": "read_parquet({})", ".pq": "read_parquet({})", ".jsonl": "read_json({}, lines=True)"}
        readers[".ndjson"] = readers[".jsonl"]
        text = readers.get(Path(self.table).suffix.lower(), "read_csv({}, dtype=str, keep_default_na=False)")
        if Path(self.table).suffix.lower() in (".tsv", ".tab"):
            text = text.replace("{}", "{}, sep='\\t'")
        left_out = [self.label, *([self.id] if self.id else [])]
        return "\n".join(
            [
                "import pandas as pd",
                "from semisvm import S3VM",
                "from semisvm.tables import TablePreparation",
                "",
                f"table = pd.{text.format(repr(self.table))}",
                f"labels = table[{self.label!r}].astype(object).replace('', None)",
                f"preparation = TablePreparation(text={list(self.text)!r}, leave_out={left_out!r})",
                "X = preparation.fit_transform(table)",
                f"model = S3VM(method={self.method!r}, random_state=0).fit(X, labels)",
                "print(model.report_)",
                "table['predicted'] = model.transduction_",
            ]
        )


def write_page(story: Story, path: Path) -> None:
    """Write the page of this story to a file."""
    path.write_text(page(story), encoding="utf-8")


def page(story: Story) -> str:
    """The page as text."""
    sections = [
        _summary(story),
        _maps(story),
        _balance(story),
        _confidence(story),
        _next_rows(story),
        _course(story),
        _read(story),
        _reproduce(story),
    ]
    title = escape(f"{Path(story.table).name}: {story.label}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{STYLE}{_class_colours(story)}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#main">Skip to the content</a>\n<main id="main">\n<h1>{title}</h1>\n'
        + "\n".join(section for section in sections if section)
        + "\n</main>\n</body>\n</html>\n"
    )


STYLE = """
:root { color-scheme: light dark; --page: #fbfbfa; --ink: #1c2126; --soft: #5b6570; --line: #d9dde1; --card: #ffffff;
  --bar: #3b7dd8; --mark: #1c2126; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --ink: #e8eaed; --soft: #a2abb5; --line: #333a41;
  --card: #1c2024; --bar: #6ea4ee; --mark: #ffffff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 1.2rem; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 0 0 .5rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem;
  margin: 0 0 1rem; }
p { margin: .3rem 0 .6rem; max-width: 80ch; } .soft { color: var(--soft); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem; margin: .6rem 0; }
.figures b { display: block; font-size: 1.6rem; line-height: 1.2; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { color: var(--soft); font-size: .92rem; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font-size: 11px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .94rem; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid var(--line); border-radius: 8px; font-size: .88rem; }
.scroll:focus-visible, pre:focus-visible, a:focus-visible { outline: 3px solid var(--bar); outline-offset: 2px; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0; margin: .5rem 0; list-style: none; }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: 50%; margin-right: .4rem; }
.skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--card); }
.axis { stroke: var(--line); } .bar { fill: var(--bar); } .given { stroke: var(--mark); stroke-width: 2; }
.line { fill: none; stroke: var(--bar); stroke-width: 2; }
"""


def _class_colours(story: Story) -> str:
    return "".join(
        f".c{k} {{ fill: {PALETTE[k % len(PALETTE)]}; background: {PALETTE[k % len(PALETTE)]}; }}\n"
        for k in range(len(story.classes))
    )


def _summary(story: Story) -> str:
    figures = [
        (f"{story.n_rows:,}", "rows"),
        (f"{story.n_labeled:,}", "labels given"),
        (f"{story.n_filled:,}", "rows filled"),
        (f"{len(story.classes)}", "classes"),
        (f"{story.mean_confidence:.0%}", "mean confidence"),
        (f"{story.seconds:.1f} s", "taken"),
    ]
    shown = "".join(f"<div><b>{value}</b>{name}</div>" for value, name in figures)
    notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in story.notes)
    return (
        f'<section><h2>Did the unlabeled rows help?</h2><div class="figures">{shown}</div>'
        f"<p>{escape(story.comparison.verdict)}</p>{_judged(story)}{notes}</section>"
    )


def _judged(story: Story) -> str:
    told = story.comparison
    if told.supervised_errors is None or told.semi_supervised_errors is None:
        return ""
    rows = [
        (name, f"{errors:,} of {told.n_judged:,}", f"{errors / told.n_judged:.1%}")
        for name, errors in (
            ("labels alone (supervised baseline)", told.supervised_errors),
            ("with the unlabeled rows", told.semi_supervised_errors),
        )
    ]
    return _table(("each label predicted without itself", "wrong", "error"), rows, numeric=(1, 2))


def _maps(story: Story) -> str:
    if story.map is None:
        return ""
    one = story.map
    before = _scatter(one, one.before, one.confidence_before, story, "labels alone")
    after = _scatter(one, one.after, one.confidence_after, story, "with the unlabeled rows")
    key = "".join(f'<li><i class="c{k}"></i>{escape(str(name))}</li>' for k, name in enumerate(story.classes))
    return (
        "<section><h2>The rows in two directions</h2><p>Each point is a row at its two principal directions; the "
        "fainter, the less sure; labeled rows are large and ringed. A supervised SVM and this model differ in "
        f"{one.n_changed:,} of the {int(np.count_nonzero(one.given < 0)):,} unlabeled rows shown.</p>"
        f'<div class="pair"><figure>{before}<figcaption>Before: a supervised SVM on the labels alone</figcaption>'
        f"</figure><figure>{after}<figcaption>After: with the unlabeled rows</figcaption></figure></div>"
        f'<ul class="key">{key}</ul></section>'
    )


def _scatter(one: Map, codes: np.ndarray, confidence: np.ndarray, story: Story, name: str) -> str:
    low, high = one.points.min(axis=0), one.points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    at = 10 + (SIZE - 20) * (one.points - low) / span
    dots = []
    for k in np.argsort(one.given >= 0, kind="stable"):
        x, y = at[k, 0], SIZE - at[k, 1]
        told = escape(f"{story.classes[codes[k]]}")
        if one.given[k] >= 0:
            dots.append(
                f'<circle class="c{codes[k]} given" cx="{x:.1f}" cy="{y:.1f}" r="6">'
                f"<title>{told}, given</title></circle>"
            )
        else:
            faint = 0.2 + 0.7 * float(confidence[k])
            dots.append(
                f'<circle class="c{codes[k]}" cx="{x:.1f}" cy="{y:.1f}" r="2.6" opacity="{faint:.2f}">'
                f"<title>{told}, {confidence[k]:.0%}</title></circle>"
            )
    return _drawing(SIZE, SIZE, f"Map of the rows, {name}", "".join(dots))


def _balance(story: Story) -> str:
    total_given, total = max(1, sum(story.given)), max(1, sum(story.obtained))
    rows = [
        (
            str(name), f"{given:,}", f"{given / total_given:.1%}", f"{expected:.1%}", f"{obtained:,}",
            f"{obtained / total:.1%}",
        )
        for name, given, expected, obtained in zip(
            story.classes, story.given, story.expected, story.obtained, strict=True
        )
    ]  # fmt: skip
    header = ("class", "labels", "share of the labels", "share assumed", "rows filled", "share obtained")
    return (
        "<section><h2>Balance of the classes</h2><p>The share assumed among the unlabeled rows is estimated from the "
        f"labels, pulled a little towards equal shares.</p>{_table(header, rows, numeric=(1, 2, 3, 4, 5))}</section>"
    )


def _confidence(story: Story) -> str:
    counts = story.confidences
    most = max(1, *counts)
    wide = 600 / len(counts)
    bars = [
        f'<rect class="bar" x="{30 + k * wide:.1f}" y="{130 - 115 * n / most:.1f}" width="{wide - 4:.1f}" '
        f'height="{115 * n / most:.1f}"><title>{k / 10:.0%} to {(k + 1) / 10:.0%}: {n:,} rows</title></rect>'
        f'<text x="{30 + k * wide:.1f}" y="146">{k * 10}%</text>'
        for k, n in enumerate(counts)
    ]
    drawing = _drawing(640, 152, "Rows filled by confidence", "".join(bars))
    return f"<section><h2>Confidence of the rows filled</h2><figure>{drawing}</figure></section>"


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
        "<section><h2>Rows to label next</h2><p>Those the model is least sure of, spread over the data. Fill in their "
        f"labels and run the command again.</p>{_table(header, rows, numeric=(0, 3))}</section>"
    )


def _course(story: Story) -> str:
    parts = []
    if story.method == "auto":
        rows = [(name, f"{weight:.1%}") for name, weight in story.kernels]
        parts.append(
            f"<p>Kernels of the average and how much each counted.</p>{_table(('kernel', 'weight'), rows, (1,))}"
        )
    else:
        parts.append(_path(story.path))
    return f"<section><h2>Course of the fit ({escape(story.method)})</h2>{''.join(parts)}</section>"


def _path(path: tuple[dict, ...]) -> str:
    names = [
        n
        for n in ("weight", "temperature", "smoothing", "objective", "changed", "seconds")
        if any(n in s for s in path)
    ]
    objectives = [float(s["objective"]) for s in path if s.get("objective") is not None]
    curve = ""
    if len(objectives) > 1:
        low, high = min(objectives), max(objectives)
        span = (high - low) or 1.0
        spots = [
            f"{20 + 600 * k / (len(objectives) - 1):.1f},{110 - 90 * (v - low) / span:.1f}"
            for k, v in enumerate(objectives)
        ]
        curve = _drawing(640, 120, "Objective per stage", f'<polyline class="line" points="{" ".join(spots)}"/>')
        curve = f"<figure>{curve}<figcaption>Objective per stage, {low:.4g} to {high:.4g}</figcaption></figure>"
    rows = [(str(k), *(_short(s.get(n)) for n in names)) for k, s in enumerate(path)][:60]
    return curve + _table(("stage", *names), rows, numeric=tuple(range(len(names) + 1)))


def _short(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _read(story: Story) -> str:
    rows = [(name, kind, told, f"{missing:,}") for name, kind, told, missing in story.columns]
    return (
        f"<section><h2>What was read</h2><p>{escape(story.table)}: {story.n_rows:,} rows, label column "
        f"{escape(repr(story.label))}; written to {escape(story.out)}. Blanks are counted in the rows trained on.</p>"
        f"{_table(('column', 'kind', 'used as', 'blank'), rows, (3,))}</section>"
    )


def _reproduce(story: Story) -> str:
    return (
        "<section><h2>The same in Python</h2>"
        f'<pre tabindex="0" aria-label="Python code">{escape(story.python)}</pre></section>'
    )


def _table(header: tuple[str, ...], rows: list[tuple], numeric: tuple[int, ...] = ()) -> str:
    def cell(tag: str, k: int, text: str) -> str:
        return f"<{tag}{' class=n' if k in numeric else ''}>{escape(text)}</{tag}>"

    head = "".join(cell("th", k, name) for k, name in enumerate(header))
    body = "".join(f"<tr>{''.join(cell('td', k, text) for k, text in enumerate(row))}</tr>" for row in rows)
    label = escape(", ".join(header), quote=True)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _drawing(width: int, height: int, name: str, inside: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(name, quote=True)}">'
        f'<rect class="axis" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" fill="none"/>{inside}</svg>'
    )


def as_json(story: Story) -> str:
    """The story for programs."""
    return for_machines(story.as_dict())


def for_machines(value: Any) -> str:
    """JSON as its standard has it: numbers that are none become null."""
    return json.dumps(_without_nan(value), indent=1, default=str, allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _without_nan(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
