"""`semisvm label`: fill in the missing labels of a table."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semisvm.cli.telling import as_table, stage_line

if TYPE_CHECKING:
    from semisvm.report import Fold, Story


def label() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def label(
        table: Annotated[Path, typer.Argument(help="A .csv, .tsv, .parquet or .jsonl file, or a folder.")],
        label: Annotated[str, typer.Option("--label", help="The column of classes; blank cells are filled.")],
        out: Annotated[Path | None, typer.Option(help="Where the table goes: TABLE.labeled.csv by default.")] = None,
        report: Annotated[Path | None, typer.Option(help="Where the page goes: TABLE.labeled.html by default.")] = None,
        method: Annotated[str, typer.Option(help="auto, or the name of a method: gradient, cccp, mean, ...")] = "auto",
        text: Annotated[list[str] | None, typer.Option(help="A column to read as text; may be repeated.")] = None,
        id: Annotated[str | None, typer.Option("--id", help="A column that names the rows.")] = None,
        folds: Annotated[int, typer.Option(help="Cross-validate on so many folds of the labels as well.")] = 0,
        scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to work on.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Fill in the missing labels of a table, with confidences, a report page and the rows to label next."""
        from semisvm.cli.compare import known_method
        from semisvm.cli.labeling import label_table
        from semisvm.cli.outputs import beside
        from semisvm.cli.places import place
        from semisvm.cli.sampling import NothingToFill, Request
        from semisvm.report import as_json as told
        from semisvm.tables import table_file

        table_file(table)  # refuses what is no table before other names are made of its name
        request = Request(table, label, known_method(method), tuple(text or ()), id)
        ending = ".parquet" if table.is_dir() else table.suffix
        out = out or beside(table, f".labeled{ending}")
        report = report or out.with_suffix(".html")
        try:
            with stage_line() as step, place(scheduler) as there:
                story = label_table(request, out, report, step, cross_validation(method, folds), there)
        except NothingToFill as nothing:
            print('{"n_filled": 0}' if as_json else nothing)
            return
        if as_json:
            print(told(story))
            return
        print(summary(story))
        print(f"table: {out}")
        print(f"report: {report}")

    return label


def cross_validation(method: str, folds: int) -> "Callable[[Any, Any], tuple[Fold, ...]]":
    """What cross-validates a supervised SVM and the method on labels they have not seen; nothing for 0 folds."""
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


def summary(story: "Story") -> str:
    """What happened, in a few lines."""
    lines = [
        f"{story.table}: {story.n_rows:,} rows, {story.n_labeled:,} labels of {len(story.classes)} classes; "
        f"{story.n_filled:,} rows filled, mean confidence {story.mean_confidence:.0%}, {story.seconds:.1f} s"
    ]
    blank = [f"{name} ({missing:,})" for name, kind, _, missing in story.columns if missing and kind != "left out"]
    left_out = [f"{name} ({told})" for name, kind, told, _ in story.columns if kind == "left out"]
    if blank:
        lines.append(f"blank cells were filled in: {', '.join(blank)}")
    if left_out:
        lines.append(f"columns left out: {', '.join(left_out)}")
    lines += [*story.notes, story.comparison.verdict]
    for fold in story.folds:
        lines.append(f"cross-validated error of {fold.method}: {fold.error:.1%} (standard error {fold.deviation:.1%})")
    shares = zip(story.classes, story.given, story.obtained, strict=True)
    lines.append(as_table((story.label, "labels", "filled"), [(str(name), given, n) for name, given, n in shares]))
    lines.append(f"label next: rows {', '.join(one.row for one in story.suggestions)}")
    return "\n".join(lines)
