"""The losses against the formulas of the papers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semisvm.losses import (
    CorrectedDoubleHinge,
    DoubleHinge,
    FlatQuadratic,
    Gaussian,
    Hinge,
    Huber,
    HuberHinge,
    ModifiedLogistic,
    Squared,
    SquaredHinge,
    SymmetricHinge,
    SymmetricRamp,
    SymmetricSquaredHinge,
    TwoSidedHinge,
    Zero,
)

T = np.linspace(-3, 3, 241)


def ramp(s, z):
    return np.minimum(1 - s, np.maximum(0, 1 - z))


def test_labeled_losses_at_known_margins():
    t = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_array_equal(Hinge().value(t), [2, 1, 0.5, 0, 0])
    np.testing.assert_array_equal(SquaredHinge().value(t), [4, 1, 0.25, 0, 0])
    np.testing.assert_array_equal(Squared().value(t), [4, 1, 0.25, 0, 1])
    np.testing.assert_allclose(ModifiedLogistic().value(t), np.log1p(np.exp(20 * (1 - t))) / 20, rtol=1e-14, atol=1e-18)


def test_unlabeled_losses_at_known_scores():
    t = np.array([-1.5, -0.5, 0.0, 0.25, 1.0])
    np.testing.assert_array_equal(SymmetricHinge().value(t), [0, 0.5, 1, 0.75, 0])
    np.testing.assert_array_equal(SymmetricSquaredHinge().value(t), [0, 0.25, 1, 0.5625, 0])
    np.testing.assert_allclose(Gaussian(s=3.0).value(t), np.exp(-3 * t**2), rtol=1e-15)
    np.testing.assert_array_equal(Zero().value(t), np.zeros(5))


@pytest.mark.parametrize("width", [1e-3, 0.1, 0.5, 2.0])
def test_the_huber_hinge_rounds_the_hinge_by_at_most_a_quarter_of_its_width(width):
    excess = HuberHinge(width).value(T) - Hinge().value(T)
    assert excess.min() > -1e-15
    assert excess.max() <= width / 4 + 1e-15
    assert HuberHinge(width).value(np.array(1.0)) == pytest.approx(width / 4, rel=1e-12)
    assert np.all(np.abs(excess[np.abs(1 - T) >= width]) < 1e-14)


def test_the_modified_logistic_loss_rounds_the_hinge_by_at_most_log2_over_the_steepness():
    excess = ModifiedLogistic(steepness=7.0).value(T) - Hinge().value(T)
    assert np.all(excess > 0)
    assert excess.max() == pytest.approx(np.log(2) / 7, rel=1e-12)


def test_the_slope_at_a_kink_takes_zero_for_positive():
    zero = np.array([0.0, -0.0])
    np.testing.assert_array_equal(SymmetricHinge().slope(zero), [-1, -1])
    np.testing.assert_array_equal(SymmetricSquaredHinge().slope(zero), [-2, -2])
    np.testing.assert_array_equal(SymmetricSquaredHinge().curvature(zero), [2, 2])
    np.testing.assert_array_equal(SymmetricSquaredHinge().concave_slope(zero), [-2, -2])
    np.testing.assert_array_equal(SymmetricRamp(s=0.0).concave_slope(zero), [0, 0])
    assert Hinge().slope(np.array(1.0)) == 0


@given(st.floats(-1, 0, exclude_min=True), st.floats(-1e6, 1e6))
def test_the_symmetric_ramp_is_the_sum_of_two_ramps(s, t):
    loss, t = SymmetricRamp(s=s), np.float64(t)
    both = ramp(s, t) + ramp(s, -t)
    assert loss.value(t) == pytest.approx(both, rel=1e-14)
    assert both == pytest.approx((1 - s) + min(1 + s, max(0, 1 - abs(t))), rel=1e-14)


def test_the_convex_part_of_the_ramp_is_the_hinge_of_either_label():
    np.testing.assert_allclose(TwoSidedHinge().value(T), Hinge().value(T) + Hinge().value(-T), rtol=1e-15)


def test_the_convex_part_of_the_squared_hinge():
    np.testing.assert_allclose(Huber().value(T), np.where(np.abs(T) < 1, 1 + T**2, 2 * np.abs(T)), rtol=1e-15)


@pytest.mark.parametrize("s", [0.0, -0.3, -0.8])
def test_the_concave_slope_of_the_ramp_marks_the_points_beyond_s(s):
    expected = -np.sign(T) * (np.abs(T) > abs(s))
    np.testing.assert_array_equal(SymmetricRamp(s=s).concave_slope(T), expected)


@pytest.mark.parametrize("places", [(0.4, 0.5, 0.9, 1.0), (0.05, 0.3, 0.35, 1.2), (0.2, 0.21, 0.99, 1.0)])
def test_the_flat_loss_piece_by_piece(places):
    t0, t1, t2, t3 = places
    h1, h2 = t1 - t0, t3 - t2
    m = 1 / ((t2 - t1) + (h1 + h2) / 2)
    a = np.abs(T)
    expected = np.select(
        [a <= t0, a <= t1, a <= t2, a <= t3],
        [
            1.0,
            1 - m / (2 * h1) * (a - t0) ** 2,
            1 - m * h1 / 2 - m * (a - t1),
            m / (2 * h2) * (t3 - a) ** 2,
        ],
        0.0,
    )
    np.testing.assert_allclose(FlatQuadratic(*places).value(T), expected, atol=1e-14)


def test_the_default_flat_loss_has_slope_2_and_curvature_20():
    loss = FlatQuadratic()
    np.testing.assert_allclose(loss.slope(np.array([0.3, 0.7, -0.7, 1.1])), [0, -2, 2, 0], atol=1e-14)
    np.testing.assert_allclose(loss.curvature(np.array([0.45, 0.7, 0.95, -0.45])), [-20, 0, 20, -20], rtol=1e-12)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: HuberHinge(0.0), r"HuberHinge was given width=0.0; it needs a positive width, such as 0.1."),
        (lambda: ModifiedLogistic(-1.0), r"ModifiedLogistic was given steepness=-1.0; it needs a positive steepness"),
        (lambda: SymmetricRamp(0.5), r"SymmetricRamp was given s=0.5; it needs -1 < s <= 0, such as -0.3."),
        (lambda: SymmetricRamp(-1.0), r"SymmetricRamp was given s=-1.0; it needs -1 < s <= 0, such as -0.3."),
        (lambda: Gaussian(float("nan")), r"Gaussian was given s=nan; it needs a positive s, such as 5."),
        (lambda: FlatQuadratic(0.5, 0.4), r"\(0.5, 0.4, 0.9, 1.0\); it needs 0 < t0 < t1 < t2 < t3"),
    ],
)
def test_impossible_parameters_are_refused_in_a_sentence(build, sentence):
    with pytest.raises(ValueError, match=sentence):
        build()


def test_the_double_hinge_is_that_of_the_paper_but_for_its_middle():
    published = np.maximum(np.maximum(0, (1 - T) / 2), -T)
    value = DoubleHinge().value(T)
    outside = np.abs(T) >= 1
    np.testing.assert_allclose(value[outside], published[outside], atol=1e-15)
    np.testing.assert_allclose(value[~outside], (1 - T[~outside]) ** 2 / 4, atol=1e-15)
    # what makes the risk of positive and unlabeled rows convex
    np.testing.assert_allclose(value - DoubleHinge().value(-T), -T, atol=1e-14)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_corrected_double_hinge_is_a_difference(share):
    expected = DoubleHinge().value(T) - share * DoubleHinge().value(-T)
    np.testing.assert_allclose(CorrectedDoubleHinge(share).value(T), expected, atol=1e-14)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_corrected_double_hinge_takes_a_share(share):
    with pytest.raises(ValueError, match="a share from 0 to 1"):
        CorrectedDoubleHinge(share)
