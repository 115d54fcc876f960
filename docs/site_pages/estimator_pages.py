"""A page for every estimator: what it does to toy data, its parameters and its formula from the docstring."""

import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib.figure import Figure

import semisvm
from semisvm.datasets import hide_labels, make_two_moons
from semisvm.plots import COLORS, plot_decision_boundary
from site_pages.written import write_if_new

METHODS = ("fit", "predict", "predict_proba", "decision_function", "score")
Toy = tuple[np.ndarray, np.ndarray, np.ndarray]


def moons(n: int = 200) -> Toy:
    """Two moons, one label on each."""
    X, y = make_two_moons(n, noise=0.08, nuisance=0, random_state=0)
    return X, y, hide_labels(y, [np.flatnonzero(y == one)[0] for one in np.unique(y)])


def clouds(n: int = 80) -> Toy:
    """Two long clouds, two labels at the wrong ends."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], n // 2)
    X = random.normal(size=(n, 2)) * [2.2, 0.35] + np.where(y, 1.2, -1.2)[:, None] * [0.0, 1.0]
    ends = [np.argmin(X[:40, 0]), np.argmax(X[:40, 0] < 0.5), 40 + np.argmax(X[40:, 0]), 40 + np.argmin(abs(X[40:, 0]))]
    return X, y, hide_labels(y, np.array(ends))


def positive_moon() -> Toy:
    """Two moons, six labels on one of them."""
    X, y, _ = moons()
    return X, y, hide_labels(y, np.flatnonzero(y == 1)[:6])


@dataclass(frozen=True)
class Shown:
    """An estimator, how it is made for its picture, and on what."""

    name: str
    settings: dict[str, Any]
    toy: Callable[[], Toy] = moons

    @property
    def call(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.settings.items())})"


SMOOTH = {"gamma": 3.0, "C": 10.0, "C_unlabeled": "equal", "ratio": 0.5}
CHOSEN = (
    Shown("S3VM", {}),
    Shown("SupervisedSVM", {"gamma": 3.0, "C": 10.0}),
    Shown("SupervisedRLS", {"gamma": 3.0, "C": 10.0}),
    Shown("GradientS3VM", {**SMOOTH, "s": 1.0}),
    Shown("ContinuationS3VM", SMOOTH),
    Shown("NewtonS3VM", SMOOTH),
    Shown("QuasiNewtonS3VM", SMOOTH),
    Shown("CCCPS3VM", SMOOTH),
    Shown("LabelSwitchingS3VM", {**SMOOTH, "n_switches": "all"}),
    Shown("AnnealingS3VM", SMOOTH),
    Shown("MeanS3VM", {"gamma": 3.0, "C": 10.0, "ratio": 0.5}),
    Shown("LaplacianSVM", {"gamma": 3.0, "gamma_A": 1e-4, "gamma_I": 1.0}),
    Shown("LaplacianRLS", {"gamma": 3.0, "gamma_A": 1e-4, "gamma_I": 1.0}),
    Shown("LowDensitySeparation", {"C": 10.0}),
    Shown("BranchAndBoundS3VM", {**SMOOTH, "time_limit": 20.0}, lambda: moons(60)),
    Shown("SDPRelaxationS3VM", {**SMOOTH, "time_limit": 20.0}, lambda: moons(40)),
    Shown("LinearProgrammingS3VM", {"C": 10.0, "C_unlabeled": 1.0}, clouds),
    Shown("PositiveUnlabeledSVM", {"gamma": 3.0, "prior": 0.5}, positive_moon),
    Shown("PositiveUnlabeledS3VM", {"gamma": 3.0, "prior": 0.5}, positive_moon),
    Shown("LaplacianRLSRegressor", {"gamma": 3.0, "gamma_A": 1e-4, "gamma_I": 1e-2}),
)
"""Estimators in the order of their pages; those that are not named follow, as they are by default."""


def estimators() -> list[str]:
    """Every public estimator."""
    found = (name for name in semisvm.__all__ if inspect.isclass(getattr(semisvm, name)))
    return [name for name in found if "fit" in dir(getattr(semisvm, name))]


def every_shown() -> tuple[Shown, ...]:
    named = {one.name for one in CHOSEN}
    return *CHOSEN, *(Shown(name, {}) for name in estimators() if name not in named)


def write(folder: Path) -> None:
    """Write all pages and their pictures; pictures that are there stay."""
    shown = every_shown()
    listed = "\n".join(one.name for one in shown)
    write_if_new(
        folder / "index.md",
        "# Estimators\n\nEach with a picture, its formula and its parameters. [Parameters that estimators share]"
        "(../../parameters.md) are described once. Pictures: dots without color are unlabeled, large ones labeled; "
        "the solid line is the boundary, the dashed ones are the margins. It is one draw of toy data "
        "with one label per class, the same for most of them; other data have other winners.\n\n"
        f"{_gallery(shown)}\n```{{toctree}}\n:hidden:\n\n{listed}\nGraph\n```\n",
    )
    for one in shown:
        write_if_new(folder / f"{one.name}.md", _page(one.name, one.call))
        picture = folder / f"{one.name}.svg"
        if not picture.is_file():
            draw(one, picture)
    write_if_new(folder / "Graph.md", _page("Graph", None))


def _gallery(shown: Sequence[Shown]) -> str:
    cards = "\n".join(
        f'<a href="{one.name}.html"><img src="../../_images/{one.name}.svg" alt="Boundary of {one.name} on toy data">'
        f"<span>{one.name}</span></a>"
        for one in shown
    )
    return f'```{{raw}} html\n<div class="estimator-cards">\n{cards}\n</div>\n```\n'


def _page(name: str, call: str | None) -> str:
    figure = (
        ""
        if call is None
        else f"```{{figure}} {name}.svg\n:alt: {name} on toy data\n:width: 460px\n\n`{call}`\n```\n\n"
    )
    methods = "".join(f"\n   .. automethod:: {one}\n" for one in METHODS if _own(getattr(semisvm, name), one))
    return f"# {name}\n\n{figure}```{{eval-rst}}\n.. autoclass:: semisvm.{name}\n{methods}```\n"


def _own(kind: type, method: str) -> bool:
    """Whether the class has the method from this package, whose docstrings the site can show."""
    found = getattr(kind, method, None)
    return found is not None and found.__module__.startswith("semisvm.")


def draw(one: Shown, path: Path) -> None:
    """The picture of an estimator."""
    matplotlib.rcParams["svg.hashsalt"] = "semisvm"
    figure = Figure(figsize=(5, 3.6), layout="constrained")
    ax = figure.add_subplot()
    X, y, labels = one.toy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if one.name == "LaplacianRLSRegressor":
            _draw_regression(ax, one)
        else:
            model = getattr(semisvm, one.name)(**one.settings, random_state=0).fit(X, labels)
            plot_decision_boundary(model, X, labels, ax=ax)
            wrong = np.mean(model.predict(X) != y)
            ax.set_title(f"{np.count_nonzero(labels >= 0)} labels, {wrong:.0%} of {len(y)} rows wrong", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def _draw_regression(ax: Any, one: Shown) -> None:
    """A curve through four numbers, along the unlabeled rows."""
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0, 6, 120))
    values = np.full(len(x), np.nan)
    known = [5, 45, 75, 115]
    values[known] = np.sin(x[known])
    model = semisvm.LaplacianRLSRegressor(**one.settings).fit(x[:, None], values)
    grid = np.linspace(0, 6, 200)
    ax.plot(grid, model.predict(grid[:, None]), color=COLORS[0], label="prediction")
    ax.scatter(x, np.full(len(x), -1.6), s=6, color="0.6", label="unlabeled")
    ax.scatter(x[known], values[known], s=50, color=COLORS[1], edgecolor="black", zorder=3, label="labeled")
    ax.set_title("4 numbers known, 116 rows without one", fontsize=10)
    ax.legend(loc="best")
