"""`semisvm annotate`: label a table on a local page, together with a model."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
from collections.abc import Callable
from pathlib import Path
from typing import Annotated


def annotate() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def annotate(
        table: Annotated[Path, typer.Argument(help="A .csv, .tsv, .parquet or .jsonl file, or a folder.")],
        label: Annotated[str, typer.Option("--label", help="The column of classes; it may be blank.")],
        new: Annotated[bool, typer.Option("--new", help="Start a column of that name.")] = False,
        image: Annotated[str | None, typer.Option(help="A column of names of image files, beside the table.")] = None,
        in_place: Annotated[bool, typer.Option("--in-place", help="Save into TABLE, not TABLE.annotated.csv.")] = False,
        ratio: Annotated[float | None, typer.Option(help="Share of the one labeled class elsewhere.")] = None,
        port: Annotated[int, typer.Option(help="The port of the page; a free one by default.")] = 0,
        no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, open no browser.")] = False,
    ) -> None:
        """Label a table on a local page. It asks for the most informative rows, learns, and says when to stop."""
        import uvicorn  # noqa: F401  (asked for here, so that a missing extra shows before the table is read)

        from semisvm.annotate.request import AnnotateRequest
        from semisvm.annotate.running import run

        run(AnnotateRequest(table, label, image=image, new=new, in_place=in_place, ratio=ratio), port, show=not no_open)

    return annotate
