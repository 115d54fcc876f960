"""What is brought from the workers while a model is trained, and what is sent: sums and bits, not a number per row."""

import pickle

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from semisvm import AnnealingS3VM, LabelSwitchingS3VM, QuasiNewtonS3VM
from semisvm.distributed import DaskRows
from semisvm.distributed.compact import pack, unpack

BLOCK = 20_000
RNG = np.random.default_rng(2)
MANY_TRUTH = RNG.integers(0, 2, 2 * BLOCK)
MANY = RNG.normal(size=(2 * BLOCK, 2)) + 1.2 * (2 * MANY_TRUTH[:, None] - 1)
MANY_Y = np.where(np.arange(2 * BLOCK) % 1000 == 0, MANY_TRUTH, -1)
MANY_Y[:2] = 0, 1


def numbers(found) -> int:
    """How many numbers a result holds."""
    if isinstance(found, tuple | list):
        return sum(numbers(one) for one in found)
    return int(np.size(found))


@pytest.mark.parametrize(
    "model",
    [
        QuasiNewtonS3VM(tol=0.1, n_stages=1),
        LabelSwitchingS3VM(n_switches="all", n_stages=1, tol=0.1),
        AnnealingS3VM(tol=0.1, cooling=30.0, n_stages=1),
    ],
    ids=lambda m: type(m).__name__,
)
def test_no_number_per_row_is_brought_while_training(client, model, monkeypatch):
    rows = DaskRows(da.from_array(MANY, chunks=(BLOCK, 2)), client)
    brought, results = [], rows.results
    monkeypatch.setattr(rows, "results", lambda futures: _noted(results(futures), brought))
    model.set_params(kernel="linear").fit(rows, MANY_Y)
    assert np.mean(model.transduction_ == MANY_TRUTH) > 0.9
    long = [place for place, found in enumerate(brought) if max(map(numbers, found), default=0) >= BLOCK]
    # once, at the end, for the labels that the fit leaves behind
    assert len(long) <= 1
    assert all(place >= len(brought) - 3 for place in long)


def _noted(found, brought):
    brought.append(found)
    return found


SAYS_LITTLE = [
    np.full((5000, 2), 0.25),
    np.where(np.arange(5000) % 7 == 0, 1.0, -1.0)[:, None],
    np.flatnonzero(np.arange(5000) % 9),
    np.arange(100, 4000),
]


@pytest.mark.parametrize("array", SAYS_LITTLE, ids=["constant", "two values", "most rows", "rows in a row"])
def test_arrays_that_say_little_are_sent_as_bits(array):
    sent = pack({"part": array})
    assert len(sent) < len(pickle.dumps(array)) / 20
    back = unpack(sent)["part"]
    assert back.dtype == array.dtype
    assert_array_equal(back, array)
    back[...] = 0  # an array of its own


@settings(max_examples=60, deadline=None)
@given(arrays(st.sampled_from([np.float64, np.int64, np.float32]), st.integers(0, 300), elements=st.integers(-2, 2)))
def test_any_array_comes_back_as_it_was(array):
    back = unpack(pack([array, array.reshape(-1, 1), np.cumsum(array)]))
    for one, other in zip(back, [array, array.reshape(-1, 1), np.cumsum(array)], strict=True):
        assert one.dtype == other.dtype
        assert_array_equal(one, other)


def test_numbers_that_are_not_numbers_come_back():
    array = np.full(1000, np.nan)
    assert_array_equal(unpack(pack(array)), array)
