"""
Two moons with four labels
==========================

The Moons of the QN-S3VM paper: an SVM on the labeled points gives a part of one moon away; the unlabeled points bend
the boundary of `QuasiNewtonS3VM` into the gap between the moons.
"""

import matplotlib.pyplot as plt
import numpy as np

from semisvm import QuasiNewtonS3VM, SupervisedSVM
from semisvm.datasets import hide_labels, make_moons_qn

X, y = make_moons_qn(random_state=1)
# two labels on each moon, at its ends and off the middle
labeled = np.concatenate([np.flatnonzero(y == one)[np.argsort(X[y == one, 0])[[40, 210]]] for one in (0, 1)])
partial = hide_labels(y, labeled)

models = {
    "SVM on four labels": SupervisedSVM(gamma=4.0, C=10.0),
    "QuasiNewtonS3VM": QuasiNewtonS3VM(gamma=4.0, C=10.0, C_unlabeled=0.5, ratio=0.5),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True, sharey=True, layout="constrained")
grid_x, grid_y = np.meshgrid(np.linspace(-1.5, 2.5, 240), np.linspace(-1.1, 1.6, 180))
grid = np.column_stack([grid_x.ravel(), grid_y.ravel()])
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, partial)
    scores = model.decision_function(grid).reshape(grid_x.shape)
    ax.contourf(grid_x, grid_y, scores, levels=[-100, 0, 100], colors=["#cfe3f5", "#fbe0cd"])
    ax.contour(grid_x, grid_y, scores, levels=[-1, 0, 1], colors="#555555", linestyles=["dotted", "solid", "dotted"])
    ax.scatter(*X.T, s=6, color="#888888", linewidths=0)
    for one, marker, color in ((0, "s", "#1f6fb4"), (1, "o", "#d95f02")):
        ax.scatter(*X[labeled[y[labeled] == one]].T, s=70, marker=marker, color=color, edgecolors="black", zorder=3)
    unlabeled = partial == -1
    error = 100 * np.mean(model.transduction_[unlabeled] != y[unlabeled])
    ax.set_title(f"{name}: {error:.1f} % of the unlabeled points wrong", fontsize=10)
    ax.set_xticks([])
    ax.set_yticks([])

if __name__ == "__main__":
    plt.show()
