"""What a fit will take, against what it takes."""

import tracemalloc

import numpy as np
import pytest

from semisvm import (
    CCCPS3VM,
    S3VM,
    GradientS3VM,
    Graph,
    LabelSwitchingS3VM,
    LaplacianSVM,
    LowDensitySeparation,
    estimate_memory,
)
from semisvm.optim import decomposition


@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
@pytest.mark.parametrize(
    "estimator",
    [
        GradientS3VM(max_iter=5),
        GradientS3VM(max_iter=5, n_components=60),
        GradientS3VM(max_iter=5, graph=Graph()),
        LabelSwitchingS3VM(max_iter=2, n_stages=1),
        CCCPS3VM(max_iter=2),
        LaplacianSVM(max_iter=5),
        LowDensitySeparation(max_iter=2),
        S3VM(max_iter=2),
    ],
    ids=str,
)
def test_the_estimate_is_near_what_is_taken(estimator, rng, monkeypatch):
    # memory that other fits have left to working sets would not be counted
    monkeypatch.setattr(decomposition, "MOST_SPARE", 0)
    monkeypatch.setattr(decomposition, "PANELS", decomposition.Panels())
    X = rng.normal(size=(600, 10))
    y = np.where(np.arange(600) < 20, np.arange(600) % 2, -1)
    estimator.fit(X[:60], y[:60])  # whatever is imported or cached on the way
    tracemalloc.start()
    estimator.fit(X, y)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.5 < estimate_memory(estimator, X).total / taken < 2.0


def test_more_classes_take_more_vectors_and_linear_functions_no_matrix():
    shape = (1000, 20)
    assert (
        estimate_memory(GradientS3VM(), shape, n_classes=10).vectors
        == 10 * estimate_memory(GradientS3VM(), shape).vectors
    )
    assert estimate_memory(GradientS3VM(kernel="linear"), shape).matrix == 0


def test_too_much_is_said_with_a_way_out(monkeypatch):
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", str(2**30))
    estimate = estimate_memory(GradientS3VM(), (100_000, 50))
    assert not estimate.fits
    assert str(estimate) == '75 GiB of 1 GiB available; does not fit: set n_components=500, or kernel="linear"'
    assert str(estimate_memory(GradientS3VM(kernel="linear"), (1000, 50))).endswith("of 1 GiB available; fits")


def test_the_default_takes_a_part_of_all_pairs_of_many_rows():
    few, many = (estimate_memory(S3VM(), (n, 50)).matrix for n in (2000, 20_000))
    assert few < 700e6
    assert many < 8 * 20_000**2


def test_members_that_a_refit_begins_with_are_counted(rng):
    X = rng.normal(size=(300, 5))
    y = np.where(np.arange(300) < 30, np.arange(300) % 3, -1)
    members = S3VM(max_iter=2, warm_start=True).fit(X, y)._kept.members
    taken = sum(theta.nbytes for theta in members.thetas.values()) + sum(seen.nbytes for seen in members.seen)
    cold, warm = (estimate_memory(S3VM(warm_start=one), X, n_classes=3).kept for one in (False, True))
    assert taken <= warm - cold
