"""The command `semisvm`: label a table, keep a model, compare methods, data, a demo, and what plug-ins add.

The exit status is 0, 1 for an error that the user can correct (one line on stderr), or 2 for wrong usage. Results go to
stdout: a table on a terminal, tab-separated lines in a pipe. Progress goes to stderr, and only to a terminal. Large
packages are imported by the command that needs them.
"""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import sys
from typing import TYPE_CHECKING, Annotated, TextIO

from semisvm.cli.annotate import annotate
from semisvm.cli.compare import compare
from semisvm.cli.data import data_commands
from semisvm.cli.demo import demo
from semisvm.cli.label import label
from semisvm.cli.models import fit, predict
from semisvm.cli.plugins import add_plugins
from semisvm.cli.terminal import in_one_line

if TYPE_CHECKING:
    import typer

LONG = ("label", "fit", "predict", "compare", "demo", "bench")
"""Commands that take more than a moment."""


def main() -> None:
    """The entry point of the command line."""
    announce(sys.argv[1:], sys.stderr)
    try:
        run = application()
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"The command line needs {error.name}: install it with  pip install 'semisvm[cli]'.")
    run()


def announce(words: list[str], stream: TextIO) -> None:
    """Print a first line on a terminal before anything is loaded. The next line replaces it."""
    if words[:1] and words[0] in LONG and stream.isatty():
        stream.write(f"semisvm {words[0]}: starting\r")
        stream.flush()


def application() -> "typer.Typer":
    """The command line as a typer application."""
    import rich  # noqa: F401  (asked for here, so that a missing extra shows before any command runs)
    import typer

    app = typer.Typer(
        name="semisvm",
        help="Semi-supervised support vector machines: classifiers from few labels and many unlabeled samples.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    def show_version(asked: bool) -> None:
        if asked:
            import semisvm

            print(f"semisvm {semisvm.__version__}")
            raise typer.Exit

    @app.callback()
    def root(
        version: Annotated[
            bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        pass

    for command in (label(), annotate(), fit(), predict(), compare(), demo()):
        app.command()(in_one_line(command))
    app.add_typer(data_commands(), name="data", help="The data sets and where they are.")
    add_plugins(app)
    return app
