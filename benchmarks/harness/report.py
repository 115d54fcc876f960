"""`python -m benchmarks.harness.report`: the recorded figures as a page with plots, docs/benchmarks.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.harness import peers, table
from benchmarks.harness.check import RECORDED
from benchmarks.harness.figure import Figure

DOCS = Path(__file__).parent.parent.parent / "docs"
REMARKS = Path(__file__).parent.parent / "remarks.md"
PROFILED = Path(__file__).parent.parent / "profiled.md"
"""The table of `python -m benchmarks.profiles --markdown`, with what was removed after a look at it."""
TITLES = {
    "kernel": "Kernel methods, 8,000 unlabeled rows",
    "landmarks": "500 landmarks instead of the whole kernel",
    "digits": "Kernel methods on digits",
    "sparse_text": "Sparse text, linear functions",
    "supervised": "All rows labeled",
    "prediction": "Prediction with a kernel",
    "long_text": "Longer tables of text, linear functions",
    "refit": "The default, and other labels of the same rows",
    "growth": "Growth",
    "limits": "Distance to the machine",
}
COLORS = ("#0b6e4f", "#c44900", "#1d4e89", "#7d4f9e", "#8a8a00", "#b3003b", "#4a4a4a", "#00798c", "#d1495b")


def limited(machine: dict[str, Any]) -> str:
    """What the reader has to know of a run with fewer draws than usual."""
    draws = machine.get("draws")
    return "" if draws is None else f"This record was taken with at most {draws} draws of every task. "


def opening(record: dict[str, Any], figures: list[Figure]) -> str:
    machine = record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return f"""# Benchmarks

`make bench` measures everything on this page and prints it as one table; `make bench-report` writes this page from the
figures in `benchmarks/recorded.json`. {table.summary(figures)}.

Every figure is a ratio of two things measured in the same run, in turns: our fit, Gram matrix included, over one
scikit-learn fit on the same rows *with all labels known* (or over a factorization, a product, a copy). A ratio is the
median over draws of the task with its quartiles; errors are percent of the unlabeled rows, mean and standard deviation
over the same draws. One thread unless a row says otherwise, in processor seconds, which other work on the machine does
not count into; rows with two threads are seconds of the clock and mean something only on an idle machine. What is
imported at first use is called before, on a small draw.

Peers are stored multiples (`benchmarks/peers.toml`): public programs, on the same task, measured once against the same
yardstick with their authors' parameters, on one draw (g50c) or ten splits (Text), within about 30 %. "Error no" marks
methods more than half a point above the best program running the same method.

{limited(machine)}Taken {machine["taken"]} at commit `{machine["commit"]}` on
{machine["cores"]} cores of {machine["processor"]} with {machine["memory_gib"]} GiB,
in {machine["minutes"]} minutes, load {machine["load_before"]} before and {machine["load_after"]} after ({versions}).
"""


def growth_plot(figures: list[Figure], path: Path) -> None:
    """Seconds over rows, both logarithmic, with the fitted exponents."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(7.5, 5))
    axes = canvas.add_subplot()
    for number, figure in enumerate(figure for figure in figures if figure.points):
        assert figure.points is not None
        sizes, seconds = [float(n) for n in figure.points], list(figure.points.values())
        color = COLORS[number % len(COLORS)]
        axes.loglog(sizes, seconds, "o-", color=color, label=f"{figure.method}: n^{figure.value:.2f}")
    axes.set_xlabel("unlabeled rows")
    axes.set_ylabel("processor seconds, one thread")
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(fontsize=8, frameon=False)
    _save(canvas, path)


def error_plot(figures: list[Figure], path: Path) -> None:
    """Error over time: our kernel and landmark methods, and stored programs on the same task."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(7.5, 5))
    axes = canvas.add_subplot()
    for benchmark, marker, color in (("kernel", "o", COLORS[0]), ("landmarks", "s", COLORS[2])):
        for figure in figures:
            if figure.benchmark == benchmark and figure.error is not None and figure.unit == "SVC fits":
                theirs = "scikit-learn" in figure.method
                axes.plot(figure.value, figure.error, marker, color=COLORS[6] if theirs else color)
                name = figure.method if benchmark == "kernel" else f"{figure.method}, landmarks"
                axes.annotate(
                    name, (figure.value, figure.error), fontsize=6.5, xytext=(4, 3), textcoords="offset points"
                )
    for peer in peers.stored():
        if peer.task.startswith("g50c, 8,000") and peer.multiple is not None and "scikit" not in peer.program:
            axes.plot(peer.multiple, peer.error, "x", color=COLORS[1])
            note(axes, peer.program, (peer.multiple, peer.error))
    axes.set_xscale("log")
    axes.set_xlabel("time in SVC fits with all labels (crosses: stored multiples of other programs)")
    axes.set_ylabel("error on unlabeled rows, %")
    axes.grid(True, which="both", alpha=0.25)
    _save(canvas, path)


def note(axes: Any, text: str, place: tuple[float, float]) -> None:
    axes.annotate(text, place, fontsize=6.5, xytext=(4, 3), textcoords="offset points")


def _save(canvas: Any, path: Path) -> None:
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "semisvm", "svg.fonttype": "none"}):
        canvas.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
    # matplotlib ends lines with blanks
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def short_table(figures: list[Figure]) -> str:
    """Ours beside other programs, for readers in a hurry: the methods that have a bar."""
    lines: list[tuple[str, ...]] = [("task", "method", "time", "error %", "other programs"), ("---",) * 5]
    for figure in figures:
        if figure.benchmark in ("kernel", "landmarks", "sparse_text") and figure.bar is not None:
            time = f"{figure.value:.1f} {figure.unit} (bar {figure.bar:g})"
            lines.append((figure.task, figure.method, time, f"{figure.error or 0.0:.1f}", figure.peers))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def sections(figures: list[Figure]) -> str:
    parts = []
    for benchmark, title in TITLES.items():
        shown = [figure for figure in figures if figure.benchmark == benchmark]
        if shown:
            parts.append(f"## {title}\n\n{table.markdown(shown)}\n")
        if benchmark == "landmarks":
            parts.append("![Error over time](benchmarks/error_over_time.svg)\n")
        if benchmark == "growth":
            parts.append("![Time over rows](benchmarks/growth.svg)\n")
    return "\n".join(parts)


def write(record: dict[str, Any], docs: Path = DOCS) -> None:
    figures = [Figure.of_dict(figure) for figure in record["figures"]]
    (docs / "benchmarks").mkdir(exist_ok=True)
    growth_plot(figures, docs / "benchmarks" / "growth.svg")
    error_plot(figures, docs / "benchmarks" / "error_over_time.svg")
    page = [opening(record, figures), f"## Figures\n\n{short_table(figures)}\n", REMARKS.read_text(), sections(figures)]
    page.append(PROFILED.read_text())
    (docs / "benchmarks.md").write_text("\n".join(page).rstrip() + "\n")


if __name__ == "__main__":
    write(json.loads(Path(sys.argv[1]).read_text() if sys.argv[1:] else RECORDED.read_text()))
