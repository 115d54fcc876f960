"""
When to stop a Laplacian SVM
============================

Conjugate gradients label the rows right long before they have found the minimum. The curves of the paper's figures: the
objective, the gradient in three lengths, and errors on labeled (L), unlabeled (U), validation (V) and test (T) rows.
"""

# %%
# Two clouds in 50 dimensions, divided as in the paper: 50 labeled, 314 unlabeled, 50 validation and 136 test rows.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from semisvm import Graph, LaplacianSVM
from semisvm.datasets import hide_labels, make_g50c

X, y = make_g50c(random_state=4)
L, U, V, T = np.split(np.random.default_rng(0).permutation(len(X)), [50, 364, 414])
training = np.concatenate([L, U])
partial = hide_labels(y[training], np.arange(len(L)))

# %%
# `follow` names rows whose error is looked at in every iteration. Once without a rule, to see where it would have gone,
# and once with the default rule: stop when fewer than 1.5 % of the decisions have changed within sqrt(n)/2 iterations.

followed = {name: (X[rows], y[rows]) for name, rows in {"L": L, "U": U, "V": V, "T": T}.items()}
model = LaplacianSVM(gamma=1 / (2 * 17.5**2), gamma_A=1e-6, gamma_I=1e-2, graph=Graph(n_neighbors=50, power=5))
stopped = model.fit(X[training], partial).n_iter_
model.set_params(early_stopping=None, max_iter=80, tol=1e-10)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # 80 iterations, however far the minimum is
    model.fit(X[training], partial, follow=followed)

# %%
# What was recorded.

iterations = np.arange(1, model.n_iter_ + 1)
figure, (above, below) = plt.subplots(2, 1, figsize=(7, 7), sharex=True, layout="constrained")
curves = {
    "objective": "objective",
    "gradient": "gradient, |K g|",
    "preconditioned": "preconditioned gradient, |g|",
    "mixed": "mixed, sqrt(g'K g)",
}
for fact, label in curves.items():
    values = np.array([record[fact][0] for record in model.path_])
    above.semilogy(iterations, values / values[0], label=label)
above.set_ylabel("relative to the first iteration")
for name, errors in model.errors_.items():
    below.plot(iterations, 100 * np.array(errors), label=f"{name}, {len(followed[name][1])} rows")
below.set(xlabel="iteration", ylabel="wrong decisions, %")
for panel in (above, below):
    panel.axvline(stopped, color="0.4", linestyle="dotted", label=f'"stability" stops at {stopped}')
    panel.legend()

if __name__ == "__main__":
    plt.show()
