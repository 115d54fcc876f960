"""The smoothed losses are means of the plain ones under Gaussian noise."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from semisvm.losses import Gaussian, SmoothedGaussian, SmoothedSquaredHinge, SquaredHinge

SCORES = np.array([-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 1.9])


def mean_under_noise(f, t, v, kink):
    """E f(t + sqrt(v) e) by quadrature, split where f has a kink."""
    sd = np.sqrt(v)
    places = np.clip(np.sort([t - 12 * sd, kink, t + 12 * sd]), t - 12 * sd, t + 12 * sd)
    pieces = pairwise(places)
    return sum(quad(lambda z: f(z) * norm.pdf(z, t, sd), *piece, epsabs=1e-13, epsrel=1e-13)[0] for piece in pieces)


@pytest.mark.parametrize("gamma", [0.02, 0.9])
@pytest.mark.parametrize(
    ("plain", "smoothed", "kink"),
    [
        (Gaussian(s=5.0), lambda gamma: SmoothedGaussian(s=5.0, gamma=gamma), 0.0),
        (Gaussian(s=0.7), lambda gamma: SmoothedGaussian(s=0.7, gamma=gamma), 0.0),
        (SquaredHinge(), lambda gamma: SmoothedSquaredHinge(gamma=gamma), 1.0),
    ],
)
def test_value_slope_and_curvature_are_means_under_noise(plain, smoothed, kink, gamma):
    norms = np.linspace(0.3, 2.0, len(SCORES))
    loss = smoothed(gamma).bind(SCORES, norms)
    for name in ("value", "slope", "curvature"):
        f = getattr(plain, name)
        expected = [mean_under_noise(f, t, gamma * k / 2, kink) for t, k in zip(SCORES, norms, strict=True)]
        np.testing.assert_allclose(getattr(loss, name)(SCORES), expected, atol=1e-10)


@pytest.mark.parametrize(
    ("plain", "smoothed"), [(Gaussian(s=3.0), SmoothedGaussian(s=3.0)), (SquaredHinge(), SmoothedSquaredHinge())]
)
def test_no_noise_gives_the_plain_loss_exactly(plain, smoothed):
    t = np.linspace(-3, 3, 61)
    no_gamma = smoothed.bind(t, np.full(61, 2.0))
    no_norm = type(smoothed)(**{**vars(smoothed), "gamma": 0.8}).bind(t, np.zeros(61))
    for name in ("value", "slope"):
        np.testing.assert_array_equal(getattr(no_gamma, name)(t), getattr(plain, name)(t))
        np.testing.assert_array_equal(getattr(no_norm, name)(t), getattr(plain, name)(t))
    np.testing.assert_allclose(no_gamma.curvature(t), plain.curvature(t), rtol=1e-15)
    np.testing.assert_allclose(no_norm.curvature(t), plain.curvature(t), rtol=1e-15)


@pytest.mark.parametrize("loss", [SmoothedGaussian(gamma=0.5), SmoothedSquaredHinge(gamma=0.5)])
def test_until_bound_the_norms_are_one(loss):
    assert not loss.pointwise
    np.testing.assert_array_equal(loss.value(SCORES), loss.bind(SCORES, np.ones(7)).value(SCORES))
    assert np.abs(loss.value(SCORES) - loss.bind(SCORES, np.full(7, 2.0)).value(SCORES)).max() > 1e-3


@pytest.mark.parametrize("norm", [1e-30, 1e-300, 5e-324])
def test_points_of_hardly_any_norm_have_hardly_any_noise(norm):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, slope = SmoothedSquaredHinge(gamma=1.0, norms=norm).value_and_slope(SCORES)
    np.testing.assert_allclose(value, SquaredHinge().value(SCORES), atol=1e-14)
    np.testing.assert_allclose(slope, SquaredHinge().slope(SCORES), atol=1e-14)


def test_impossible_parameters_are_refused_in_a_sentence():
    with pytest.raises(
        ValueError, match=r"SmoothedGaussian was given gamma=-1.0; it needs gamma >= 0, where 0 means no"
    ):
        SmoothedGaussian(gamma=-1.0)
    with pytest.raises(ValueError, match=r"SmoothedSquaredHinge was given gamma=-1.0; it needs gamma >= 0"):
        SmoothedSquaredHinge(gamma=-1.0)
    with pytest.raises(ValueError, match=r"SmoothedGaussian was given s=0; it needs a positive s, such as 5."):
        SmoothedGaussian(s=0)
