"""No small fit may take a tenth more instructions than recorded; counted by callgrind, so that load does not matter."""

import pytest

from benchmarks import instructions


def test_complaints_begin_above_a_tenth():
    before = {"a": 1000, "b": 1000, "c": 1000}
    (said,) = instructions.complaints(before, {"a": 1100, "b": 1101, "c": 500})
    assert said == "b takes 1,101 instructions, 1.10 times the recorded 1,000."


def test_every_small_fit_is_recorded():
    from benchmarks.harness.small_fits import FITS

    assert set(instructions.recorded()["instructions"]) == set(FITS)


def test_small_fits_take_no_more_instructions_than_recorded():
    reason = instructions.unavailable()
    if reason is not None:
        pytest.skip(reason)
    if instructions.recorded()["versions"] != instructions.key():
        pytest.skip(f"counts are recorded for {instructions.recorded()['versions']}, here are {instructions.key()}")
    assert instructions.complaints(instructions.recorded()["instructions"], instructions.count()) == []
