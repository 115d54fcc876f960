"""The commands that need the source tree: `semisvm papers` and `semisvm bench`."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import json
import sys
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semisvm.cli.terminal import in_one_line, show
from semisvm_papers.bench import bench
from semisvm_papers.progress import cells_done

if TYPE_CHECKING:
    import typer

    from semisvm_papers.costs import Costs
    from semisvm_papers.jobs import Job
    from semisvm_papers.records import Record
    from semisvm_papers.table import Table

SPARE = 0.6
"""The share of the given time that is planned for cells; the rest is for loading data and for slower machines."""


def add_commands(app: "typer.Typer") -> None:
    """Add `papers` and `bench` to the command line; the entry point of this package."""
    app.add_typer(papers_commands(), name="papers", help="Published tables, run again.")
    app.command()(in_one_line(bench()))


def papers_commands() -> "typer.Typer":
    import typer

    papers = typer.Typer(no_args_is_help=True)
    papers.command("list")(in_one_line(_list_command()))
    papers.command("run")(in_one_line(_run_command()))
    papers.command("tune")(in_one_line(_tune_command()))
    papers.command("report")(in_one_line(_report_command()))
    papers.command("confirm")(in_one_line(_confirm_command()))
    papers.command("quote")(in_one_line(_quote_command()))
    return papers


def _list_command() -> Callable[..., None]:
    import typer

    def list_all(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
        """List the published tables that can be run again."""
        from semisvm_papers.table import Table, list_tables

        tables = [Table.load(name) for name in list_tables()]
        lines = [(one.name, len(one.rows), len(one.columns), f"{one.title} ({one.paper})") for one in tables]
        show(("table", "data sets", "methods", "title"), lines, as_json)

    return list_all


def _run_command() -> Callable[..., None]:
    import typer

    def run(
        names: Annotated[list[str] | None, typer.Argument(help="Tables of `semisvm papers list`.")] = None,
        every: Annotated[bool, typer.Option("--all", help="Every table.")] = False,
        splits: Annotated[int | None, typer.Option(min=1, help="Run only the first N splits.")] = None,
        datasets: Annotated[str | None, typer.Option(help="Only these data sets: a;b;...")] = None,
        methods: Annotated[str | None, typer.Option(help="Only these methods: a;b;...")] = None,
        out: Annotated[
            Path | None, typer.Option(help="Where the records are kept: a .jsonl file, or a folder of one per table.")
        ] = None,
        jobs: Annotated[int, typer.Option(help="Processes; -1: one per core.")] = -1,
        time_limit: Annotated[
            float | None, typer.Option(help="Seconds until a cell, or a part of a long one, is given up.")
        ] = None,
        scheduler: Annotated[
            str | None, typer.Option(help="Address of a Dask scheduler whose workers take the place of processes.")
        ] = None,
        minutes: Annotated[
            float | None, typer.Option(help="Leave out cells so that the others are done in so many minutes.")
        ] = None,
        costs: Annotated[
            Path | None,
            typer.Option(help="More records to estimate how long cells take, besides those of earlier runs."),
        ] = None,
        retry_failures: Annotated[bool, typer.Option("--retry-failures", help="Run failed cells again.")] = False,
        fresh: Annotated[bool, typer.Option("--fresh", help="Forget the records of earlier runs.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the records as JSON.")] = False,
    ) -> None:
        """Run published tables and print ours beside theirs; a killed run goes on where it stopped."""
        from semisvm_papers.costs import Costs
        from semisvm_papers.jobs import pending_jobs
        from semisvm_papers.records import read_records
        from semisvm_papers.report import read_all_records
        from semisvm_papers.runner import n_processes, run_tables
        from semisvm_papers.table import Table, list_tables

        if bool(names) == every:
            raise typer.BadParameter("Name some tables, or give --all.")
        tables = [Table.load(name) for name in (list_tables() if every else names or [])]
        files = _files(out)
        if fresh:
            for table in tables:
                files(table.name).unlink(missing_ok=True)
        records = [record for path in {files(table.name) for table in tables} for record in read_records(path)]
        chosen: dict[str, Any] = {
            "datasets": _names(datasets, [row.dataset for table in tables for row in table.rows]),
            "methods": _names(methods, [column.method for table in tables for column in table.columns]),
        }
        left = [
            job
            for table in tables
            for job in pending_jobs(table, records, splits, **chosen, retry_failures=retry_failures)
        ]
        known = Costs([*(read_all_records(costs) if costs else []), *records])
        processes = n_processes(jobs)
        if minutes is not None:
            left = _that_fit(left, known, 60 * minutes * processes)
        with cells_done(left, known, processes) as advance:
            how: dict[str, Any] = {"n_jobs": jobs, "time_limit": time_limit, "scheduler": scheduler}
            elsewhere = {files(name) for name in list_tables()} - {files(table.name) for table in tables}
            others = [] if fresh else [record for path in elsewhere for record in read_records(path)]
            records = run_tables(tables, files, left, known=others, watch=advance, **how)
        if as_json:
            print(json.dumps([asdict(one) for one in records], indent=1))
        else:
            _print_beside(tables, records, files)

    return run


def _print_beside(tables: "list[Table]", records: "list[Record]", files: Callable[[str], Path]) -> None:
    """Print ours beside theirs; cells that are derived from other tables need the records of those."""
    from semisvm_papers.beside import side_by_side
    from semisvm_papers.derived import source_tables
    from semisvm_papers.runner import kept_records
    from semisvm_papers.table import Table

    sources = {name for table in tables for name in source_tables(table)} - {table.name for table in tables}
    known = [*records, *kept_records(map(Table.load, sources), files)]
    print("\n\n".join(side_by_side(table, known) for table in tables))


def _tune_command() -> Callable[..., None]:
    import typer

    def tune(
        name: Annotated[str, typer.Argument(help="A table of `semisvm papers list`.")],
        dataset: Annotated[str, typer.Option(help="One of its data sets.")],
        method: Annotated[str, typer.Option(help="One of its methods.")],
        grid: Annotated[str, typer.Option(help='As in table files: "{ sigma = [5, 10], C = [1, 10] }".')],
        splits: Annotated[int | None, typer.Option(min=1, help="Only the first N splits.")] = None,
        out: Annotated[Path | None, typer.Option(help="A .jsonl file that keeps the records.")] = None,
        jobs: Annotated[int, typer.Option(help="Processes; -1: one per core.")] = -1,
        top: Annotated[int, typer.Option(min=1, help="How many points to show.")] = 10,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Find the parameters of a cell with the least mean error ON THE SCORED ROWS, as papers do that say so."""
        from semisvm_papers.costs import Costs
        from semisvm_papers.jobs import pending_jobs
        from semisvm_papers.records import read_records
        from semisvm_papers.runner import n_processes, run
        from semisvm_papers.table import Table
        from semisvm_papers.tuning import best_first, read_grid, tuning_table

        table = tuning_table(Table.load(name), dataset, method, read_grid(grid))
        left = pending_jobs(table, read_records(out) if out else [], splits)
        with cells_done(left, Costs(), n_processes(jobs)) as advance:
            records = run(table, splits, out, watch=advance, n_jobs=jobs)
        tried = best_first(records)
        if not tried:
            failures = (record.failure for record in records if record.failure)
            why = next(failures, "its data are not present: see `semisvm data list`.")
            raise ValueError(f"No point of the grid could be measured on {dataset}: {why}")
        lines = [(one.point, f"{one.mean:.2f}", _spread(one.std), len(one.errors_pct)) for one in tried[:top]]
        show(("parameters", "error %", "deviation", "splits"), lines, as_json)

    return tune


def _spread(std: float | None) -> str:
    return "" if std is None else f"{std:.2f}"


def _report_command() -> Callable[..., None]:
    import typer

    def report(
        records: Annotated[Path, typer.Option(help="A .jsonl file of records, or a folder of them.")] = Path(
            "papers/records"
        ),
        out: Annotated[Path, typer.Option(help="The folder of the pages.")] = Path("docs/papers"),
        because: Annotated[
            Path | None, typer.Option(help="The file of reasons why cells differ; OUT/disagreements.toml by default.")
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
    ) -> None:
        """Write all tables, ours beside theirs, as report.html and report.md."""
        from semisvm_papers.claims import list_claims
        from semisvm_papers.confirming import file_of_confirmations, read_confirmations
        from semisvm_papers.not_runnable import list_not_runnable
        from semisvm_papers.pages import write_pages
        from semisvm_papers.report import gather, read_all_records, read_explanations
        from semisvm_papers.report_text import JUDGEMENT_HEADER, judgement_lines
        from semisvm_papers.table import Table, list_tables

        if not records.exists():
            raise ValueError(f"There are no records at {records}: run tables first, or name another place.")
        gathered = gather(
            [Table.load(name) for name in list_tables()],
            read_all_records(records),
            read_explanations(because or out / "disagreements.toml"),
            list_not_runnable(),
            confirmations=read_confirmations(file_of_confirmations(records)),
            claims=list_claims(),
        )
        written = write_pages(gathered, out)
        if as_json:
            print(json.dumps({**gathered.summary(), "pages": [str(path) for path in written]}, indent=1))
        else:
            print(*written, sep="\n")
            show(JUDGEMENT_HEADER, [(name, *numbers) for name, numbers in judgement_lines(gathered)])
            described = [gathered.agreement, gathered.strictness, gathered.causes, *gathered.without_power]
            described += [gathered.statements, gathered.confirmed, gathered.completeness]
            print(*described, gathered.last_line, sep="\n")

    return report


def _confirm_command() -> Callable[..., None]:
    import typer

    def confirm(
        names: Annotated[list[str] | None, typer.Argument(help="Tables of `semisvm papers list`.")] = None,
        every: Annotated[bool, typer.Option("--all", help="Every table.")] = False,
        records: Annotated[Path, typer.Option(help="The folder of the records.")] = Path("papers/records"),
        minutes: Annotated[
            float | None, typer.Option(help="Check and run again the quickest cells, for so many minutes each.")
        ] = None,
        rerun: Annotated[bool, typer.Option(help="Run all splits of the cells that differ.")] = True,
        jobs: Annotated[int, typer.Option(help="Processes; -1: one per core.")] = -1,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Run one split again of each cell whose code has changed; cells that give other figures are run again."""
        from semisvm_papers.checking import affordable_checks, check, other_kernels, run_again
        from semisvm_papers.confirming import CodeState, file_of_confirmations, read_confirmations, states_of, to_check
        from semisvm_papers.costs import Costs
        from semisvm_papers.jobs import pending_jobs
        from semisvm_papers.provenance import kernels
        from semisvm_papers.records import read_parts
        from semisvm_papers.runner import kept_records, n_processes
        from semisvm_papers.table import Table, list_tables

        if bool(names) == every:
            raise typer.BadParameter("Name some tables, or give --all.")
        tables, files = [Table.load(name) for name in (list_tables() if every else names or [])], _files(records)
        known, path = kept_records(tables, files), file_of_confirmations(records)
        parts = [part for table in tables for part in read_parts(files(table.name))]
        cells = [job for table in tables for job in pending_jobs(table, splits=1)]
        pairs = to_check(cells, known, parts, read_confirmations(path))
        pairs = affordable_checks(pairs, None if minutes is None else 60 * minutes)
        if warning := other_kernels((before for _, before in pairs), kernels()):
            print(warning, file=sys.stderr)
        lines = [
            (*job.key[:3], job.split, f"{before.seconds:.1f}", "failed" if one.difference is None else one.difference)
            for job, before, one in check(pairs, path, n_processes(jobs))
        ]
        states = states_of(cells, known, read_confirmations(path))
        if rerun:
            changed = {cell for cell, state in states.items() if state is CodeState.DIFFERS}
            again = [job for table in tables for job in pending_jobs(table) if job.key[:3] in changed]
            if minutes is not None:
                again = _that_fit(again, Costs(known), 60 * minutes)
            for _ in run_again(again, files, n_processes(jobs)):
                pass
            states = states_of(cells, kept_records(tables, files), read_confirmations(path))
        show(("table", "data set", "method", "split", "seconds", "difference"), lines, as_json)
        if not as_json:
            print(*(f"{sum(one is state for one in states.values())} {state.value}" for state in CodeState), sep="\n")

    return confirm


def _quote_command() -> Callable[..., None]:
    import typer

    def quote(
        pages: Annotated[list[Path], typer.Argument(help="Pages of Markdown with places like <!-- record: ... -->.")],
        records: Annotated[Path, typer.Option(help="A .jsonl file of records, or a folder of them.")] = Path(
            "papers/records"
        ),
    ) -> None:
        """Write the figures of the records into the pages that quote them; print the pages that have changed."""
        from semisvm_papers.quoted import filled
        from semisvm_papers.report import gather, read_all_records
        from semisvm_papers.table import Table, list_tables

        cells = gather([Table.load(name) for name in list_tables()], read_all_records(records)).cells
        before = {page: page.read_text(encoding="utf-8") for page in pages}
        for page, text in {page: filled(text, cells) for page, text in before.items()}.items():
            if text != before[page]:
                page.write_text(text, encoding="utf-8")
                print(page)

    return quote


def _that_fit(jobs: "list[Job]", costs: "Costs", seconds: float) -> "list[Job]":
    """Those that will be done in time; the others are named on stderr."""
    from semisvm_papers.costs import affordable, in_words

    kept, left_out = affordable(jobs, costs, SPARE * seconds)
    for job in {job.key[:3]: job for job in left_out}.values():
        cost = costs.known(job)
        takes = "was never run" if cost is None else f"takes {in_words(cost)}"
        print(f"left out: {job.table.name}, {job.row.dataset}, {job.column.method} ({takes})", file=sys.stderr)
    return kept


def _files(out: Path | None) -> Callable[[str], Path]:
    """Where the records of a table are."""
    from semisvm.datasets import cache_folder

    place = cache_folder() / "papers" if out is None else out
    return lambda name: place if place.suffix == ".jsonl" else place / f"{name}.jsonl"


def _names(given: str | None, known: Collection[str]) -> list[str] | None:
    """The names between semicolons. Names may contain commas; a known name may contain semicolons."""
    if given is None:
        return None
    known, parts, names = {name.lower() for name in known}, given.split(";"), []
    while parts:
        # the longest run of parts that is a name, or else the next part
        ends = (end for end in range(len(parts), 1, -1) if ";".join(parts[:end]).strip().lower() in known)
        end = next(ends, 1)
        names.append(";".join(parts[:end]).strip())
        parts = parts[end:]
    return [name for name in names if name]
