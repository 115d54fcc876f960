"""Draw the picture of the user guide, docs/_static/before_after.svg: `python docs/draw_before_after.py`."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib.figure import Figure

from semisvm import S3VM, SupervisedSVM
from semisvm.datasets import hide_labels, make_two_moons
from semisvm.plots import plot_decision_boundary

PATH = Path(__file__).parent / "_static" / "before_after.svg"


def main() -> None:
    matplotlib.rcParams["svg.hashsalt"] = "semisvm"
    X, y = make_two_moons(200, noise=0.08, nuisance=0, random_state=3)
    labels = hide_labels(y, [0, 1])
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    for ax, name, model in (
        (left, "SupervisedSVM(): two labels", SupervisedSVM(C=10.0)),
        (right, "S3VM(): two labels and 198 unlabeled rows", S3VM()),
    ):
        model.fit(X, labels)
        plot_decision_boundary(model, X, labels, resolution=90, ax=ax)
        ax.set_title(f"{name}\n{np.mean(model.predict(X) != y):.0%} of the rows wrong", fontsize=11)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.get_legend().remove()
    figure.savefig(PATH, metadata={"Date": None})


if __name__ == "__main__":
    main()
