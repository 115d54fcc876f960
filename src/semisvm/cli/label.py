"""`semisvm label`: fill in the missing labels of a table."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semisvm.cli.terminal import Step, as_table, say, stages

if TYPE_CHECKING:
    from semisvm.cli.request import Request
    from semisvm.report import Fold, Story


def label() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    from semisvm.cli import options

    wanted = ("min_confidence", "min_precision", "probabilities", "explain", "suggest", "embed")

    @options.with_request(*options.OF_LEARNING, *wanted)
    def label(
        request: "Request",
        out: Annotated[Path | None, typer.Option(help="Where the table goes: TABLE.labeled.csv by default.")] = None,
        report: Annotated[Path | None, typer.Option(help="Where the page goes: TABLE.labeled.html by default.")] = None,
        folds: Annotated[int, typer.Option(help="Cross-validate on so many folds of the labels as well.")] = 0,
        scheduler: options.Scheduler = None,
        as_json: options.AsJson = False,
    ) -> None:
        """Fill in the missing labels of a table, with confidences, a report page and the rows to label next."""
        from semisvm.cli.outputs import beside
        from semisvm.cli.request import check_places
        from semisvm.tables import ending_of

        table = request.table
        out = out or beside(table, f".labeled{ending_of(table)}")
        report = report or out.with_name(out.name.removesuffix(ending_of(out)) + ".html")
        check_places(table, out, report)
        with stages() as step:
            step(f"reading {table}")
            _label(request, out, report, step, folds, scheduler, as_json)

    return label


def _label(
    request: Any,
    out: Path,
    report: Path,
    step: Step,
    folds: int,
    scheduler: str | None,
    as_json: bool,
) -> None:
    """The part that needs NumPy. NumPy is loaded after the first line was printed."""
    judged = cross_validation(request.method, folds)
    from semisvm.cli.labeling import label_table
    from semisvm.cli.places import place
    from semisvm.cli.sampling import NothingToFill, OnlyOneClass
    from semisvm.report import as_json as story_as_json

    with place(scheduler) as there:
        try:
            quiet = (lambda line: None) if as_json else say
            story = label_table(request, out, report, step, judged, there, quiet)
        except NothingToFill as nothing:
            say('{"n_filled": 0}' if as_json else str(nothing))
            return
        except OnlyOneClass as only:
            from semisvm.cli.one_class import label_one_class

            label_one_class(request, only, out, report, step, there, folds=folds, as_json=as_json)
            return
    if as_json:
        print(story_as_json(story))
        return
    for line in summary(story):
        say(line)
    say(f"table: {out}")
    say(f"report: {report}")


def cross_validation(method: str, folds: int) -> "Callable[[Any, Any], tuple[Fold, ...]]":
    """A function that cross-validates a supervised SVM and the method; for 0 folds it returns nothing."""
    if folds == 0:
        return lambda X, codes: ()
    if folds < 2:
        raise ValueError(f"--folds {folds} was given: 0 for none, or 2 and more.")

    def judged(X: Any, codes: Any) -> "tuple[Fold, ...]":
        from semisvm.cli.compare import cross_validated
        from semisvm.report import Fold

        scores = [cross_validated(name, X, codes, folds) for name in dict.fromkeys(("supervised", method))]
        return tuple(
            Fold(s.method, s.error, s.deviation) for s in scores if s.error is not None and s.deviation is not None
        )

    return judged


def summary(story: "Story") -> list[str]:
    """The result in a few lines."""
    filled = f"{story.n_filled:,} rows filled"
    if story.n_left:
        filled += f" and {story.n_left:,} left blank"
    if story.n_filled:
        filled += f", mean confidence {story.mean_confidence:.0%}"
    lines = [
        f"{story.table}: {story.n_rows:,} rows, {story.n_labeled:,} labels of {len(story.classes)} classes; "
        f"trained on {story.n_trained:,} rows; {filled}, {story.seconds:.1f} s"
    ]
    blank = [f"{name} ({missing:,})" for name, kind, _, missing in story.columns if missing and kind != "left out"]
    left_out = [f"{name} ({use})" for name, kind, use, _ in story.columns if kind == "left out"]
    if blank:
        lines.append(f"blank cells were filled in: {', '.join(blank)}")
    if left_out:
        lines.append(f"columns left out: {', '.join(left_out)}")
    lines += [*story.notes, story.verdict]
    for fold in story.folds:
        lines.append(f"cross-validated error of {fold.method}: {fold.error:.1%} (standard error {fold.deviation:.1%})")
    shares = zip(story.classes, story.given, story.obtained, strict=True)
    lines.append(as_table((story.label, "labels", "filled"), [(str(name), given, n) for name, given, n in shares]))
    if story.suggestions:
        lines.append(f"label next: rows {', '.join(one.row for one in story.suggestions)}")
    return lines
