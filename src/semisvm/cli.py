"""The command `semisvm`: published tables, data sets and a demonstration.

Exit status 0, 1 (the user can mend it: one line on stderr) or 2 (usage).  Results go to stdout, as a table on a
terminal and as tab-separated lines in a pipe; progress goes to stderr, and only to a terminal.  Everything heavy is
imported by the command that needs it.
"""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import functools
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    import typer

    from semisvm.papers.tasks import Task

DEMO_SECONDS = 75.0
_ONLY_FOR_SMALL_SETS = ("BranchAndBoundS3VM", "SDPRelaxationS3VM")


def main() -> None:
    """The entry point of the command line."""
    try:
        run = application()
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"The command line needs {error.name}: install it with  pip install 'semisvm[cli]'.")
    run()


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

    app.command()(_in_one_line(demo))
    app.add_typer(_papers_commands(), name="papers", help="Published tables, run again.")
    app.add_typer(_data_commands(), name="data", help="The data sets and where they are.")
    return app


# ---------------------------------------------------------------- papers


def _papers_commands() -> "typer.Typer":
    import typer

    papers = typer.Typer(no_args_is_help=True)

    @papers.command("list")
    @_in_one_line
    def list_all(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
        """List the published tables that can be run again."""
        from semisvm.papers import Table, list_tables

        tables = [Table.load(name) for name in list_tables()]
        lines = [(one.name, len(one.rows), len(one.columns), f"{one.title} ({one.paper})") for one in tables]
        _show(("table", "data sets", "methods", "title"), lines, as_json)

    @papers.command("run")
    @_in_one_line
    def run_one(
        name: Annotated[str, typer.Argument(help="A table of `semisvm papers list`.")],
        splits: Annotated[int | None, typer.Option(min=1, help="Run only the first N splits.")] = None,
        datasets: Annotated[str | None, typer.Option(help="Only these data sets: a,b,...")] = None,
        methods: Annotated[str | None, typer.Option(help="Only these methods: a,b,...")] = None,
        out: Annotated[Path | None, typer.Option(help="The file of records to go on with.")] = None,
        retry_failures: Annotated[bool, typer.Option("--retry-failures", help="Run failed cells again.")] = False,
        fresh: Annotated[bool, typer.Option("--fresh", help="Forget the records of earlier runs.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the records as JSON.")] = False,
    ) -> None:
        """Run a published table and print ours beside theirs; a killed run goes on where it stopped."""
        from semisvm.datasets import cache_folder
        from semisvm.papers import Table, pending_jobs, read_records, run, side_by_side

        table = Table.load(name)
        file = out or cache_folder() / "papers" / f"{name}.jsonl"
        if fresh:
            file.unlink(missing_ok=True)
        chosen: dict[str, Any] = {"datasets": _names(datasets), "methods": _names(methods)}
        chosen["retry_failures"] = retry_failures
        left = len(pending_jobs(table, read_records(file), splits, **chosen))
        with _progress(name, left) as advance:
            records = run(table, splits, file, **chosen, watch=lambda record: advance())
        print(json.dumps([asdict(one) for one in records], indent=1) if as_json else side_by_side(table, records))

    return papers


def _names(given: str | None) -> list[str] | None:
    return None if given is None else [name.strip() for name in given.split(",") if name.strip()]


# ---------------------------------------------------------------- data


def _data_commands() -> "typer.Typer":
    import typer

    data = typer.Typer(no_args_is_help=True)

    @data.command("list")
    @_in_one_line
    def list_all(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
        """List every data file: how to load it, whether it is here and if not why, and its licence."""
        from semisvm.datasets import catalogue

        lines = [(one.file.name, one.file.loader, one.status, one.file.licence, one.file.size) for one in catalogue()]
        _show(("file", "loader", "status", "licence", "bytes"), lines, as_json)

    @data.command("path")
    @_in_one_line
    def path(name: Annotated[str | None, typer.Argument(help="A data file, or the start of its name.")] = None) -> None:
        """Print the folders that are searched, or where one data file is."""
        from semisvm.datasets import catalogue, data_folders

        if name is None:
            print("\n".join(str(folder) for folder in data_folders()))
            return
        entries = [entry for entry in catalogue() if name in (entry.file.name, entry.file.name.split(".")[0])]
        if not entries:
            raise ValueError(f"There is no data file {name!r}: `semisvm data list` shows them all.")
        (entry,) = entries
        if entry.path is None:
            raise FileNotFoundError(f"{entry.file.name} is {entry.status} ({entry.file.source}).")
        print(entry.path)

    return data


# ---------------------------------------------------------------- demo


@dataclass(frozen=True)
class _Fit:
    """How one estimator did on one task; ``remark`` says what went wrong, if anything did."""

    error_pct: float | None
    seconds: float
    remark: str


def demo() -> None:
    """Train every method on two small sets with few labels and print its error on the unlabeled rows."""
    tasks = _demo_tasks()
    methods = _demo_methods()
    deadline = time.monotonic() + DEMO_SECONDS
    lines = []
    with _progress("demo", len(methods) * len(tasks)) as advance:
        for place, (name, make) in enumerate(methods):
            fits = []
            for number, task in enumerate(tasks.values()):
                left = (len(methods) - place) * len(tasks) - number
                fits.append(_demo_fit(make, task, seconds=max(0.2, (deadline - time.monotonic()) / left)))
                advance()
            lines.append((name, *(text for fit in fits for text in _told(fit))))
    for name, task in tasks.items():
        n, l = len(task.y), len(task.labeled)
        print(
            f"{name}: {n} rows, {len(set(task.y.tolist()))} classes, {l} labels; error in % on the other {n - l} rows"
        )
    print()
    _show(("method", *(text for name in tasks for text in (name, "seconds"))), lines)
    if any("*" in text for line in lines for text in line):
        print("* with a warning, most often that the time of the demonstration ran out")


def _demo_tasks() -> "dict[str, Task]":
    from sklearn.datasets import load_digits

    from semisvm.datasets import labeled_splits, make_g50c
    from semisvm.papers.tasks import Task

    X, y = make_g50c(random_state=0)
    digits, classes = load_digits(return_X_y=True)
    digits, classes = digits[:600] / 16, classes[:600]
    return {
        "g50c": Task(X, y, labeled_splits(y, per_class=10, n_splits=1)[0]),
        "digits": Task(digits, classes, labeled_splits(classes, per_class=2, n_splits=1)[0]),
    }


def _demo_methods() -> list[tuple[str, Callable[..., Any]]]:
    """Every classifier of the package that copes with a few hundred rows, the supervised baseline first."""
    from sklearn.base import ClassifierMixin

    import semisvm

    found = [(name, getattr(semisvm, name)) for name in semisvm.__all__ if name not in _ONLY_FOR_SMALL_SETS]
    classifiers = [(name, one) for name, one in found if isinstance(one, type) and issubclass(one, ClassifierMixin)]
    return sorted(classifiers, key=lambda method: (not method[0].startswith("Supervised"), method[0]))


def _demo_fit(make: Callable[..., Any], task: "Task", seconds: float) -> _Fit:
    import numpy as np

    from semisvm.datasets import hide_labels

    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            model = make(random_state=0, time_limit=seconds).fit(task.X, hide_labels(task.y, task.labeled))
        except Exception as error:
            return _Fit(None, time.perf_counter() - begin, f"failed: {error}")
    wrong = np.asarray(model.transduction_)[task.unlabeled] != task.y[task.unlabeled]
    return _Fit(100 * float(np.mean(wrong)), time.perf_counter() - begin, "*" if heard else "")


def _told(fit: _Fit) -> tuple[str, str]:
    error = fit.remark if fit.error_pct is None else f"{fit.error_pct:.1f}{fit.remark}"
    return error, f"{fit.seconds:.2f}"


# ---------------------------------------------------------------- telling


def _in_one_line(command: Callable[..., None]) -> Callable[..., None]:
    """What the user can mend is told in one line on stderr, with exit status 1."""

    @functools.wraps(command)
    def told(*args: Any, **kwargs: Any) -> None:
        import typer

        try:
            command(*args, **kwargs)
        except (ValueError, OSError) as error:
            typer.echo(" ".join(str(error).split()), err=True)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            typer.echo("Interrupted; what was finished is kept.", err=True)
            raise typer.Exit(1) from error

    return told


def _show(header: Sequence[str], lines: Sequence[Sequence[Any]], as_json: bool = False) -> None:
    """Rows for people on a terminal, for programs in a pipe, or as JSON."""
    if as_json:
        print(json.dumps([dict(zip(header, line, strict=True)) for line in lines], indent=1))
    elif not sys.stdout.isatty():
        print("\n".join("\t".join(str(value) for value in line) for line in [header, *lines]))
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table(*header)
        for line in lines:
            table.add_row(*(str(value) for value in line))
        Console().print(table)


@contextmanager
def _progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on a terminal, nothing in a pipe; yields what to call after each step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    silent = not sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        steps = bar.add_task(title, total=total)
        yield lambda: bar.advance(steps)


if __name__ == "__main__":
    main()
