"""
Imbalance: say what you know of the shares
==========================================

One row in twelve is of the class that matters. Few labels say little of that share, and an S3VM holds the shares of the
classes while it labels. If you know the share, from an earlier year or a survey, pass it as `ratio=`.
"""

# %%
# All benign tumors of the table and a few of the malignant ones; three labels of each, as a person would look for them.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score
from sklearn.preprocessing import scale

from semisvm import S3VM, LabelSwitchingS3VM, SupervisedSVM

X, y = load_breast_cancer(return_X_y=True)
y = 1 - y  # 1 is malignant
rows = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:32]])
X, y = scale(X[rows]), y[rows]
share = y.mean()
print(f"{y.sum()} of {len(y)} rows are malignant: {share:.1%}")

# %%
# The labels say one half. Without a word from us `S3VM()` has nothing better to go by.

methods = {
    "SVM,\nlabels alone": SupervisedSVM(C=10),
    "S3VM()": S3VM(random_state=0),
    "S3VM(\nratio=share)": S3VM(ratio=share, random_state=0),
    "LabelSwitching-\nS3VM(ratio=share)": LabelSwitchingS3VM(C=10, ratio=share),
}
found, scores = {name: [] for name in methods}, {name: [] for name in methods}
for draw in range(5):
    rng = np.random.default_rng(draw)
    known = np.concatenate([rng.choice(np.flatnonzero(y == one), 3, replace=False) for one in (0, 1)])
    labels = np.full(len(y), -1)
    labels[known] = y[known]
    for name, model in methods.items():
        guesses = model.fit(X, labels).transduction_
        found[name].append(100 * guesses.mean())
        scores[name].append(100 * f1_score(y, guesses))

# %%
# How many rows are called malignant, and how good that is (F1: 100 is best).

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, figures in ((left, found), (right, scores)):
    ax.plot(range(len(methods)), list(figures.values()), color="0.6", linestyle="", marker="o")
    ax.plot(range(len(methods)), [np.mean(one) for one in figures.values()], color="C1", linestyle="", marker="_",
            markersize=40, markeredgewidth=3)  # fmt: skip
    ax.set(xticks=range(len(methods)), xticklabels=list(methods), xlim=(-0.5, len(methods) - 0.5))
left.axhline(100 * share, color="black", linestyle="--", label="the truth")
left.set(ylabel="rows called malignant, %", title="Five draws of six labels, and their mean")
left.set_ylim(0)
left.legend()
right.set(ylabel="F1 of the rare class", title="The share helps to find the rare class")
plt.show()
