"""Methods of the continuous kind in a space deformed by the data: hybrids with a graph, and low density separation."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from semisvm import (
    GradientS3VM,
    Graph,
    LowDensitySeparation,
)
from semisvm.datasets import hide_labels, make_g50c, make_two_moons
from tests.estimators.quick import three_blobs


def test_a_graph_makes_a_hybrid_of_any_method():
    X, y = make_two_moons(200, nuisance=100, random_state=0)
    partial = hide_labels(y, [0, 1])
    plain = GradientS3VM(gamma="median", C=10).fit(X, partial)
    hybrid = GradientS3VM(gamma="median", C=10, graph=Graph(n_neighbors=10), deformation=1e3).fit(X, partial)
    assert np.mean(plain.transduction_ != y) > 0.3
    assert np.mean(hybrid.transduction_ != y) <= 0.01
    assert_array_equal(hybrid.predict(X), hybrid.transduction_)


@pytest.mark.parametrize("nuisance", [0, 100])
def test_low_density_separation_follows_the_moons(nuisance):
    X, y = make_two_moons(200, nuisance=nuisance, random_state=0)
    model = LowDensitySeparation(C=100).fit(X, hide_labels(y, [0, 1]))
    assert_array_equal(model.transduction_, y)
    assert_array_equal(model.predict(X), y)
    new, truth = make_two_moons(200, nuisance=nuisance, random_state=1)
    assert np.mean(model.predict(new) != truth) < 0.02


def test_low_density_separation_takes_a_kernel_of_the_coordinates():
    X, y, partial = three_blobs()
    model = LowDensitySeparation(kernel="rbf", gamma="median", C=10).fit(X, partial)
    assert np.mean(model.transduction_ != y) < 0.1
    assert model.predictor_.inner.support_points.X.shape[1] == model.predictor_.embedding.Z.shape[1]


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_low_density_separation_reaches_the_full_weight_on_clouds(C):
    X, y = make_g50c(random_state=0)
    model = LowDensitySeparation(C=C).fit(X, hide_labels(y, np.arange(50)))
    assert model.status_ == "converged"
    assert model.path_[-1]["weight"] == 1.0
    assert model.stationarity_[0] <= model.tol
    assert np.mean(model.transduction_ != y) < 0.1


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"rho": 0}, "rho=0 was given and a positive number is needed"),
        ({"delta": 1}, "delta=1 was given and a share below 1 is needed"),
        ({"n_neighbors": 0}, "n_neighbors=0 was given and a whole number of at least 1"),
        ({"kernel": "precomputed"}, 'kernel="precomputed" was given and a kernel of coordinates is needed'),
        ({"rho": 1e6}, "rho=1e\\+06 was given and the longest edge is so long .* set rho to at most"),
    ],
)
def test_low_density_separation_refuses_in_a_sentence(parameters, sentence):
    X, _, partial = three_blobs()
    X = X @ X.T if parameters.get("kernel") == "precomputed" else X
    with pytest.raises(ValueError, match=sentence):
        LowDensitySeparation(**parameters).fit(X, partial)
