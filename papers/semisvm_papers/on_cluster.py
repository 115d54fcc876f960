"""Measuring on the workers of a Dask cluster, by joblib's backend for it; this process keeps the records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from semisvm_papers.jobs import Job
from semisvm_papers.measuring import NoTask, TaskSupply, measure
from semisvm_papers.records import Record


def measure_on_cluster(jobs: Iterable[Job], scheduler: str) -> Iterator[Record | NoTask]:
    """What became of each job, in the order they end; data sets are read by the workers."""
    import joblib

    from distributed import Client

    try:
        client = Client(scheduler, timeout="60s")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"No scheduler answers at {scheduler} ({type(error).__name__}): an address such as tcp://10.0.0.1:8786 is "
            "needed."
        ) from None
    with client, joblib.parallel_config("dask"):
        calls = (joblib.delayed(_measure_there)(job) for job in jobs)
        yield from joblib.Parallel(n_jobs=-1, return_as="generator_unordered")(calls)


def _measure_there(job: Job) -> Record | NoTask:
    return measure(job, _supply())


@cache
def _supply() -> TaskSupply:
    """One per worker, for jobs mostly ask for the same split or the next one."""
    return TaskSupply()
