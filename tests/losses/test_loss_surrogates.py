"""Fixed labels, mixed labels and tangents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semisvm.losses import (
    Fixed,
    Hinge,
    Mixed,
    ModifiedLogistic,
    SmoothedSquaredHinge,
    SquaredHinge,
    SymmetricRamp,
    SymmetricSquaredHinge,
    Tangent,
)

Z = np.linspace(-3, 3, 121)
SPLIT = [SymmetricSquaredHinge(), SymmetricRamp(s=-0.3), SymmetricRamp(s=0.0)]


@pytest.mark.parametrize("loss", SPLIT)
@given(at=st.floats(-5, 5))
def test_a_tangent_majorises_and_touches(loss, at):
    tangent = Tangent(loss, np.full(len(Z), at))
    here = np.full(len(Z), at)
    assert np.all(tangent.value(Z) >= loss.value(Z) - 1e-13)
    np.testing.assert_allclose(tangent.value(here), loss.value(here), atol=1e-14)


@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_the_tangent_of_the_squared_hinge_is_the_loss_of_the_concave_convex_procedure(y):
    t = y * Z
    expected = np.where(t >= 1, 0.0, np.where(t > -1, (1 - t) ** 2, -4 * t))
    for at in (0.2 * y, 5.0 * y):
        np.testing.assert_allclose(Tangent(SymmetricSquaredHinge(), at).value(Z), expected, atol=1e-14)


def test_a_point_at_zero_counts_as_positive():
    np.testing.assert_array_equal(
        Tangent(SymmetricSquaredHinge(), 0.0).value(Z), Tangent(SymmetricSquaredHinge(), 1.0).value(Z)
    )


@pytest.mark.parametrize("s", [0.0, -0.3])
def test_the_tangent_of_the_ramp_tilts_the_insensitive_loss(s):
    at = np.linspace(-1.5, 1.5, len(Z))
    tilt = np.sign(at) * (np.abs(at) > abs(s))
    tangent = Tangent(SymmetricRamp(s=s), at)
    np.testing.assert_array_equal(tangent.tilt, -tilt)
    # 2 + max(0, |z| - 1) - tilt z, up to the constant of each point
    rest = tangent.value(Z) - (2 + np.maximum(0, np.abs(Z) - 1) - tilt * Z)
    np.testing.assert_allclose(rest, tangent.value(0 * Z) - 2, atol=1e-14)


def test_fixed_labels_give_the_labeled_loss_of_the_margins():
    y = np.where(np.arange(len(Z)) % 2, 1.0, -1.0)
    np.testing.assert_array_equal(Fixed(SquaredHinge(), y).value(Z), np.maximum(0, 1 - y * Z) ** 2)


def test_the_better_fixed_label_gives_the_symmetric_loss():
    better = np.minimum(Fixed(SquaredHinge(), 1.0).value(Z), Fixed(SquaredHinge(), -1.0).value(Z))
    np.testing.assert_allclose(better, SymmetricSquaredHinge().value(Z), atol=1e-15)


def test_certain_mixtures_are_fixed_labels():
    y = np.where(np.arange(len(Z)) % 3, 1.0, -1.0)
    mixed, fixed = Mixed(SquaredHinge(), (1 + y) / 2), Fixed(SquaredHinge(), y)
    for name in ("value", "slope", "curvature"):
        np.testing.assert_array_equal(getattr(mixed, name)(Z), getattr(fixed, name)(Z))


def test_a_mixture_is_the_expected_loss():
    p = np.linspace(0, 1, len(Z))
    expected = p * np.maximum(0, 1 - Z) + (1 - p) * np.maximum(0, 1 + Z)
    np.testing.assert_allclose(Mixed(Hinge(), p).value(Z), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("view", "values"),
    [
        (lambda values: Fixed(SquaredHinge(), np.sign(values)), "y"),
        (lambda values: Mixed(SquaredHinge(), np.abs(values) / 3), "p"),
        (lambda values: Tangent(SymmetricRamp(), values), "at"),
    ],
)
def test_views_may_carry_one_value_per_point_and_column(view, values):
    rng = np.random.default_rng(3)
    t, per_entry = rng.normal(size=(7, 4)), rng.uniform(-2, 2, size=(7, 4))
    loss = view(per_entry)
    rows, chosen = np.array([5, 2]), np.array([3, 0])
    for name in ("value", "slope", "curvature"):
        whole = getattr(loss, name)(t)
        for j in range(4):
            np.testing.assert_array_equal(whole[:, j], getattr(view(per_entry[:, j]), name)(t[:, j]))
        np.testing.assert_array_equal(getattr(loss.take(rows), name)(t[rows]), whole[rows])
        np.testing.assert_array_equal(getattr(loss.columns(chosen), name)(t[:, chosen]), whole[:, chosen])
    assert getattr(loss.take(rows), values).shape == (2, 4)
    assert getattr(loss.columns(chosen), values).shape == (7, 2)


def test_a_single_column_of_values_is_shared_by_all_columns():
    t, y = np.random.default_rng(4).normal(size=(5, 3)), np.array([[1.0], [-1], [1], [-1], [-1]])
    loss = Fixed(SquaredHinge(), y)
    np.testing.assert_array_equal(loss.columns(np.array([2, 1])).value(t[:, [2, 1]]), loss.value(t)[:, [2, 1]])


def test_views_bind_the_loss_they_see():
    y, norms = np.where(Z > 0.5, -1.0, 1.0), np.linspace(0, 3, len(Z))
    smoothed = SmoothedSquaredHinge(gamma=0.6)
    for view in (Fixed(smoothed, y), Mixed(smoothed, (1 + y) / 2)):
        assert not view.pointwise
        bound = view.bind(Z, norms)
        assert bound.pointwise
        np.testing.assert_allclose(bound.value(Z), smoothed.bind(Z, norms).value(y * Z), rtol=1e-14)


@pytest.mark.parametrize("view", [Fixed(ModifiedLogistic(), 1.0), Mixed(ModifiedLogistic(), 0.5)])
def test_views_of_smooth_losses_are_smooth(view):
    assert view.convex
    assert view.differentiable
    assert not view.piecewise_quadratic
    assert view.breakpoints == ()


def test_breakpoints_are_those_of_the_labels_at_hand():
    assert Fixed(Hinge(), np.ones(3)).breakpoints == (1.0,)
    assert Fixed(Hinge(), -np.ones(3)).breakpoints == (-1.0,)
    assert Fixed(Hinge(), np.array([1.0, -1.0])).breakpoints == (-1.0, 1.0)
    assert Mixed(Hinge(), 0.5).breakpoints == (-1.0, 1.0)
    assert Tangent(SymmetricSquaredHinge(), 0.5).breakpoints == (-1.0, 1.0)
