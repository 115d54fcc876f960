"""What commands print: one line on stderr for errors of the user, tables on stdout, progress on a terminal."""

import functools
import json
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

from semisvm.cli.wording import as_option

EXTRAS = {
    "skops": "cli",
    "pandas": "table",
    "pyarrow": "table",
    "openpyxl": "table",
    "matplotlib": "plots",
    "distributed": "dask",
    "model2vec": "embed",
    "uvicorn": "annotate",
    "starlette": "annotate",
}
"""Optional packages of commands, and the extra that installs each."""
REDRAW_SECONDS = 0.2
PATIENCE = 2.0
"""Seconds after which a stage shows its time."""
BAR = 24


def in_one_line(command: Callable[..., None]) -> Callable[..., None]:
    """Print errors that the user can correct in one line on stderr, with exit status 1."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> None:
        import typer

        try:
            command(*args, **kwargs)
        except (ValueError, OSError, MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and type(error) is not RuntimeError:
                raise  # a mistake of a program, such as endless recursion
            typer.echo(cleared(sys.stderr) + wrapped(as_option(" ".join(str(error).split())), sys.stderr), err=True)
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

    return guarded


def show(header: Sequence[str], lines: Sequence[Sequence[Any]], as_json: bool = False) -> None:
    """Print rows: a table on a terminal, tab-separated lines in a pipe, or JSON."""
    if as_json:
        print(json.dumps([dict(zip(header, line, strict=True)) for line in lines], indent=1))
    else:
        print(as_table(header, lines))


def as_table(header: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """Rows as a table for a terminal, or tab-separated for a pipe."""
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
    """A progress bar on a terminal, nothing in a pipe. Yields a function to call after each step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    silent = not sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        steps = bar.add_task(title, total=total)
        yield lambda: bar.advance(steps)


class Step(Protocol):
    """Called when a stage begins, and with its progress."""

    def __call__(self, title: str, done: int = 0, total: int = 0, /) -> None: ...


def no_step(title: str, done: int = 0, total: int = 0, /) -> None:
    """Do nothing."""


@contextmanager
def stages() -> Iterator[Step]:
    """Show the present stage on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield no_step
        return
    line = StageLine(sys.stderr)
    try:
        yield line
    finally:
        line.close()


class StageLine:
    """One line with the name of the stage. A thread redraws it; after two seconds it shows the time or a bar.

    It imports nothing that takes time, so that the first stage shows at once.
    """

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.title, self.done, self.total, self.began = "", 0, 0, time.monotonic()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._draw_again, daemon=True)
        self.drawing = threading.Lock()

    def __call__(self, title: str, done: int = 0, total: int = 0, /) -> None:
        if title != self.title:
            self.began = time.monotonic()
        self.title, self.done, self.total = title, done, total
        self._draw()
        if not self.thread.is_alive():
            self.thread.start()

    def _draw_again(self) -> None:
        while not self.ended.wait(REDRAW_SECONDS):
            self._draw()

    def _draw(self) -> None:
        with self.drawing:
            if not self.ended.is_set():
                self.stream.write(f"\r\x1b[2K{self.text(shutil.get_terminal_size().columns - 1)}")
                self.stream.flush()

    def text(self, width: int) -> str:
        """The line as it is now; where it is wider, the bar gets shorter, then the title is cut."""
        spent = time.monotonic() - self.began
        if spent < PATIENCE:
            return self.title[:width]
        if not self.total or not self.done:
            return self._with_title(f", {spent:.0f} s", width)
        share = min(1.0, self.done / self.total)
        left = f"{share:.0%}, about {spent * (1 - share) / share:.0f} s left"
        long = min(BAR, width - len(self.title) - len(left) - 4)
        if long < 1:
            return self._with_title(f", {left}", width)
        full = round(share * long)
        return f"{self.title} [{'#' * full}{'-' * (long - full)}] {left}"

    def _with_title(self, end: str, width: int) -> str:
        return (self.title[: max(0, width - len(end))] + end)[:width]

    def close(self) -> None:
        """Remove the line."""
        with self.drawing:
            self.ended.set()
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
        if self.thread.is_alive():
            self.thread.join()


def say(text: str) -> None:
    """Print a line. On a terminal it is broken between words."""
    print(cleared(sys.stdout) + wrapped(text, sys.stdout))


def cleared(stream: TextIO) -> str:
    """The characters that remove the line of the stage from a terminal."""
    return "\r\x1b[2K" if stream.isatty() and sys.stderr.isatty() else ""


def wrapped(text: str, stream: TextIO) -> str:
    """Break a text of one line between words at the width of a terminal. In a pipe it is unchanged."""
    if not stream.isatty() or "\n" in text:
        return text
    width = shutil.get_terminal_size().columns
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False, subsequent_indent="  ")
