"""
A certificate: the best of all labelings, and a proof
=====================================================

Two moons with one label each. A local method ends with nearly half of the points wrong; branch and bound finds the best
of all 2^198 labelings. It proves that: a lower bound, which no labeling can beat, rises until it meets the best one.
"""

# %%
# A pair of labels, 198 rows without one, and the exact method beside a local one.

import matplotlib.pyplot as plt
import numpy as np

from semisvm import BranchAndBoundS3VM, LabelSwitchingS3VM
from semisvm.datasets import hide_labels, make_two_moons

X, y = make_two_moons(200, random_state=0)
partial = hide_labels(y, [0, 1])
settings = {"gamma": 2.0, "C": 1.0, "C_unlabeled": "equal", "ratio": 0.5}

exact = BranchAndBoundS3VM(**settings, time_limit=60).fit(X, partial)
local = LabelSwitchingS3VM(**settings).fit(X, partial)
for model in (exact, local):
    wrong = np.mean(model.transduction_ != y)
    print(f"{type(model).__name__}: objective {model.objective_[0]:.2f}, {wrong:.0%} of the rows wrong")
print(f"proved to be the best: {exact.optimal_}, after {exact.n_nodes_} nodes")

# %%
# `path_` holds the bounds as they came. At every moment the optimum lies between them, so the search may be stopped at
# any time (`time_limit`, Ctrl-C) and still says how far off it can be.

seconds = [record["elapsed"] for record in exact.path_]
lower = [record["lower_bound"][0] for record in exact.path_]
upper = [record["objective"][0] for record in exact.path_]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.step(seconds, upper, where="post", label="upper bound: the best labels so far")
left.step(seconds, lower, where="post", label="lower bound: no labels cost less")
left.fill_between(seconds, lower, upper, step="post", alpha=0.15)
left.axhline(local.objective_[0], color="gray", linestyle=":", label="label switching ends here")
left.set(xlabel="seconds", ylabel="objective", title="The gap closes")
left.set_ylim(0, 1.1 * local.objective_[0])
left.legend(loc="lower right")
right.scatter(*X[:, :2].T, c=exact.transduction_, cmap="RdBu_r", s=12)
right.scatter(*X[:2, :2].T, c=y[:2], cmap="RdBu_r", s=120, edgecolors="black", linewidths=1.5)
right.set(title="The best labels; the two given ones are large", xticks=[], yticks=[])
plt.show()
