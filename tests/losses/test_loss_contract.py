"""What every loss promises, checked on every concrete loss of the package and of the guide; a new one is found."""

import dataclasses
import importlib
import itertools
import pkgutil
import warnings

import numpy as np
import pytest

import semisvm.losses
from semisvm.losses import Loss, SplitLoss, concrete_losses
from semisvm.losses.loss import EXAMPLE_POINTS
from tests import guides

for module in pkgutil.iter_modules(semisvm.losses.__path__):
    importlib.import_module(f"semisvm.losses.{module.name}")

PACKAGE = [cls for cls in concrete_losses() if cls.__module__.startswith("semisvm.")]
CLASSES = [*PACKAGE, guides.module("docs/extending.md").Cauchy]
EXAMPLES = [pytest.param(loss, id=f"{cls.__name__}-{i}") for cls in CLASSES for i, loss in enumerate(cls.examples())]
NORMS = np.linspace(0.0, 2.0, EXAMPLE_POINTS)  # the first point is the origin: it has no noise
COLUMNS = 83
SCORES = np.linspace(-3.2, 3.2, COLUMNS) + 0.0137 * np.arange(EXAMPLE_POINTS)[:, None]


def bound(example, t=SCORES):
    return example.bind(t, NORMS)


def those(chosen):
    return pytest.mark.parametrize("example", [case for case in EXAMPLES if chosen(case.values[0])])


def without_values_per_point(example):
    loss = bound(example)
    return loss.take(slice(1)) is loss


every_loss = those(lambda example: True)
every_piecewise_quadratic_loss = those(lambda example: example.piecewise_quadratic)
every_convex_loss = those(lambda example: example.convex)
every_split_loss = those(lambda example: isinstance(example, SplitLoss))
every_loss_without_values_per_point = those(without_values_per_point)


def away_from_breakpoints(loss, t, distance):
    return np.all([np.abs(t - b) > distance for b in loss.breakpoints] or [np.full(t.shape, True)], axis=0)


def derivative(f, t, h=1e-4):
    """The five-point rule, of error h^4."""
    return (f(t - 2 * h) - 8 * f(t - h) + 8 * f(t + h) - f(t + 2 * h)) / (12 * h)


# ---------------------------------------------------------------- the classes


def test_the_package_exports_exactly_its_concrete_losses():
    exported = {name for name in semisvm.losses.__all__ if isinstance(getattr(semisvm.losses, name), type)}
    assert exported == {cls.__name__ for cls in PACKAGE} | {"Loss", "SplitLoss"}


@pytest.mark.parametrize("cls", CLASSES)
def test_losses_are_frozen_and_final(cls):
    assert dataclasses.is_dataclass(cls)
    assert cls.__dataclass_params__.frozen
    assert all(parent in {Loss, SplitLoss} for parent in cls.__bases__)
    assert cls.__subclasses__() == []


@pytest.mark.parametrize("interface", [Loss, SplitLoss])
def test_interfaces_are_never_instantiated(interface):
    with pytest.raises(TypeError, match="abstract"):
        interface()


# ---------------------------------------------------------------- derivatives


@every_loss
def test_slope_is_the_derivative_of_the_value(example):
    loss = bound(example)
    inside = away_from_breakpoints(loss, SCORES, 3e-4)
    error = np.abs(loss.slope(SCORES) - derivative(loss.value, SCORES))
    assert inside.mean() > 0.9
    assert error[inside].max() < 1e-7


@every_loss
def test_curvature_is_the_derivative_of_the_slope(example):
    loss = bound(example)
    inside = away_from_breakpoints(loss, SCORES, 3e-4)
    expected = derivative(loss.slope, SCORES)
    error = np.abs(loss.curvature(SCORES) - expected) / (1 + np.abs(expected))
    assert error[inside].max() < 1e-7


@every_loss
def test_value_and_slope_together_are_those_apart(example):
    loss = bound(example)
    value, slope = loss.value_and_slope(SCORES)
    np.testing.assert_array_equal(value, loss.value(SCORES))
    np.testing.assert_array_equal(slope, loss.slope(SCORES))


@every_loss
def test_differentiable_means_that_the_slope_is_continuous(example):
    loss = bound(example)
    h = 1e-9
    jumps = [np.ptp([loss.slope(np.full_like(SCORES, b + d)) for d in (-h, h)], axis=0).max() for b in loss.breakpoints]
    assert loss.differentiable == (max(jumps, default=0.0) < 1e-5)


# ---------------------------------------------------------------- shape


@every_convex_loss
def test_convex_means_below_the_chord(example):
    loss = bound(example)
    left, right = SCORES, SCORES[:, ::-1] + 0.7
    excess = loss.value((left + right) / 2) - (loss.value(left) + loss.value(right)) / 2
    assert loss.convex
    assert excess.max() < 1e-12


@pytest.mark.parametrize("cls", CLASSES)
def test_losses_not_called_convex_are_not(cls):
    losses = [loss for loss in map(bound, cls.examples()) if not loss.convex]
    dips = [loss.curvature(SCORES).min() < -1e-3 for loss in losses if loss.differentiable]
    kinks = [
        np.min(loss.slope(np.full_like(SCORES, b + 1e-9)) - loss.slope(np.full_like(SCORES, b - 1e-9))) < -1e-3
        for loss in losses
        for b in loss.breakpoints
    ]
    assert not losses or any(dips) or any(kinks)


@every_piecewise_quadratic_loss
def test_piecewise_quadratic_means_quadratic_between_breakpoints(example):
    loss = bound(example)
    ends = [-4.0, *loss.breakpoints, 4.0]
    for low, high in itertools.pairwise(ends):
        pieces = [np.full_like(SCORES, low + share * (high - low)) for share in (0.01, 0.25, 0.49, 0.73, 0.97)]
        values = [loss.value(t) for t in pieces]
        third_difference = values[3] - 3 * values[2] + 3 * values[1] - values[0]
        assert np.abs(third_difference).max() < 1e-12
        assert np.ptp([loss.curvature(t) for t in pieces], axis=0).max() < 1e-12


@every_loss
def test_something_jumps_at_every_breakpoint_but_never_the_value(example):
    loss = bound(example)
    assert list(loss.breakpoints) == sorted(set(loss.breakpoints))
    h = 1e-9
    for b in loss.breakpoints:
        before, after = np.full_like(SCORES, b - h), np.full_like(SCORES, b + h)
        assert np.abs(loss.value(after) - loss.value(before)).max() < 1e-7
        if loss.piecewise_quadratic:
            slope_jump = np.abs(loss.slope(after) - loss.slope(before)).max()
            curvature_jump = np.abs(loss.curvature(after) - loss.curvature(before)).max()
            assert max(slope_jump, curvature_jump) > 1e-2


@every_loss
def test_at_a_breakpoint_the_slope_is_a_subgradient_and_the_curvature_that_of_one_side(example):
    loss = bound(example)
    h = 1e-9
    for b in loss.breakpoints:
        places = [np.full_like(SCORES, b + d) for d in (-h, 0.0, h)]
        before, at, after = map(loss.slope, places)
        assert np.all((at > np.minimum(before, after) - 1e-6) & (at < np.maximum(before, after) + 1e-6))
        before, at, after = map(loss.curvature, places)
        assert np.minimum(np.abs(at - before), np.abs(at - after)).max() < 1e-5


# ---------------------------------------------------------------- arrays


@every_loss
def test_float32_stays_float32(example):
    t = np.round(SCORES * 64).astype(np.float32) / 64
    loss = bound(example, t.astype(np.float64))
    inside = away_from_breakpoints(loss, t, 1e-3)
    for f in (loss.value, loss.slope, loss.curvature):
        single, double = f(t), f(t.astype(np.float64))
        assert single.dtype == np.float32
        assert double.dtype == np.float64
        np.testing.assert_allclose(single[inside], double[inside], rtol=2e-5, atol=2e-5)
    assert [part.dtype for part in loss.value_and_slope(t)] == [np.float32, np.float32]
    assert bound(example, t).value(t).dtype == np.float32


@every_loss
def test_integers_are_computed_in_float64(example):
    t = np.tile(np.array([-2, 0, 3]), (EXAMPLE_POINTS, 1))
    loss = bound(example, t.astype(np.float64))
    for f in (loss.slope, loss.curvature):
        np.testing.assert_array_equal(f(t), f(t.astype(np.float64)))


@every_loss
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes_are_finite_and_silent(example, dtype):
    extremes = np.array([-1e8, -1e5, -1.0, -1e-8, 0.0, 1e-8, 1.0, 1e5, 1e8], dtype=dtype)
    t = np.tile(extremes, (EXAMPLE_POINTS, 1))
    t[::2] *= -1
    with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise", divide="raise"):
        warnings.simplefilter("error")
        for loss in (bound(example, np.ones_like(t)), bound(example, t)):
            for part in (loss.value(t), loss.slope(t), loss.curvature(t), *loss.value_and_slope(t)):
                assert np.all(np.isfinite(part))


@every_loss
def test_one_column_is_one_dimension(example):
    flat, column = SCORES[:, 5], SCORES[:, 5:6]
    in_flat, in_column = bound(example, flat), bound(example, column)
    for name in ("value", "slope", "curvature"):
        of_flat, of_column = getattr(in_flat, name)(flat), getattr(in_column, name)(column)
        assert of_flat.shape == flat.shape
        np.testing.assert_allclose(of_flat, of_column[:, 0], rtol=1e-14, atol=0)


@every_loss_without_values_per_point
def test_losses_without_values_per_point_take_any_shape(example):
    loss = bound(example)
    t = SCORES[:, :4].reshape(2, 3, 4)
    for f in (loss.value, loss.slope, loss.curvature):
        np.testing.assert_array_equal(f(t).ravel(), f(t.ravel()))
        assert f(t).shape == t.shape
        assert float(f(t[0, 0, 0])) == f(t)[0, 0, 0]


@every_loss
@pytest.mark.parametrize("rows", [slice(1, 5), slice(None, None, 2), np.array([4, 0, 4]), np.array([], dtype=int)])
def test_take_is_the_loss_of_those_rows(example, rows):
    loss = bound(example)
    part = loss.take(rows)
    for name in ("value", "slope", "curvature"):
        np.testing.assert_array_equal(getattr(part, name)(SCORES[rows]), getattr(loss, name)(SCORES)[rows])


@every_loss
@pytest.mark.parametrize("chosen", [slice(2, 9), np.array([7, 1]), np.array([3])])
def test_columns_is_the_loss_of_those_columns(example, chosen):
    loss = bound(example)
    for part in (loss.columns(chosen), bound(example.columns(chosen), SCORES[:, chosen])):
        for name in ("value", "slope", "curvature"):
            whole = getattr(loss, name)(SCORES)
            np.testing.assert_array_equal(getattr(part, name)(SCORES[:, chosen]), whole[:, chosen])


@every_loss
def test_binding_ends_in_a_pointwise_loss_and_leaves_those_alone(example):
    loss = bound(example)
    assert loss.pointwise
    assert bound(loss) is loss
    if example.pointwise:
        assert loss is example


@every_loss
def test_a_pointwise_loss_sees_every_entry_by_itself(example):
    loss = bound(example)
    moved = SCORES.copy()
    moved[3, 7] += 0.25
    changed = loss.value(moved) != loss.value(SCORES)
    assert not np.delete(changed.ravel(), 3 * COLUMNS + 7).any()


# ---------------------------------------------------------------- split losses


@every_split_loss
def test_the_parts_of_a_split_loss_add_up(example):
    convex = example.convex_part()
    inside = away_from_breakpoints(example, SCORES, 1e-6)
    assert convex.convex
    np.testing.assert_allclose(convex.value(SCORES) + example.concave_value(SCORES), example.value(SCORES), atol=1e-14)
    total_slope = convex.slope(SCORES) + example.concave_slope(SCORES)
    np.testing.assert_allclose(total_slope[inside], example.slope(SCORES)[inside], atol=1e-14)
    np.testing.assert_allclose(
        derivative(example.concave_value, SCORES)[inside], example.concave_slope(SCORES)[inside], atol=1e-10
    )
    middle = example.concave_value((SCORES + SCORES[:, ::-1]) / 2)
    assert np.all(middle >= (example.concave_value(SCORES) + example.concave_value(SCORES[:, ::-1])) / 2 - 1e-14)
