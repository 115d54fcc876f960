"""Options that several commands have, as typer reads them."""

from pathlib import Path
from typing import Annotated

import typer

Table = Annotated[
    Path, typer.Argument(help="A .csv, .tsv, .jsonl (each also .gz), .parquet, .feather or .xlsx file, or a folder.")
]
Method = Annotated[str, typer.Option(help="auto, or the name of a method: gradient, cccp, mean, ...")]
Text = Annotated[list[str] | None, typer.Option(help="A column to read as text; may be repeated.")]
Id = Annotated[str | None, typer.Option("--id", help="A column that names the rows.")]
Drop = Annotated[list[str] | None, typer.Option(help="A column not to learn from; may be repeated.")]
Unlabeled = Annotated[
    list[str] | None, typer.Option(help="A word of the label column that means no label; may be repeated.")
]
Keep = Annotated[
    list[str] | None, typer.Option(help="A word that would count as no label and is a class; may be repeated.")
]
MergeLabels = Annotated[bool, typer.Option("--merge-labels", help="Take classes that look alike for one.")]
Classes = Annotated[bool, typer.Option("--classes", help="The label column does hold classes, however many.")]
Ratio = Annotated[
    str | None,
    typer.Option(help="Shares of the classes among the blank rows: cat=0.3,dog=0.7, or estimated, labeled, uniform."),
]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds after which learning ends with what it has.")]
Seed = Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")]
Embed = Annotated[
    Path | None, typer.Option(help="A folder with a model that turns texts into numbers; none is downloaded.")
]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler to work on.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
