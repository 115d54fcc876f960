"""Watchers of a run: a line on the terminal, the log, and scikit-learn's callbacks."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np

from semisvm.algorithms import Candidate

logger = logging.getLogger("semisvm")

REDRAW_SECONDS = 0.1


@contextmanager
def inner_fit() -> Iterator[None]:
    """A fit that is a part of another one: it writes nothing to the log; other threads do."""
    own = threading.get_ident()

    def of_others(record: logging.LogRecord) -> bool:
        return record.thread != own

    logger.addFilter(of_others)
    try:
        yield
    finally:
        logger.removeFilter(of_others)


Listener = Callable[[float], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """`listener` is called with the share of the work done after each part of a fit of many parts."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell_share(share: float) -> None:
    """Call the listener, if there is one, with the share of the work done."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(share)


class TerminalLine:
    """One line that follows the run on a terminal; nothing where standard error is not one."""

    def __init__(self, title: str, stream=None):
        self.title = title
        self.stream = sys.stderr if stream is None else stream
        self.began = self.drawn = time.monotonic()
        self.shown = False

    def __call__(self, iteration: int, candidate: Candidate) -> None:
        now = time.monotonic()
        if now - self.drawn < REDRAW_SECONDS or not self.stream.isatty():
            return
        self.drawn, self.shown = now, True
        self.stream.write(f"\r\x1b[2K{self.title}: {describe(iteration, candidate)}, {now - self.began:.0f} s")
        self.stream.flush()

    def close(self) -> None:
        if self.shown:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()


def describe(iteration: int, candidate: Candidate) -> str:
    """stage 3 (weight 0.0078), iteration 41, objective 12.3456, stationarity 1.2e-05."""
    facts = ", ".join(f"{k} {_short(v)}" for k, v in candidate.facts.items())
    stage = f"stage {candidate.stage + 1}" + (f" ({facts})" if facts else "")
    text = f"{stage}, iteration {iteration}, objective {np.sum(candidate.value):.6g}"
    if candidate.lower_bound is not None:
        text += f", lower bound {np.sum(candidate.lower_bound):.6g}"
    return f"{text}, stationarity {np.max(candidate.stationarity):.1e}"


def _short(value: object) -> str:
    if isinstance(value, np.ndarray):
        return _short(value.max()) if value.size else "-"
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)


class CallbackBridge:
    """Calls scikit-learn's callbacks at every iteration, and stops the run when one of them returns True."""

    def __init__(self, estimator: Any, context: Any, fitted: Callable[[Candidate], dict], X: Any, y: Any):
        self.estimator, self.context, self.fitted = estimator, context, fitted
        self.X, self.y = X, y

    def __call__(self, iteration: int, candidate: Candidate) -> bool:
        task = self.context.subcontext(task_name="iteration")
        task.call_on_fit_task_begin(estimator=self.estimator, X=self.X, y=self.y)
        # a function: the attributes are built for those callbacks only that ask for a fitted estimator
        attributes = partial(self.fitted, candidate)
        return bool(
            task.call_on_fit_task_end(
                estimator=self.estimator, X=self.X, y=self.y, reconstruction_attributes=attributes
            )
        )


class Together:
    """Several watchers as one; the run stops when any of them stops it."""

    def __init__(self, watchers: list):
        self.watchers = watchers

    def __call__(self, iteration: int, candidate: Candidate) -> bool:
        # every watcher is called at every iteration, whatever the others return
        answers = [bool(watcher(iteration, candidate)) for watcher in self.watchers]
        return any(answers)
