"""`semisvm papers`: published tables, run again."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semisvm.cli.telling import in_one_line, progress, show

if TYPE_CHECKING:
    import typer


def papers_commands() -> "typer.Typer":
    import typer

    papers = typer.Typer(no_args_is_help=True)

    @papers.command("list")
    @in_one_line
    def list_all(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
        """List the published tables that can be run again."""
        from semisvm.papers import Table, list_tables

        tables = [Table.load(name) for name in list_tables()]
        lines = [(one.name, len(one.rows), len(one.columns), f"{one.title} ({one.paper})") for one in tables]
        show(("table", "data sets", "methods", "title"), lines, as_json)

    @papers.command("run")
    @in_one_line
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
        with progress(name, left) as advance:
            records = run(table, splits, file, **chosen, watch=lambda record: advance())
        print(json.dumps([asdict(one) for one in records], indent=1) if as_json else side_by_side(table, records))

    return papers


def _names(given: str | None) -> list[str] | None:
    return None if given is None else [name.strip() for name in given.split(",") if name.strip()]
