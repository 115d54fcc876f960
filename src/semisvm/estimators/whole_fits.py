"""A fit that fails leaves the fitted attributes as they were before it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator


@contextmanager
def all_or_nothing(model: BaseEstimator) -> Iterator[None]:
    """Fitted attributes are those of this fit once it succeeds; if it fails they are those of before."""
    before = _take_fitted(model)
    try:
        yield
    except BaseException:
        _take_fitted(model)
        vars(model).update(before)
        raise


def _take_fitted(model: BaseEstimator) -> dict[str, Any]:
    names = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    return {name: vars(model).pop(name) for name in names}


@contextmanager
def a_solution_needed(model: BaseEstimator) -> Iterator[None]:
    """Turn a system of equations without a solution into an error message in one sentence."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise ValueError(
            f"{type(model).__name__} met a system of equations without a solution, because the kernel matrix is not "
            "positive semi-definite, or values of X or parameters are extreme: use another kernel, scale the columns "
            "of X, or set less extreme parameters."
        ) from error


@contextmanager
def interrupts_held_back() -> Iterator[list[KeyboardInterrupt]]:
    """The first Ctrl-C inside is recorded, so that the result so far can be stored; a second one is raised as usual."""
    noted: list[KeyboardInterrupt] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield noted
        return

    def note(number: int, frame: Any) -> None:
        if noted:
            before(number, frame)
        noted.append(KeyboardInterrupt())

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
