"""Random cases with fixed seeds: every case is either answered well or refused in one sentence.

    python -m tests.fuzz estimators --cases 20000      # goes on where it was stopped
    python -m tests.fuzz estimators --seed 4711        # one case, in this process, with its traceback

A kind of cases is a module of this folder, named in `KINDS`. It has two functions:

    warm()                  imports and first calls; the parent makes them once, and every case starts with them done
    draw(rng) -> FuzzCase   one case, made by this generator alone: the same seed gives the same case

A case has `str(case)`, which says what it is in a line or a few, and

    check() -> str          its outcome in a word or two, such as "fitted" or "refused"; counted and printed at the end

`check` raises `FuzzFinding` with a sentence where an invariant is broken. Any other exception is a finding too, and
so are a crash and more processor time than the limit. A child of the warm parent runs some cases one after the other,
each in an empty working directory of its own that is removed afterwards. A finding ends its child and is run again in
a child alone, which says whether it needs the cases before it. What it printed is shown.
"""

from typing import Protocol

KINDS = {"estimators": "tests.fuzz.estimators", "files": "tests.fuzz.files"}
"""Name on the command line -> module."""


class FuzzFinding(AssertionError):
    """An invariant that does not hold, in a sentence."""


class FuzzCase(Protocol):
    def check(self) -> str: ...
