"""How long cells take, from what was recorded: the time that is left, and what fits into a given time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from semisvm_papers.jobs import Job
from semisvm_papers.records import Record


class Costs:
    """Mean recorded seconds of cells; of their method, their table and all where a cell was never run."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._seconds: dict[tuple[str, ...], list[float]] = {}
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        for key in _keys(record.table, record.dataset, record.method):
            self._seconds.setdefault(key, []).append(record.seconds)

    def known(self, job: Job) -> float | None:
        """Seconds of the very cell, on other splits; None where it was never run."""
        recorded = self._seconds.get(_keys(*job.key[:3])[0])
        return fmean(recorded) if recorded else None

    def expected(self, job: Job) -> float | None:
        """Seconds of the cell, or of what is nearest to it; None without any record."""
        for key in _keys(*job.key[:3]):
            if key in self._seconds:
                return fmean(self._seconds[key])
        return None

    def time_left(self, jobs: Sequence[Job], n_processes: int) -> float | None:
        """Seconds that the jobs will take together."""
        expected = [seconds for job in jobs if (seconds := self.expected(job)) is not None]
        if len(expected) < len(jobs):
            return None
        # no sooner than the longest of them
        return max(sum(expected) / n_processes, max(expected, default=0.0))


def affordable(jobs: Sequence[Job], costs: Costs, seconds: float) -> tuple[list[Job], list[Job]]:
    """(jobs that fit into so many seconds of one process, those left out): whole cells, the quickest first.

    The quickest cell of every table comes before all others; a cell that was never run is left out.
    """
    cells: dict[tuple[str, ...], list[Job]] = {}
    for job in jobs:
        cells.setdefault(job.key[:3], []).append(job)
    prices = {key: cost for key, own in cells.items() if (cost := costs.known(own[0])) is not None}
    order = sorted(prices, key=lambda key: prices[key] * len(cells[key]))
    firsts = list({key[0]: key for key in reversed(order)}.values())
    kept: set[tuple[str, ...]] = set()
    spent = 0.0
    for key in (*firsts, *order):
        cost = prices[key] * len(cells[key])
        if key not in kept and spent + cost <= seconds:
            kept.add(key)
            spent += cost
    return [job for job in jobs if job.key[:3] in kept], [job for job in jobs if job.key[:3] not in kept]


def in_words(seconds: float) -> str:
    """40 s, 12 min, 3 h 5 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _keys(table: str, dataset: str, method: str) -> list[tuple[str, ...]]:
    """From the cell to everything."""
    return [(table, dataset, method), (table, method), (table,), ()]
