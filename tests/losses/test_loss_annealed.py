"""The annealed loss is the constrained minimum over the label probabilities."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import expit

from semisvm.losses import Annealed, Hinge, SmoothedSquaredHinge, SquaredHinge, entropy, probabilities
from semisvm.losses.annealed import offset_trials, ranks_beside

TEMPERATURES = 10.0 ** np.arange(4, -9, -1)


def brute_force(plus, minus, weights, T, n_positive):
    """min_p sum_i w_i [p V(z) + (1 - p) V(-z)] + T [p log p + (1 - p) log(1 - p)], sum p = n_positive, by SLSQP."""
    u = len(plus)

    def objective(p):
        return np.sum(weights * (p * plus + (1 - p) * minus)) + T * np.sum(p * np.log(p) + (1 - p) * np.log(1 - p))

    def gradient(p):
        return weights * (plus - minus) + T * np.log(p / (1 - p))

    count = {"type": "eq", "fun": lambda p: p.sum() - n_positive, "jac": lambda p: np.ones(u)}
    options = {"ftol": 1e-15, "maxiter": 1000}
    start = np.full(u, n_positive / u)
    return minimize(objective, start, jac=gradient, bounds=[(1e-12, 1 - 1e-12)] * u, constraints=count, options=options)


# ---------------------------------------------------------------- probabilities


@pytest.mark.parametrize("T", TEMPERATURES)
@pytest.mark.parametrize("n_positive", [0, 1, 50, 99, 100])
@pytest.mark.parametrize("gaps", ["spread", "tied", "equal", "heavy", "huge"])
def test_the_count_is_met_at_every_temperature(gaps, T, n_positive):
    rng = np.random.default_rng(1)
    g = {
        "spread": rng.normal(size=100),
        "tied": rng.integers(0, 3, 100).astype(float),
        "equal": np.full(100, 1.7),
        "heavy": 1e3 * rng.standard_cauchy(100),
        "huge": 1e16 * np.sign(rng.normal(size=100)),
    }[gaps]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        p = probabilities(g, T, n_positive)
    assert p.min() >= 0
    assert p.max() <= 1
    assert abs(p.sum() - n_positive) <= 1e-10
    assert np.all(np.diff(p[np.argsort(g, kind="stable")]) <= 0)


def test_cold_probabilities_are_the_smallest_gaps_and_hot_ones_the_ratio():
    g = np.random.default_rng(2).permutation(20) / 10
    np.testing.assert_array_equal(probabilities(g, 1e-8, 7), (g < 0.65).astype(float))
    np.testing.assert_allclose(probabilities(g, 1e9, 7), 0.35, atol=1e-8)


def test_ties_share_what_is_left():
    p = probabilities(np.array([0.0, 1.0, 1.0, 1.0, 2.0]), 1e-8, 2)
    np.testing.assert_allclose(p, [1, 1 / 3, 1 / 3, 1 / 3, 0], atol=1e-12)


def test_steps_of_unequal_height_are_no_trap():
    """Newton alone, started among the 448 points, leaps to where every p is 1."""
    g = np.repeat([0.0, 750.0, 1325.0], [12077, 448, 2])
    assert probabilities(g, 1.0, 12524).sum() == pytest.approx(12524, abs=1e-8)


def test_probabilities_are_those_of_one_multiplier():
    g, T = np.random.default_rng(3).normal(size=40), 0.3
    p = probabilities(g, T, 11)
    nu = g + T * np.log(p / (1 - p))
    assert np.ptp(nu) < 1e-12


def test_every_column_meets_its_own_count():
    g = np.random.default_rng(4).normal(size=(30, 4))
    counts = np.array([0, 3, 17, 30])
    p = probabilities(g, 0.2, counts)
    np.testing.assert_allclose(p.sum(axis=0), counts, atol=1e-11)
    for j in range(4):
        np.testing.assert_array_equal(p[:, j], probabilities(g[:, j], 0.2, counts[j]))
    np.testing.assert_allclose(probabilities(g, 0.2, 5).sum(axis=0), 5, atol=1e-11)


def test_no_points_are_no_probabilities():
    assert probabilities(np.zeros(0), 1.0, 0).shape == (0,)
    assert probabilities(np.zeros((0, 3)), 1.0, 0).shape == (0, 3)


@settings(deadline=None)
@given(
    arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e6, 1e6)),
    st.floats(-8, 4),
    st.floats(0, 1),
)
def test_any_count_is_met(g, log_temperature, share):
    n_positive = share * len(g)
    p = probabilities(g, 10.0**log_temperature, n_positive)
    assert np.all((p >= 0) & (p <= 1))
    assert abs(p.sum() - n_positive) <= 1e-11 * len(g)


def test_entropy_is_summed_in_nats():
    assert entropy(np.array([0.5, 0.5, 0.0, 1.0])) == pytest.approx(2 * np.log(2), rel=1e-15)
    np.testing.assert_allclose(entropy(np.array([[0.5, 0.2], [1.0, 0.8]])), [np.log(2), 1.000804847], rtol=1e-9)


# ---------------------------------------------------------------- the annealed loss


@pytest.mark.parametrize("V", [Hinge(), SquaredHinge()])
@pytest.mark.parametrize(("T", "n_positive"), [(5.0, 2), (0.7, 3), (0.3, 1), (1.0, 2.5)])
def test_the_sum_is_the_constrained_minimum(V, T, n_positive):
    z = np.array([-0.9, -0.35, 0.1, 0.3, 1.2, 0.75])
    solution = brute_force(V.value(z), V.value(-z), np.ones(6), T, n_positive)
    loss = Annealed(V, T, n_positive).bind(z, np.ones(6))
    assert loss.value(z).sum() == pytest.approx(solution.fun, abs=1e-9)
    np.testing.assert_allclose(loss.probabilities(z), solution.x, atol=1e-5)
    assert loss.probabilities(z).sum() == pytest.approx(n_positive, abs=1e-11)


def test_the_weights_of_the_points_divide_the_temperature():
    V, T, n_positive = SquaredHinge(), 0.6, 2
    z = np.array([-0.9, -0.35, 0.1, 0.3, 1.2])
    C_star = np.array([0.5, 2.0, 1.0, 3.0, 0.8])
    solution = brute_force(V.value(z), V.value(-z), C_star, T, n_positive)
    loss = Annealed(V, T / C_star, n_positive).bind(z, np.ones(5))
    assert np.sum(C_star * loss.value(z)) == pytest.approx(solution.fun, abs=1e-9)
    gaps = C_star * (V.value(z) - V.value(-z))
    np.testing.assert_allclose(loss.probabilities(z), probabilities(gaps, T, n_positive), atol=1e-12)


@pytest.mark.parametrize("n_positive", [0, 1, 3, 6])
@pytest.mark.parametrize("T", [1e4, 10.0, 1.0, 0.1, 0.01])
def test_the_slope_is_the_gradient_of_the_constrained_minimum(T, n_positive):
    annealed, norms = Annealed(SquaredHinge(), T, n_positive), np.ones(6)
    z = np.array([-0.9, -0.35, 0.1, 0.32, 1.2, 0.75])
    slope, h = annealed.bind(z, norms).slope(z), 1e-5

    def minimum(z):
        return annealed.bind(z, norms).value(z).sum()

    numeric = [(minimum(z + h * e) - minimum(z - h * e)) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(slope, numeric, atol=1e-7 * max(1.0, T * 1e-2))


def test_at_temperature_zero_the_minimum_is_the_best_labeling_with_the_count():
    z = np.array([-0.9, -0.35, 0.1, 0.3, 1.2, 0.75])
    V = SquaredHinge()
    y = np.where(z > 0.2, 1.0, -1.0)
    loss = Annealed(V, 1e-8, 3).bind(z, np.ones(6))
    assert loss.value(z).sum() == pytest.approx(V.value(y * z).sum(), abs=1e-7)
    np.testing.assert_allclose(loss.slope(z), y * V.slope(y * z), atol=1e-12)


@pytest.mark.parametrize(("n_positive", "label"), [(0, -1.0), (6, 1.0)])
def test_one_class_alone_leaves_the_loss_of_its_label(n_positive, label):
    z = np.linspace(-2, 2, 6)
    loss = Annealed(SquaredHinge(), 0.4, n_positive).bind(z, np.ones(6))
    np.testing.assert_array_equal(loss.value(z), SquaredHinge().value(label * z))
    np.testing.assert_array_equal(loss.slope(z), label * SquaredHinge().slope(label * z))
    np.testing.assert_array_equal(loss.curvature(z), SquaredHinge().curvature(label * z))


@settings(deadline=None)
@given(
    arrays(np.float64, (2, 8), elements=st.floats(-3, 3)),
    st.sampled_from([100.0, 1.0, 0.03]),
    st.integers(0, 8),
)
def test_the_bound_loss_is_never_above_the_minimum(scores, T, n_positive):
    annealed, norms = Annealed(SquaredHinge(), T, n_positive), np.ones(8)
    here, there = scores
    minimum = annealed.bind(there, norms).value(there).sum()
    assert annealed.bind(here, norms).value(there).sum() <= minimum + 1e-10 * max(1, T)


@pytest.mark.parametrize("T", [1e-8, 1e-3])
def test_single_precision_scores_meet_the_count_too(T):
    z = np.random.default_rng(5).normal(size=200).astype(np.float32)
    z[50:120] = z[50]
    loss = Annealed(SquaredHinge(), T, 80).bind(z, np.ones(200))
    assert loss.probabilities(z).sum() == pytest.approx(80, abs=1e-10)
    assert loss.value(z).dtype == np.float32


def test_columns_are_annealed_side_by_side():
    z = np.random.default_rng(6).normal(size=(9, 3))
    counts = np.array([2, 0, 5])
    annealed = Annealed(SquaredHinge(), 0.3, counts)
    together = annealed.bind(z, np.ones(9))
    for j in range(3):
        alone = Annealed(SquaredHinge(), 0.3, counts[j]).bind(z[:, j], np.ones(9))
        for name in ("value", "slope", "curvature"):
            np.testing.assert_array_equal(getattr(together, name)(z)[:, j], getattr(alone, name)(z[:, j]))
    chosen = np.array([2, 0])
    for part in (together.columns(chosen), annealed.columns(chosen).bind(z[:, chosen], np.ones(9))):
        np.testing.assert_array_equal(part.value(z[:, chosen]), together.value(z)[:, chosen])


def test_unbound_it_takes_its_argument_as_all_the_points():
    z = np.random.default_rng(7).normal(size=(9, 2))
    annealed = Annealed(SquaredHinge(), 0.3, 4)
    bound = annealed.bind(z, np.ones(9))
    for name in ("value", "slope", "curvature", "value_and_slope"):
        np.testing.assert_array_equal(getattr(annealed, name)(z), getattr(bound, name)(z))


def test_the_loss_inside_is_bound_as_well():
    z, norms = np.linspace(-1, 1, 6), np.linspace(0, 2, 6)
    inner = SmoothedSquaredHinge(gamma=0.5)
    bound = Annealed(inner, 0.3, 2).bind(z, norms)
    expected = Annealed(inner.bind(z, norms), 0.3, 2).bind(z, norms)
    np.testing.assert_array_equal(bound.value(z), expected.value(z))
    np.testing.assert_array_equal(bound.take(slice(1, 4)).value(z[1:4]), bound.value(z)[1:4])


def test_impossible_requests_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"n_positive is 7 for 6 unlabeled points; it needs a count between 0 and 6."):
        probabilities(np.zeros(6), 1.0, 7)
    with pytest.raises(ValueError, match=r"n_positive is -1 for 6 unlabeled points"):
        Annealed(SquaredHinge(), 1.0, -1).bind(np.zeros(6), np.ones(6))
    with pytest.raises(ValueError, match=r"was given the temperature 0.0; it needs one above 0, like 1e-8."):
        probabilities(np.zeros(6), 0.0, 2)
    with pytest.raises(ValueError, match=r"was given the temperature -2.0; it needs one above 0"):
        Annealed(SquaredHinge(), np.array([1.0, -2.0]), 1)
    with pytest.raises(ValueError, match=r"Annealed ties all unlabeled points together and was asked for some of them"):
        Annealed(SquaredHinge(), 1.0, 2).take(slice(2))


@pytest.mark.parametrize("n_positive", [3.0, 40.5, 180.0])
def test_the_multiplier_is_found_in_few_trials(n_positive):
    a = np.sort(np.random.default_rng(0).normal(scale=3.0, size=200))
    last, first = a[ranks_beside(n_positive, 200)]
    trials = offset_trials(n_positive, 200, last, first)
    missed, answer = [], None
    with contextlib.suppress(StopIteration):
        while True:
            p = expit((last - a) + trials.send(answer))
            answer = p.sum(), np.square(p).sum()
            missed.append(abs(answer[0] - n_positive))
    assert missed[-1] < 1e-10
    # halving the bracket would take 40 and more
    assert len(missed) <= 12
