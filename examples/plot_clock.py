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
partial = hide_labels(y, [0, 1])

# %%
# Before: the labeled rows alone. After: a function that is smooth along the graph of all rows.

before = SupervisedSVM(gamma=10, C=100).fit(X, partial)
after = LaplacianSVM(gamma=10, gamma_A=1e-4, gamma_I=1.0, graph=Graph(n_neighbors=10)).fit(X, partial)
errors = [np.mean(model.predict(X) != y) for model in (before, after)]
print(f"wrong: {errors[0]:.0%} before, {errors[1]:.0%} after {after.n_iter_} iterations")

# %%
# The sign of the function over the plane.

axis = np.linspace(-1.3, 1.3, 200)
plane = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
figure, panels = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
for panel, model, title in zip(panels, (before, after), ("supervised SVM", "Laplacian SVM"), strict=True):
    scores = model.decision_function(plane).reshape(200, 200)
    limit = np.abs(scores).max()
    panel.contourf(axis, axis, scores, levels=np.linspace(-limit, limit, 21), cmap="RdBu_r", alpha=0.6)
    panel.contour(axis, axis, scores, levels=[0.0], colors="black", linewidths=1)
    panel.scatter(*X.T, c=model.predict(X), cmap="RdBu_r", s=8)
    panel.scatter(*X[:2].T, c=y[:2], cmap="RdBu_r", s=120, marker="s", edgecolors="black")
    panel.set(title=title, aspect="equal", xticks=[], yticks=[])
plt.show()

# %%
# What the iterations did: the objective falls long after the decisions have settled.

figure, panel = plt.subplots(layout="constrained")
panel.semilogy([record["objective"][0] for record in after.path_], label="objective")
panel.semilogy([record["mixed"][0] for record in after.path_], label="length of the gradient")
panel.set(xlabel="iteration")
panel.legend()
plt.show()
