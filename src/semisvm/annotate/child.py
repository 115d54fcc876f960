"""The process that learns, and its connection to the process that serves."""

import multiprocessing
import os
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
        self._thread = threading.Thread(target=self._listen, name="learner", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def give(self, task: Any) -> None:
        try:
            self._here.send(task)
        except OSError:  # it has ended, and that was reported
            return

    def end(self) -> None:
        """Stop at once. A running fit is no longer needed."""
        self._process.terminate()
        self._process.join(5)

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
    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(GENTLE)
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


def _reason(error: Exception) -> str:
    return f"The model could not be trained: {str(error) or type(error).__name__}"


def end_with_parent() -> None:
    """End this process when the page was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
