"""Generated sets: shapes, seeds, and the geometry the papers describe."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import radius_neighbors_graph

from semisvm import datasets

GENERATORS = [
    (datasets.make_g50c, (550, 50)),
    (datasets.make_gaussian2c, (500, 500)),
    (datasets.make_gaussian4c, (500, 500)),
    (datasets.make_two_moons, (200, 102)),
    (datasets.make_moons_qn, (500, 2)),
]


@pytest.mark.parametrize(("make", "shape"), GENERATORS)
def test_shapes_and_equal_classes(make, shape):
    X, y = make(random_state=0)
    assert X.shape == shape
    assert np.bincount(y).tolist() == [shape[0] // 2, shape[0] // 2]


@pytest.mark.parametrize("make", [*(make for make, _ in GENERATORS), datasets.make_clock])
def test_the_seed_decides(make):
    noisy = {"noise": 0.01} if make is datasets.make_clock else {}
    first, again, other = make(random_state=3, **noisy), make(random_state=3, **noisy), make(random_state=4, **noisy)
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("bayes_error", [0.05, 0.2])
def test_g50c_has_the_bayes_error_asked_for(bayes_error):
    X, y = datasets.make_g50c(100_000, bayes_error=bayes_error, random_state=0)
    # The Bayes rule between the means -m 1 and +m 1 is the sign of the sum of the columns.
    error = np.mean((X.sum(axis=1) > 0) != y)
    assert error == pytest.approx(bayes_error, abs=4 * np.sqrt(bayes_error / len(y)))


def test_g50c_means_are_as_far_apart_as_in_the_published_file():
    X, y = datasets.make_g50c(20_000, random_state=1)
    distance = np.linalg.norm(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    assert distance == pytest.approx(2 * 1.6449, abs=0.03)
    assert X[y == 0].std(axis=0) == pytest.approx(np.ones(50), abs=0.05)


def test_g50c_refuses_an_impossible_bayes_error():
    with pytest.raises(ValueError, match=r"bayes_error=0.5 was given: it has to lie between 0 and 0.5, both excluded."):
        datasets.make_g50c(bayes_error=0.5)


@pytest.mark.parametrize("make", [datasets.make_gaussian2c, datasets.make_gaussian4c])
def test_gaussian_clusters_have_the_bayes_error_of_the_paper(make):
    X, y = make(200_000, n_features=3, random_state=0)
    bayes = norm.cdf(-2.5)  # 0.62 %
    assert np.mean((X[:, 0] > 0) != y) == pytest.approx(bayes, abs=4 * np.sqrt(bayes / len(y)))


def test_gaussian4c_means():
    X, y = datasets.make_gaussian4c(40_000, n_features=4, random_state=0)
    for label, sign in [(0, -1), (1, 1)]:
        for side in (-1, 1):
            cluster = X[(y == label) & (np.sign(X[:, 1]) == side)]
            assert len(cluster) == 10_000
            assert cluster.mean(axis=0) == pytest.approx([2.5 * sign, 5 * side, 0, 0], abs=0.05)


def test_gaussian4c_needs_two_columns():
    with pytest.raises(ValueError, match=r"n_features=1 was given: the class means need at least 2."):
        datasets.make_gaussian4c(n_features=1)


@pytest.mark.parametrize("angle", [0.0, 0.2 * np.pi])
def test_labeled_pair_of_two_moons_is_fixed_and_point_symmetric(angle):
    X, y = datasets.make_two_moons(angle=angle, random_state=0)
    other, _ = datasets.make_two_moons(angle=angle, random_state=1)
    assert y[:2].tolist() == [0, 1]
    np.testing.assert_array_equal(X[:2], other[:2])
    assert X[0, :2] == pytest.approx([np.cos(angle), np.sin(angle)])
    assert X[0, :2] + X[1, :2] == pytest.approx([1.0, 0.5])
    assert not X[:2, 2:].any()


def test_inner_tip_lies_within_the_other_moon():
    X, y = datasets.make_two_moons(angle=0.0, random_state=0)
    opposite = X[y == 1, :2]
    assert opposite[:, 0].min() < X[0, 0] < opposite[:, 0].max()
    assert X[0, 1] > opposite[:, 1].min()


def test_two_moons_lie_on_half_circles():
    X, y = datasets.make_two_moons(4000, noise=0.05, random_state=0)
    upper = X[y == 0, :2]
    lower = np.array([1.0, 0.5]) - X[y == 1, :2]
    for moon in (upper, lower):
        radius = np.hypot(*moon.T)
        assert radius.mean() == pytest.approx(1, abs=0.01)
        assert radius.std() == pytest.approx(0.05, abs=0.01)
        assert moon[:, 1].min() > -0.3
    assert X[2:, 2:].std() == pytest.approx(0.01, rel=0.01)


@pytest.mark.parametrize(("angle", "published"), [(0.2 * np.pi, (36, 46)), (0.0, (68, 80))])
def test_a_plain_svm_errs_on_two_moons_as_in_the_survey(angle, published):
    # With one point per class and one kernel width, the SVM is the rule of the nearest labeled point.
    errors = []
    for seed in range(10):
        X, y = datasets.make_two_moons(angle=angle, random_state=seed)
        nearest = pairwise_distances(X[2:], X[:2]).argmin(axis=1)
        errors.append(100 * np.mean(nearest != y[2:]))
    assert published[0] < np.mean(errors) < published[1]


def test_two_moons_need_the_pair():
    with pytest.raises(ValueError, match=r"n=1 was given: the labeled pair alone needs 2 rows."):
        datasets.make_two_moons(1)
    X, y = datasets.make_two_moons(2, nuisance=0)
    assert X.shape == (2, 2)
    assert y.tolist() == [0, 1]


def test_clock_is_two_connected_figures():
    X, y = datasets.make_clock(300, random_state=0)
    assert X.shape == (300, 2)
    assert y[:2].tolist() == [0, 1]
    n_figures, figure = connected_components(radius_neighbors_graph(X, radius=0.1))
    assert n_figures == 2
    np.testing.assert_array_equal(figure == figure[0], y == 0)
    assert np.linalg.norm(X[y == 0], axis=1) == pytest.approx(np.ones((y == 0).sum()))
    assert np.linalg.norm(X[1]) == pytest.approx(0.7)


def test_clock_needs_points():
    with pytest.raises(ValueError, match=r"n_samples=5 was given: a clock needs at least 10 points."):
        datasets.make_clock(5)
