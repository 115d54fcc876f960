"""
The clock: two labels, one graph
================================

A rim around two hands, one label on each. A support vector machine sees two points and draws a line between them; the
Laplacian SVM sees how the other rows hang together, and tells rim from hands after a few iterations.
"""

# %%
# Two labels and 298 rows without one.

import matplotlib.pyplot as plt
import numpy as np

from semisvm import Graph, LaplacianSVM, SupervisedSVM
from semisvm.datasets import hide_labels, make_clock

X, y = make_clock(300, noise=0.02, random_state=0)
labeled = [0, 1]
partial = hide_labels(y, labeled)

# %%
# Before: the labeled rows alone. After: a function that is smooth along the graph of all rows.

models = {
    "SVM on two labels": SupervisedSVM(gamma=10, C=100),
    "Laplacian SVM": LaplacianSVM(gamma=10, gamma_A=1e-4, gamma_I=1.0, graph=Graph(n_neighbors=10)),
}

# %%
# The sign of each function over the plane, and what it says of the rows.

BLUE, ORANGE = "#3b7dd8", "#e07b29"
axis = np.linspace(-1.3, 1.3, 240)
plane = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
figure, panels = plt.subplots(1, 3, figsize=(12, 4.3), layout="constrained")
panels[0].scatter(*X.T, s=8, color="0.55", linewidths=0)
panels[0].set_title("what is given")
for panel, (name, model) in zip(panels[1:], models.items(), strict=True):
    model.fit(X, partial)
    scores = model.decision_function(plane).reshape(len(axis), len(axis))
    panel.contourf(axis, axis, scores, levels=[-1e9, 0, 1e9], colors=[BLUE, ORANGE], alpha=0.16)
    panel.contour(axis, axis, scores, levels=[0.0], colors="0.35", linewidths=1)
    panel.scatter(*X.T, s=8, c=np.where(model.transduction_ == 1, ORANGE, BLUE), linewidths=0)
    wrong = np.mean(model.transduction_ != y)
    panel.set_title(f"{name}: {wrong:.0%} wrong")
for panel in panels:
    for row, color in zip(labeled, (BLUE, ORANGE), strict=True):
        panel.scatter(*X[row], s=110, marker="s", color=color, edgecolors="black", zorder=3)
    panel.set(aspect="equal", xlim=axis[[0, -1]], ylim=axis[[0, -1]], xticks=[], yticks=[])

print(f"The Laplacian SVM took {models['Laplacian SVM'].n_iter_} iterations.")
if __name__ == "__main__":
    plt.show()
