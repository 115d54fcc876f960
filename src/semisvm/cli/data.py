"""`semisvm data`: the data sets and where they are."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import json
from typing import TYPE_CHECKING, Annotated

from semisvm.cli.terminal import in_one_line, show

if TYPE_CHECKING:
    import typer


def data_commands() -> "typer.Typer":
    import typer

    data = typer.Typer(no_args_is_help=True)

    @data.command("list")
    @in_one_line
    def list_all(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
        """List every data set: how to load it, whether it is here and if not why, and its license."""
        from semisvm.datasets import catalog, unavailable_sets

        lines = [(one.file.name, one.file.loader, one.status, one.file.license, one.file.size) for one in catalog()]
        lines += [(one.name, "none", f"missing: {one.reason}", one.license, 0) for one in unavailable_sets()]
        show(("file", "loader", "status", "license", "bytes"), lines, as_json)

    @data.command("path")
    @in_one_line
    def path(
        name: Annotated[str | None, typer.Argument(help="A data file, or the start of its name.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Print the folders that are searched, or where one data file is."""
        from semisvm.datasets import catalog, data_folders

        if name is None:
            folders = [str(folder) for folder in data_folders()]
            print(json.dumps({"folders": folders}) if as_json else "\n".join(folders))
            return
        entries = [entry for entry in catalog() if name in (entry.file.name, entry.file.name.split(".")[0])]
        if not entries:
            raise ValueError(f"There is no data file {name!r}: `semisvm data list` shows them all.")
        (entry,) = entries
        if entry.path is None:
            raise FileNotFoundError(f"{entry.file.name} is {entry.status} ({entry.file.source}).")
        print(json.dumps({"file": entry.file.name, "path": str(entry.path)}) if as_json else entry.path)

    return data
