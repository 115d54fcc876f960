"""
One class only: known cases, and rows that nobody has looked at
===============================================================

40 tumors are known to be malignant. Of the other 529 nothing is known: some are malignant, most are not. Which of
them should a person look at first?
"""

# %%
# Labels of one class; all other rows are unlabeled.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import OneClassSVM

from semisvm import PositiveUnlabeledSVM

data = load_breast_cancer()
X, malignant = scale(data.data), data.target == 0
known = np.random.default_rng(0).choice(np.flatnonzero(malignant), 40, replace=False)
labels = np.full(len(X), None, dtype=object)
labels[known] = "malignant"

# %%
# The model ranks the rows, and estimates how many of them are malignant. The estimate counts in what looks malignant.

model = PositiveUnlabeledSVM(random_state=0).fit(X, labels)
rest = np.setdiff1d(np.arange(len(X)), known)
low, high = model.prior_interval_
print(f"share of malignant rows by estimate: {model.prior_:.0%} ({low:.0%} to {high:.0%})")
print(f"share of malignant rows in truth: {malignant[rest].mean():.0%}")

# %%
# Held against the truth: how many of the malignant rows are found when rows are looked at from the top. `OneClassSVM`
# has seen the known rows alone.

figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
rankings = {
    "OneClassSVM, known rows alone": (OneClassSVM().fit(X[known]), "0.5"),
    "PositiveUnlabeledSVM": (model, "C1"),
}
looked_at = 100 * np.arange(1, len(rest) + 1) / len(rest)
for name, (one, color) in rankings.items():
    order = rest[np.argsort(-one.decision_function(X[rest]))]
    found = 100 * np.cumsum(malignant[order]) / malignant[rest].sum()
    ax.plot(looked_at, found, color=color, linewidth=2.5, label=name)
ax.plot([0, 100], [0, 100], color="0.8", linestyle=":", label="in any order")
ax.set(xlabel="rows looked at, from the top, %", ylabel="malignant rows found, %", xlim=(0, 100), ylim=(0, 102))
ax.set_title("40 known cases, 529 rows without a label")
ax.legend(loc="lower right")
plt.show()
