"""
The labeling loop: which rows to label next
===========================================

Labels cost time. `suggest_first_labels` names typical rows before there is a model, `suggest_labels` the rows that
would teach the model most, `refit` trains again on the same rows. Beside it: rows drawn at random.
"""

# %%
# Digits without a label; a person, played by the truth, answers ten questions a round.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from semisvm import S3VM, suggest_first_labels, suggest_labels

X, y = load_digits(return_X_y=True)
X, y = X[:300], y[:300]
FIRST, PER_ROUND, ROUNDS = 20, 10, 3


def loop(choose_first, choose_next):
    """Error on all rows after each round."""
    labels = np.full(len(y), -1)
    labels[choose_first()] = y[choose_first()]
    model, curve = S3VM(random_state=0).fit(X, labels), []
    for _ in range(ROUNDS):
        curve.append(100 * np.mean(model.transduction_ != y))
        rows = choose_next(model, labels)
        labels[rows] = y[rows]
        model = model.refit(labels)
    return [*curve, 100 * np.mean(model.transduction_ != y)]


# %%
# The suggested rows once, random rows twice.

suggested = loop(
    lambda: suggest_first_labels(X, FIRST, random_state=0),
    lambda model, labels: suggest_labels(model, X, PER_ROUND, y=labels),
)
drawn = []
for seed in range(2):
    order = np.random.default_rng(seed).permutation(len(y))
    drawn.append(
        loop(lambda order=order: order[:FIRST], lambda model, labels, order=order: order[labels[order] < 0][:PER_ROUND])
    )

n_labels = FIRST + PER_ROUND * np.arange(ROUNDS + 1)
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
ax.plot(n_labels, np.transpose(drawn), color="0.7", label=["rows drawn at random", "_"])
ax.plot(n_labels, suggested, color="C1", linewidth=2.5, marker="o", label="rows that were suggested")
ax.set(xlabel="labels", ylabel="rows wrong, %", title="300 digits, ten classes")
ax.set_ylim(0)
ax.legend()
plt.show()
