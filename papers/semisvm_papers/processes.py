"""Measuring in several processes: the parent hands out one job at a time and is the only one to keep records.

A worker that dies (out of memory, a crash in compiled code) or takes too long costs its own job alone: that job is
recorded as failed and another worker takes its place.  Workers leave Ctrl-C to the parent and end with it.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from semisvm_papers.jobs import Job
from semisvm_papers.measuring import NoTask, TaskSupply, measure, written
from semisvm_papers.records import Record


class _Begun:
    """What a worker sends when it takes up a job: starting a process is no part of the job's time."""


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job
    begin: float = math.inf

    def hand(self, job: Job) -> None:
        self.job, self.begin = job, math.inf
        self.connection.send(job)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def measure_in_processes(
    jobs: Iterable[Job], n_processes: int, time_limit: float | None = None
) -> Iterator[Record | NoTask]:
    """What became of each job, in the order they end; ``time_limit`` is in seconds per job."""
    left = deque(jobs)
    workers: list[_Worker] = []
    try:
        while left and len(workers) < n_processes:
            workers.append(_start(left.popleft()))
        while workers:
            ready = set(wait([worker.connection for worker in workers], _patience(workers, time_limit)))
            for worker in list(workers):
                result, ended = _answer(worker, worker.connection in ready, time_limit)
                if result is None:
                    continue
                if ended or not left:
                    worker.end()
                    workers.remove(worker)
                if left:
                    if ended:
                        workers.append(_start(left.popleft()))
                    else:
                        worker.hand(left.popleft())
                yield result
    finally:
        for worker in workers:
            worker.end()


def _answer(worker: _Worker, ready: bool, time_limit: float | None) -> tuple[Record | NoTask | None, bool]:
    """(what became of the worker's job if it ended, whether the worker is of no more use)."""
    seconds = max(0.0, time.monotonic() - worker.begin)
    if ready:
        try:
            message = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            return written(worker.job, seconds, None, f"The process ended with {_status(worker.process)}."), True
        if not isinstance(message, _Begun):
            return message, False
        worker.begin = time.monotonic()
    elif time_limit is not None and seconds > time_limit:
        return written(worker.job, seconds, None, f"TimeoutError: not done after {time_limit:g} s."), True
    return None, False


def _status(process: BaseProcess) -> str:
    code = process.exitcode or 0
    return f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"status {code}"


def _patience(workers: list[_Worker], time_limit: float | None) -> float | None:
    """Seconds until the first job is over its time."""
    first = min(worker.begin for worker in workers) + (math.inf if time_limit is None else time_limit)
    return None if math.isinf(first) else max(0.0, first - time.monotonic()) + 0.01


def _start(job: Job) -> _Worker:
    # fresh interpreters: a fork would copy the parent's threads in whatever state they are
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    worker = _Worker(process, ours, job)
    worker.hand(job)
    return worker


def _work(connection: Connection) -> None:
    """The loop of a worker: take a job, measure it, send the record."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    supply = TaskSupply()
    while True:
        try:
            job = connection.recv()
        except (EOFError, ConnectionResetError):
            return
        connection.send(_Begun())
        connection.send(measure(job, supply))


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers: they see it go."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
