"""`semisvm fit` and `semisvm predict`: learn from one table, label others."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from semisvm.cli.telling import stage_line


def fit() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def fit(
        table: Annotated[Path, typer.Argument(help="A .csv, .tsv, .parquet or .jsonl file, or a folder.")],
        label: Annotated[str, typer.Option("--label", help="The column of classes; blank where unknown.")],
        out: Annotated[Path | None, typer.Option(help="Where the model goes: TABLE.skops by default.")] = None,
        method: Annotated[str, typer.Option(help="auto, or the name of a method: gradient, cccp, mean, ...")] = "auto",
        text: Annotated[list[str] | None, typer.Option(help="A column to read as text; may be repeated.")] = None,
        id: Annotated[str | None, typer.Option("--id", help="A column that names the rows.")] = None,
        scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to work on.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Learn from a table with some labels and keep the model, with how columns are prepared, in a file."""
        from semisvm.cli.all_rows import learned
        from semisvm.cli.compare import known_method
        from semisvm.cli.model_file import save_model
        from semisvm.cli.outputs import beside
        from semisvm.cli.places import place
        from semisvm.cli.sampling import Request, gather
        from semisvm.report import for_machines
        from semisvm.tables import check_place

        request = Request(table, label, known_method(method), tuple(text or ()), id)
        out = out or beside(table, ".skops")
        check_place(out)
        with stage_line() as step, place(scheduler) as there:
            step("reading")
            sample = gather(request)
            step(f"learning from {len(sample.rows):,} rows")
            trained = learned(request, sample, there)
            save_model(trained.model, out)
        report = trained.model.classifier.report_
        if as_json:
            told = {**report.as_dict(), "classes": sample.classes, "model": str(out), "notes": trained.notes}
            print(for_machines(told))
            return
        for note in trained.notes:
            print(note)
        print(report.comparison.verdict)
        print(f"model: {out}")

    return fit


def predict() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def predict(
        model: Annotated[Path, typer.Argument(help="A model that `semisvm fit` wrote.")],
        table: Annotated[Path, typer.Argument(help="A table with the columns the model was trained with.")],
        out: Annotated[Path | None, typer.Option(help="Where the table goes: TABLE.predicted.csv by default.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Label every row of a table by a model; the table is read and written in chunks, however large."""
        from semisvm.cli.labeling import predict_table
        from semisvm.cli.model_file import load_model
        from semisvm.cli.outputs import beside
        from semisvm.tables import check_place, table_file

        table_file(table)  # refuses what is no table before other names are made of its name
        learned = load_model(model)
        ending = ".parquet" if table.is_dir() else table.suffix
        out = out or beside(table, f".predicted{ending}")
        check_place(out)
        with stage_line() as step:
            step("labeling")
            counts = predict_table(learned, table, out)
        told = dict(zip((str(name) for name in learned.classes), counts, strict=True))
        if as_json:
            print(json.dumps({"n_rows": sum(counts), "counts": told, "table": str(out)}))
            return
        print(f"{sum(counts):,} rows: " + ", ".join(f"{name} {count:,}" for name, count in told.items()))
        print(f"table: {out}")

    return predict
