"""A call in a process of its own, which is ended when Ctrl-C comes: other solvers do not look at signals."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

CHILD = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
function, settings = pickle.load(sys.stdin.buffer)
try:
    answer = function(**settings), None
except Exception as error:
    answer = None, error
pickle.dump(answer, sys.stdout.buffer)
"""


def can_start_a_child() -> bool:
    """Whether the interpreter is known; it is not where Python is part of another program."""
    return bool(sys.executable)


def call_in_child(function: Callable[..., Any], **settings: Any) -> Any:
    """What the function gives; it is found by its name in the other process."""
    sent = pickle.dumps(sys.path) + pickle.dumps((function, settings))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    # a session of its own: the terminal's Ctrl-C is for this process, which ends the other one
    with subprocess.Popen([sys.executable, "-c", CHILD], start_new_session=True, **pipes) as child:  # type: ignore[call-overload]
        try:
            said, _ = child.communicate(sent)
        except BaseException:
            child.kill()
            # on Ctrl-C the end of the block waits a quarter of a second only
            child.wait()
            raise
    if child.returncode:
        raise RuntimeError(f"The process of {function.__name__} ended with status {child.returncode}.")
    answer, error = pickle.loads(said)
    if error is not None:
        raise error
    return answer
