"""How commands tell: one line on stderr for what the user can mend, tables on stdout, progress on a terminal."""

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

EXTRAS = {
    "skops": "cli", "pandas": "table", "pyarrow": "table", "matplotlib": "plots", "distributed": "dask",
    "uvicorn": "annotate", "starlette": "annotate",
}  # fmt: skip
"""Packages that commands may lack, and the extra that brings each."""


def in_one_line(command: Callable[..., None]) -> Callable[..., None]:
    """What the user can mend is told in one line on stderr, with exit status 1."""

    @functools.wraps(command)
    def told(*args: Any, **kwargs: Any) -> None:
        import typer

        try:
            command(*args, **kwargs)
        except (ValueError, OSError, MemoryError) as error:
            typer.echo(" ".join(str(error).split()), err=True)
            raise typer.Exit(1) from error
        except ModuleNotFoundError as error:
            if error.name not in EXTRAS:
                raise
            typer.echo(
                f"This needs {error.name}: install it with  pip install 'semisvm[{EXTRAS[error.name]}]'.", err=True
            )
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            typer.echo("Interrupted; what was finished is kept.", err=True)
            raise typer.Exit(1) from error

    return told


def show(header: Sequence[str], lines: Sequence[Sequence[Any]], as_json: bool = False) -> None:
    """Rows for people on a terminal, for programs in a pipe, or as JSON."""
    if as_json:
        print(json.dumps([dict(zip(header, line, strict=True)) for line in lines], indent=1))
    else:
        print(as_table(header, lines))


def as_table(header: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """Rows in a frame for a terminal, between tabs for a pipe."""
    if not sys.stdout.isatty():
        return "\n".join("\t".join(str(value) for value in line) for line in [header, *lines])
    from rich.console import Console
    from rich.table import Table

    table = Table(*header)
    for line in lines:
        table.add_row(*(str(value) for value in line))
    console = Console()
    with console.capture() as shown:
        console.print(table)
    return shown.get().rstrip("\n")


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal, nothing in a pipe; yields what to call after each step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    silent = not sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        steps = bar.add_task(title, total=total)
        yield lambda: bar.advance(steps)


@contextmanager
def stage_line() -> Iterator[Callable[[str], None]]:
    """What is being done now, on a terminal; nothing in a pipe."""
    from rich.console import Console

    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield lambda title: None
        return
    with console.status("") as status:
        yield status.update
