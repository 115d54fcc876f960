"""
Which method: three shapes, four methods
========================================

A method is good where its assumption holds. Curved sheets suit a graph of neighbors. Clouds with a thin region between
them suit a method that looks for a gap. Where there is no gap, looking for one gains nothing. `S3VM()` averages over
such assumptions.
"""

# %%
# Three sets of 200 rows.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_moons

from semisvm import S3VM, GradientS3VM, LaplacianSVM, SupervisedSVM

cloud = np.random.default_rng(1).normal(size=(200, 2))
sets = {
    "curved sheets": make_moons(200, noise=0.08, random_state=0),
    "clouds": make_blobs(200, centers=[[-1.6, 0], [1.6, 0]], cluster_std=[[0.75, 1.8]] * 2, random_state=0),
    "no gap": (cloud, (cloud @ [1.0, 0.6] > 0).astype(int)),
}
methods = {
    "SupervisedSVM": SupervisedSVM(C=10),
    "LaplacianSVM": LaplacianSVM(),
    "GradientS3VM": GradientS3VM(C=10),
    "S3VM()": S3VM(random_state=0),
}


def three_of_each(y, draw):
    """Three rows of each class, drawn at random."""
    rng = np.random.default_rng(draw)
    return np.concatenate([rng.choice(np.flatnonzero(y == one), 3, replace=False) for one in (0, 1)])


# %%
# Three labels of each class, drawn ten times: mean errors, and the boundaries of the last draw.

BLUE, ORANGE = "#1f6fb4", "#d95f02"
overall = {name: [] for name in methods}
figure, panels = plt.subplots(3, 4, figsize=(11, 8), layout="constrained")
for line, (shape, (X, y)) in zip(panels, sets.items(), strict=True):
    (left, bottom), (right, top) = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    across, up = np.meshgrid(np.linspace(left, right, 100), np.linspace(bottom, top, 100))
    for panel, (name, model) in zip(line, methods.items(), strict=True):
        wrong = []
        for draw in range(10):
            known = three_of_each(y, draw)
            labels = np.full(len(y), -1)
            labels[known] = y[known]
            wrong.append(np.mean(model.fit(X, labels).transduction_ != y))
        overall[name].append(np.mean(wrong))
        scores = model.decision_function(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
        panel.contourf(across, up, scores, levels=[-1e9, 0, 1e9], colors=["#cfe3f5", "#fbe0cd"])
        panel.scatter(*X.T, c=np.where(y, ORANGE, BLUE), s=7, alpha=0.7, linewidths=0)
        panel.scatter(*X[known].T, c=np.where(y[known], ORANGE, BLUE), s=70, edgecolors="black")
        panel.set(title=f"{name}: {np.mean(wrong):.0%} wrong", xticks=[], yticks=[])
    line[0].set_ylabel(shape, fontsize=13)
figure.suptitle("Mean errors of ten draws of six labels, boundaries of the last draw", fontsize=14)
plt.show()

# %%
# The mean over the three shapes. The graph is best on the curved sheets; without such knowledge the average is a safe
# start.

for name, errors in overall.items():
    print(f"{name}: {np.mean(errors):.1%} wrong")
