"""
Embeddings: features of a network, and two labels per class
============================================================

A network learned to tell the digits 0 to 4. It has never seen 5 to 9, but its last hidden layer describes them: rows
of numbers in which alike images are near. Two labels of each new digit are enough for most of the others.
"""

# %%
# The embedding: what the hidden layer says of an image.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neural_network import MLPClassifier

from semisvm import S3VM, SupervisedSVM

X, y = load_digits(return_X_y=True)
X = X / 16
network = MLPClassifier((64,), max_iter=300, random_state=0).fit(X[y < 5], y[y < 5])
new, digits = X[y >= 5], y[y >= 5]
embedding = np.maximum(new @ network.coefs_[0] + network.intercepts_[0], 0)

# %%
# Two labels per class. Rows of an embedding share a unit, so nothing has to be scaled.

rng = np.random.default_rng(0)
known = np.concatenate([rng.choice(np.flatnonzero(digits == one), 2, replace=False) for one in range(5, 10)])
labels = np.full(len(digits), -1)
labels[known] = digits[known]
models = {"labels alone": SupervisedSVM(C=10), "S3VM()": S3VM(random_state=0)}
for model in models.values():
    model.fit(embedding, labels)

# %%
# The rows in two principal directions, colored by what each model says; crosses are wrong.

plane = PCA(2).fit_transform(embedding)
figure, panels = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    wrong = model.transduction_ != digits
    ax.scatter(*plane[~wrong].T, c=model.transduction_[~wrong], cmap="tab10", vmin=0, vmax=9, s=8, alpha=0.6)
    ax.scatter(*plane[wrong].T, color="black", marker="x", s=14, linewidths=0.8)
    ax.scatter(*plane[known].T, c=digits[known], cmap="tab10", vmin=0, vmax=9, s=110, edgecolors="black")
    ax.set(title=f"{name}: {wrong.mean():.0%} of {len(digits)} rows wrong", xticks=[], yticks=[])
plt.show()
