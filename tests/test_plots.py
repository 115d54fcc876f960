"""Pictures: what is drawn is what was given."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from semisvm import S3VM, BranchAndBoundS3VM, GradientS3VM
from semisvm.plots import plot_bounds, plot_comparison, plot_decision_boundary, plot_path

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture
def clouds():
    random = np.random.default_rng(0)
    X = random.normal(size=(14, 2)) + np.repeat([[-2, 0], [2, 0]], 7, axis=0)
    y = np.full(14, -1)
    y[[0, 7]] = 0, 1
    return X, y


def test_boundary_shows_every_row_once(clouds):
    X, y = clouds
    ax = plot_decision_boundary(GradientS3VM(kernel="linear").fit(X, y), X, y, resolution=20)
    shown = {
        one.get_label(): len(one.get_offsets()) for one in ax.collections if one.get_label() in ("unlabeled", "0", "1")
    }
    assert shown == {"unlabeled": 12, "0": 1, "1": 1}
    with pytest.raises(ValueError, match="two columns are needed to draw a boundary"):
        plot_decision_boundary(None, np.zeros((3, 5)), y)


def test_path_shows_objective_and_changes(clouds):
    model = GradientS3VM(kernel="linear").fit(*clouds)
    ax = plot_path(model.path_)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [np.sum(stage["objective"]) for stage in model.path_])
    with pytest.raises(ValueError, match="no stage with an objective"):
        plot_path([])


def test_the_path_of_the_default_has_a_line_for_each_kernel(clouds):
    model = S3VM().fit(*clouds)
    shares = {stage["kernel"]: stage["share"] for stage in model.path_}
    ax = plot_path(model.path_)
    assert [line.get_label() for line in ax.lines] == list(shares)
    last = [stage for stage in model.path_ if stage["kernel"] == ax.lines[-1].get_label()]
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), [np.sum(stage["objective"]) for stage in last])
    bars = [bar.get_height() for other in ax.figure.axes[1:] for bar in other.patches]
    first = sum(stage["share"] * stage["changed"] for stage in model.path_ if stage["stage"] == 0)
    assert len(bars) == 4
    assert bars[0] == pytest.approx(first)


def test_bounds_meet_where_the_optimum_is_proved(clouds):
    model = BranchAndBoundS3VM(kernel="linear").fit(*clouds)
    upper, lower = plot_bounds(model.path_).lines
    assert upper.get_ydata()[-1] == pytest.approx(lower.get_ydata()[-1], rel=1e-5)
    assert (np.asarray(upper.get_ydata()) >= np.asarray(lower.get_ydata()) - 1e-9).all()
    with pytest.raises(ValueError, match="holds no bounds"):
        plot_bounds(GradientS3VM().fit(*clouds).path_)


def test_comparison_has_the_smallest_error_on_top_of_given_axes():
    ax = pyplot.subplots()[1]
    assert plot_comparison(["a", "supervised", "b"], [3.0, 9.0, 1.0], deviations=[1, 1, 1], ax=ax) is ax
    assert [one.get_text() for one in ax.get_yticklabels()] == ["supervised", "a", "b"]
    assert [bar.get_width() for bar in ax.patches] == [9.0, 3.0, 1.0]
    with pytest.raises(ValueError, match="2 names and 1 errors"):
        plot_comparison(["a", "b"], [1.0])
