"""Pictures on matplotlib's Axes: boundaries, paths of fits, bounds of branch and bound, comparisons.

Every function draws on the Axes it is given, or on those of a new figure, and returns them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.estimators.labels import unlabeled_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#3b7dd8", "#e07b29", "#2f9e62", "#c2445f", "#8b62c9", "#8a6d3b", "#d864a9", "#6b7785", "#a3a51c", "#17a2b8")


def plot_decision_boundary(
    model: Any, X: Any, y: Any, *, unlabeled: Any = -1, resolution: int = 120, ax: "Axes | None" = None
) -> "Axes":
    """Regions of the classes in the plane, the boundary, margins of two classes, labeled and unlabeled rows.

    X has two columns; y may hold the marker of unlabeled rows, which are drawn small. The columns of a frame name the
    axes.
    """
    frame = X if hasattr(X, "columns") else None
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"X has shape {X.shape} and two columns are needed to draw a boundary in the plane.")
    ax = _axes(ax)
    low, high = X.min(axis=0), X.max(axis=0)
    low, high = low - 0.08 * (high - low + 1e-9), high + 0.08 * (high - low + 1e-9)
    across, up = np.meshgrid(*(np.linspace(low[k], high[k], resolution) for k in range(2)))
    grid_rows: Any = np.column_stack([across.ravel(), up.ravel()])
    if frame is not None:
        # rows as the model was trained on, with their names
        grid_rows = type(frame)(dict(zip(list(frame.columns), grid_rows.T, strict=True)))
        ax.set(xlabel=str(frame.columns[0]), ylabel=str(frame.columns[1]))
    scores = np.asarray(model.decision_function(grid_rows))
    n_classes = len(model.classes_)
    codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    colors = [COLORS[k % len(COLORS)] for k in range(n_classes)]
    ax.contourf(
        across, up, codes.reshape(across.shape), levels=np.arange(n_classes + 1) - 0.5, colors=colors, alpha=0.16
    )
    if scores.ndim == 1:
        styles = ("dashed", "solid", "dashed")
        grid = scores.reshape(across.shape)
        ax.contour(across, up, grid, levels=[-1.0, 0.0, 1.0], colors="0.35", linestyles=styles, linewidths=1.0)
    open_rows = unlabeled_rows(y, unlabeled)
    ax.scatter(X[open_rows, 0], X[open_rows, 1], s=8, color="0.5", label="unlabeled")
    labels = np.asarray(y, dtype=object)
    for one, color in zip(model.classes_, colors, strict=True):
        mine = ~open_rows & (labels == one)
        ax.scatter(X[mine, 0], X[mine, 1], s=55, color=color, edgecolor="black", label=str(one), zorder=3)
    ax.legend(loc="best")
    return ax


def plot_path(path: Sequence[dict], *, ax: "Axes | None" = None) -> "Axes":
    """Objective of every stage of a fit (`model.path_`), summed over binary problems, and labels changed in it.

    The path of `S3VM()` has a line for each of its kernels, the fainter the less it counts; bars are then means over
    the kernels as they count.
    """
    stages = [stage for stage in path if stage.get("objective") is not None]
    if not stages:
        raise ValueError("The path holds no stage with an objective: fit a model and give its path_.")
    ax = _axes(ax)
    kernels: dict[str, list[dict]] = {}
    for stage in stages:
        kernels.setdefault(stage.get("kernel", "objective"), []).append(stage)
    most = max(stage.get("share", 1.0) for stage in stages)
    changed = np.zeros(max(len(own) for own in kernels.values()))
    for place, (name, own) in enumerate(kernels.items()):
        share = own[0].get("share", 1.0)
        heights, color = [np.sum(stage["objective"]) for stage in own], COLORS[place % len(COLORS)]
        ax.plot(np.arange(len(own)), heights, marker="o", color=color, alpha=0.3 + 0.7 * share / most, label=name)
        changed[: len(own)] += [share * np.sum(stage.get("changed") or 0) for stage in own]
    ax.set_xlabel("stage")
    ax.set_ylabel("objective")
    if len(kernels) > 1:
        ax.legend(loc="best", fontsize="small")
    if any(stage.get("changed") is not None for stage in stages):
        right = ax.twinx()
        right.bar(np.arange(len(changed)), changed, color=COLORS[1], alpha=0.35)
        right.set_ylabel("labels changed")
    return ax


def plot_bounds(path: Sequence[dict], *, problem: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Lower and upper bound of branch and bound over its nodes (`model.path_`), for one binary problem."""
    stages = [stage for stage in path if stage.get("lower_bound") is not None]
    if not stages:
        raise ValueError("The path holds no bounds: fit a BranchAndBoundS3VM and give its path_.")
    ax = _axes(ax)
    nodes = [stage["nodes"] for stage in stages]
    lower = np.array([np.atleast_1d(stage["lower_bound"])[problem] for stage in stages])
    upper = np.array([np.atleast_1d(stage["objective"])[problem] for stage in stages])
    ax.step(nodes, upper, where="post", color=COLORS[3], label="upper bound")
    ax.step(nodes, lower, where="post", color=COLORS[0], label="lower bound")
    ax.fill_between(nodes, lower, upper, step="post", color="0.5", alpha=0.15)
    ax.set_xlabel("nodes")
    ax.set_ylabel("objective")
    ax.legend(loc="best")
    return ax


def plot_comparison(
    names: Sequence[str],
    errors: Sequence[float],
    *,
    deviations: Sequence[float] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Errors of methods as bars, the smallest on top."""
    if len(names) != len(errors):
        raise ValueError(f"{len(names)} names and {len(errors)} errors were given: as many of both are needed.")
    ax = _axes(ax)
    order = np.argsort(-np.asarray(errors, dtype=float), kind="stable")
    widths = np.asarray(errors, dtype=float)[order]
    spread = None if deviations is None else np.asarray(deviations, dtype=float)[order]
    colors = [COLORS[1] if names[k] == "supervised" else COLORS[0] for k in order]
    ax.barh(np.arange(len(order)), widths, xerr=spread, color=colors, ecolor="0.4")
    ax.set_yticks(np.arange(len(order)), [names[k] for k in order])
    ax.set_xlabel("error in %")
    return ax


def _axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise ValueError("Pictures need matplotlib: install it with  pip install 'semisvm[plots]'.") from error
    return pyplot.subplots()[1]
