"""`semisvm fit` and `semisvm predict`: learn from one table, label others."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semisvm.cli.terminal import Step, say, stages

if TYPE_CHECKING:
    from semisvm.cli.request import Request


def fit() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    from semisvm.cli import options

    @options.with_request(*options.OF_LEARNING)
    def fit(
        request: "Request",
        out: Annotated[Path | None, typer.Option(help="Where the model goes: TABLE.skops by default.")] = None,
        scheduler: options.Scheduler = None,
        as_json: options.AsJson = False,
    ) -> None:
        """Learn from a table with some labels and keep the model, with how columns are prepared, in a file."""
        from semisvm.cli.outputs import beside
        from semisvm.tables import check_place

        out = out or beside(request.table, ".skops")
        check_place(out)
        with stages() as step:
            step(f"reading {request.table}")
            _fit(request, out, step, scheduler, as_json)

    return fit


def _fit(request: Any, out: Path, step: Step, scheduler: str | None, as_json: bool) -> None:
    """The part that needs NumPy. NumPy is loaded after the first line was printed."""
    from semisvm.cli.all_rows import learned
    from semisvm.cli.facts import facts_of
    from semisvm.cli.model_file import save_model
    from semisvm.cli.places import place
    from semisvm.cli.sampling import gather
    from semisvm.report import for_machines

    with place(scheduler) as there:
        sample = gather(request)
        trained = learned(request, sample, there, step)
        save_model(trained.model, out)
    report = trained.model.classifier.report_
    notes = (*sample.said, *trained.notes)
    if as_json:
        content = {**report.as_dict(), "classes": sample.classes, "model": str(out), "notes": notes}
        print(for_machines(content))
        return
    for line in (*notes, facts_of(report).verdict, f"model: {out}"):
        say(line)


def predict() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def predict(
        model: Annotated[Path, typer.Argument(help="A model that `semisvm fit` wrote.")],
        table: Annotated[Path, typer.Argument(help="A table with the columns the model was trained with.")],
        out: Annotated[Path | None, typer.Option(help="Where the table goes: TABLE.predicted.csv by default.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Label every row of a table by a model. The table is read and written in chunks, so it may be large."""
        from semisvm.cli.labeling import predict_table
        from semisvm.cli.model_file import load_model, sound
        from semisvm.cli.outputs import beside
        from semisvm.cli.request import check_places
        from semisvm.tables import ending_of, table_file

        table_file(table).check_there()  # a file that is not a table is refused before names are derived from its name
        out = out or beside(table, f".predicted{ending_of(table)}")
        check_places(table, out, None)
        with stages() as step:
            step(f"labeling {table}")
            learned = load_model(model)
            counts = predict_table(learned, table, out, lambda: sound(model))
        content = dict(zip((str(name) for name in learned.classes), counts, strict=True))
        if as_json:
            print(json.dumps({"n_rows": sum(counts), "counts": content, "table": str(out)}))
            return
        say(f"{sum(counts):,} rows: " + ", ".join(f"{name} {count:,}" for name, count in content.items()))
        say(f"table: {out}")

    return predict
