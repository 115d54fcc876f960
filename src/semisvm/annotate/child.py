"""The process that learns, and its connection to the process that serves."""

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from semisvm.annotate.messages import Failed
from semisvm.annotate.request import AnnotateRequest

Receive = Callable[[Any], None]
GENTLE = 5
"""The niceness of the process: the one that answers keys goes first."""


class LearningProcess:
    """A child process that learns one task at a time. A new task replaces one that waits."""

    def __init__(self, request: AnnotateRequest, receive: Receive):
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=work, args=(there, request), name="semisvm-learner", daemon=True)
        self._process.start()
        there.close()
        self._receive = receive
        self._tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for target, name in ((self._listen, "learner"), (self._send, "tasks")):
            threading.Thread(target=target, name=name, daemon=True).start()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def give(self, task: Any) -> None:
        """Return at once. A task of a large table is longer than the buffer of the pipe, and the child may be busy."""
        self._tasks.put(task)

    def end(self) -> None:
        """Stop at once. A running fit is no longer needed."""
        self._process.terminate()
        self._process.join(5)

    def _send(self) -> None:
        while True:
            try:
                self._here.send(self._tasks.get())
            except OSError:  # it has ended, and that was said
                return

    def _listen(self) -> None:
        while True:
            try:
                message = self._here.recv()
            except (EOFError, OSError):
                self._receive(
                    Failed("The process that learns has ended: save, end with Ctrl-C and start again.", for_good=True)
                )
                return
            self._receive(message)


def work(line: Connection, request: AnnotateRequest) -> None:
    """Read the table, send its description, then learn each task, until the connection ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stand_back()
    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()
    from threadpoolctl import threadpool_limits

    from semisvm.annotate.learning import Workbench
    from semisvm.tables import table_file

    with threadpool_limits(1):
        try:
            bench = Workbench(table_file(request.table).read(), request)
            line.send(bench.ready())
        except Exception as error:
            line.send(Failed(_reason(error), for_good=True))
            return
        while True:
            try:
                task = line.recv()
                while line.poll():
                    task = line.recv()
            except EOFError:
                return
            try:
                message: Any = bench.learn(task)
            except Exception as error:  # whatever the error is, the next labels are tried
                message = Failed(_reason(error), for_good=False)
            try:
                line.send(message)
            except OSError:
                return


def stand_back() -> None:
    """Cores go to the page and the browser first."""
    if hasattr(os, "nice"):
        os.nice(GENTLE)
    if hasattr(os, "SCHED_BATCH"):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _reason(error: Exception) -> str:
    return f"The model could not be trained: {str(error) or type(error).__name__}"


def end_with_parent() -> None:
    """End this process when the page was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
