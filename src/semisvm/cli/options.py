"""Options that several commands have, as typer reads them."""

# No `from __future__ import annotations` here: typer reads the annotations.
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from semisvm.cli.compare import known_method
from semisvm.cli.request import Request, check_request

Table = Annotated[
    Path, typer.Argument(help="A .csv, .tsv, .jsonl (each also .gz), .parquet, .feather or .xlsx file, or a folder.")
]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler to work on.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

OF_REQUESTS: dict[str, Any] = {
    "table": Table,
    "label": Annotated[str, typer.Option("--label", help="The column of classes; blank where unknown.")],
    "method": Annotated[str, typer.Option(help="auto, or the name of a method: gradient, cccp, mean, ...")],
    "text": Annotated[list[str] | None, typer.Option(help="A column to read as text; may be repeated.")],
    "id": Annotated[str | None, typer.Option("--id", help="A column that names the rows.")],
    "drop": Annotated[list[str] | None, typer.Option(help="A column not to learn from; may be repeated.")],
    "unlabeled": Annotated[
        list[str] | None, typer.Option(help="A word of the label column that means no label; may be repeated.")
    ],
    "keep": Annotated[
        list[str] | None, typer.Option(help="A word that would count as no label and is a class; may be repeated.")
    ],
    "merge_labels": Annotated[bool, typer.Option("--merge-labels", help="Take classes that look alike for one.")],
    "classes": Annotated[bool, typer.Option("--classes", help="The label column does hold classes, however many.")],
    "ratio": Annotated[
        str | None,
        typer.Option(
            help="Shares of the classes among the blank rows: cat=0.3,dog=0.7, or estimated, labeled, uniform."
        ),
    ],
    "sample": Annotated[
        int | None, typer.Option(help="Train on so many blank rows, drawn at random; on all that fit by default.")
    ],
    "time_limit": Annotated[float | None, typer.Option(help="Seconds after which learning ends with what it has.")],
    "seed": Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")],
    "min_confidence": Annotated[
        float | None, typer.Option(help="Leave a row blank unless its class has this probability.")
    ],
    "min_precision": Annotated[
        float | None, typer.Option(help="Leave rows blank so that this share of the others is right.")
    ],
    "probabilities": Annotated[bool, typer.Option("--probabilities", help="Add a column for each class.")],
    "explain": Annotated[bool, typer.Option("--explain", help="Add the nearest labeled rows of each row.")],
    "suggest": Annotated[int, typer.Option(help="How many rows to suggest for labeling.")],
    "embed": Annotated[
        Path | None, typer.Option(help="A folder with a model that turns texts into numbers; none is downloaded.")
    ],
}
"""What each field of a `Request` is on the command line."""
OF_TABLES = ("table", "label", "text", "id", "drop", "unlabeled", "keep", "merge_labels", "classes", "sample")
OF_LEARNING = (*OF_TABLES, "method", "ratio", "time_limit", "seed")


def with_request(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options of a `Request`. The request is checked and becomes its first argument."""
    defaults = {one.name: one.default for one in fields(Request)}

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        def asked(**given: Any) -> None:
            wanted = {name: given.pop(name) for name in names}
            request = Request(**{name: _as_field(value, defaults[name]) for name, value in wanted.items()})
            known_method(request.method)
            check_request(request)
            command(request, **given)

        kind = inspect.Parameter.KEYWORD_ONLY
        shared = [
            inspect.Parameter(name, kind, default=_default(defaults[name]), annotation=OF_REQUESTS[name])
            for name in names
        ]
        _, *own = inspect.signature(command).parameters.values()
        asked.__name__, asked.__doc__ = command.__name__, command.__doc__
        asked.__signature__ = inspect.Signature([*shared, *(one.replace(kind=kind) for one in own)])  # type: ignore[attr-defined]
        return asked

    return with_options


def _default(value: Any) -> Any:
    """The default as typer expects it: empty where an option is required, None for a list."""
    return inspect.Parameter.empty if value is MISSING else None if value == () else value


def _as_field(value: Any, default: Any) -> Any:
    return tuple(value or ()) if default == () else value
