"""Work shared among threads in turns, so that what belongs to which thread does not depend on timing."""

import threading
from collections.abc import Callable, Iterator
from typing import Any


def in_turns(items: Iterator[Any], work: Callable[[int, Any], None], n_threads: int) -> None:
    """work(thread, item): thread t gets items t, t + n_threads, ... in order, so that sums do not depend on timing.

    The items are drawn by one thread at a time; this thread works too, and raises the first error of any.
    """
    turn, errors = threading.Condition(), []
    state = {"next": 0, "ended": False}

    def draw(thread: int) -> tuple[bool, Any]:
        with turn:
            turn.wait_for(lambda: state["next"] % n_threads == thread or state["ended"])
            if state["ended"]:
                return False, None
            try:
                item = next(items)
            except StopIteration:
                state["ended"] = True
                return False, None
            finally:
                state["next"] += 1
                turn.notify_all()
            return True, item

    def stop() -> None:
        with turn:
            state["ended"] = True
            turn.notify_all()

    def loop(thread: int) -> None:
        while True:
            more, item = draw(thread)
            if not more:
                return
            work(thread, item)

    def guarded(thread: int) -> None:
        try:
            loop(thread)
        except BaseException as error:
            errors.append(error)
            stop()

    beside = [threading.Thread(target=guarded, args=(thread,)) for thread in range(1, n_threads)]
    for helper in beside:
        helper.start()
    try:
        loop(0)
    finally:
        stop()
        for helper in beside:
            helper.join()
    if errors:
        raise errors[0]
