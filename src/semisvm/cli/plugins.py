"""Commands of other packages: each has a function of the application as an entry point under `semisvm.commands`."""

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from semisvm.cli.terminal import in_one_line

if TYPE_CHECKING:
    import typer

GROUP = "semisvm.commands"
NOT_INSTALLED = {"papers": "Published tables, run again", "bench": "The benchmarks of the source tree"}
"""Commands of the package semisvm-papers, which is installed from a copy of the source tree."""


def add_plugins(app: "typer.Typer") -> None:
    """Let every installed package add its commands. Known commands that are not installed say how to install them."""
    plugins = entry_points(group=GROUP)
    for plugin in plugins:
        plugin.load()(app)
    if "papers" not in plugins.names:
        for name in NOT_INSTALLED:
            _add_hint(app, name)


def _add_hint(app: "typer.Typer", name: str) -> None:
    """A command that takes any arguments and says what to install."""

    def hint(words: list[str] | None = None) -> None:
        raise ValueError(
            f"`semisvm {name}` is part of the package semisvm-papers, which is not installed: "
            "run  pip install ./papers  in a copy of the source tree of semisvm."
        )

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    text = f"{NOT_INSTALLED[name]} (needs the package semisvm-papers)."
    app.command(name, help=text, context_settings=settings)(in_one_line(hint))
