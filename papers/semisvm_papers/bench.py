"""`semisvm bench`: the benchmarks of the source tree."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated


def bench() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def bench(
        names: Annotated[
            list[str] | None, typer.Argument(help="Benchmarks to run; those of the table if none.")
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Measure speed and accuracy as ratios to other programs; needs a copy of the source tree."""
        tree = source_tree(Path.cwd(), Path(__file__).resolve())
        words = [sys.executable, "-m", "benchmarks", *(names or [])]
        if not as_json:
            raise typer.Exit(subprocess.run(words, cwd=tree).returncode)
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.json"
            done = subprocess.run([*words, "--json", str(figures)], cwd=tree, stdout=subprocess.DEVNULL)
            if done.returncode == 0 and figures.is_file():
                print(figures.read_text(encoding="utf-8"), end="")
        raise typer.Exit(done.returncode)

    return bench


def source_tree(*places: Path) -> Path:
    """The first folder, of these places and all above them, that holds the benchmarks."""
    for place in places:
        for folder in (place, *place.parents):
            if (folder / "benchmarks" / "__main__.py").is_file() and (folder / "src" / "semisvm").is_dir():
                return folder
    raise FileNotFoundError(
        f"There are no benchmarks in {places[0]} nor above it: they are part of the source tree, not of the "
        "installed package, so run this in a copy of the source tree."
    )
