"""The progress of a run of published tables: cells done, and how long the others will take."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semisvm_papers.costs import Costs
    from semisvm_papers.jobs import Job
    from semisvm_papers.records import Record


@contextmanager
def cells_done(jobs: "Sequence[Job]", costs: "Costs", n_processes: int) -> "Iterator[Callable[[Record], None]]":
    """A progress bar on a terminal, nothing in a pipe; yields what to call with each record."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    left = {job.key: job for job in jobs}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"))
    silent = not sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=silent, transient=True) as bar:
        steps = bar.add_task("starting", total=len(left), left=_left(list(left.values()), costs, n_processes))

        def advance(record: "Record") -> None:
            cell = f"{record.table}: {record.dataset}, {record.method}"
            if record.part is not None:
                bar.update(steps, description=f"{cell} (part {record.part + 1})")
                return
            left.pop(record.key, None)
            costs.add(record)
            if not silent:
                bar.update(steps, advance=1, description=cell)
                bar.update(steps, left=_left(list(left.values()), costs, n_processes))

        yield advance


def _left(jobs: "Sequence[Job]", costs: "Costs", n_processes: int) -> str:
    from semisvm_papers.costs import in_words

    seconds = costs.time_left(jobs, n_processes)
    return "" if seconds is None else f"about {in_words(seconds)} left"
