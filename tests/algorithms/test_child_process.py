"""A call in a process of its own: its answer, its error, and its end."""

import math
import os

import pytest

from semisvm.algorithms.child_process import call_in_child


def test_the_answer_comes_back():
    assert call_in_child(os.getenv, key="NO_SUCH_VARIABLE", default="none") == "none"


def test_an_error_is_raised_here():
    with pytest.raises(TypeError, match="str expected"):
        call_in_child(os.getenv, key=3)


def test_a_process_that_ends_is_a_sentence():
    with pytest.raises(RuntimeError, match=r"^The process of _exit ended with status 3\.$"):
        call_in_child(os._exit, status=3)


def test_a_function_that_cannot_be_named_is_refused_before_a_process_starts():
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        call_in_child(lambda: math.pi)
