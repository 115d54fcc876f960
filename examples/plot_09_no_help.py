"""
Rows that do not help, and how one sees it
==========================================

Unlabeled rows say where the rows are. If the boundary runs through the middle of a cloud, that says nothing about the
classes, and a method that looks for a gap may be led astray. `S3VM()` asks labels that it left out, and says what it
finds.
"""

# %%
# One round cloud; the class is the side of a line through its middle.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from semisvm import S3VM, GradientS3VM, SupervisedSVM

names = ("labels alone,\nSVM", "labels alone,\nlogistic regr.", "S3VM()", "GradientS3VM")
errors, said = [], []
for draw in range(8):
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(300, 2))
    y = (X @ [1.0, 0.4] > 0).astype(int)
    labels = np.where(np.arange(300) < 20, y, -1)
    models = (
        SupervisedSVM(C=10).fit(X, labels),
        S3VM(random_state=0).fit(X, labels),
        GradientS3VM(C=10).fit(X, labels),
    )
    straight = LogisticRegression(C=10).fit(X[:20], y[:20]).predict(X)
    guesses = [one.transduction_ for one in models]
    errors.append([100 * np.mean(one != y) for one in (guesses[0], straight, *guesses[1:])])
    said.append(models[1].report_.verdict)
print(said[-1])

# %%
# Errors of eight draws, and the last of them as a picture. `S3VM()` is about as good as logistic regression on the
# labels alone, which it averages in.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.plot(range(4), np.transpose(errors), color="0.7", marker="o", markersize=4)
left.plot(range(4), np.mean(errors, axis=0), color="C1", linewidth=3, marker="o", label="mean of eight draws")
left.set(xticks=range(4), xticklabels=names, ylabel="rows wrong, %", title="No gap, hardly a gain", xlim=(-0.4, 3.4))
left.set_ylim(0)
left.legend()
axis = np.linspace(-3, 3, 120)
plane = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
right.scatter(*X.T, c=np.where(y, "C0", "C3"), s=8, alpha=0.5)
for model, color in ((models[1], "C1"), (models[2], "black")):
    score = model.decision_function(plane).reshape(120, 120)
    right.contour(axis, axis, score, levels=[0], colors=color, linewidths=2)
right.set(title="20 labels; S3VM() in orange, a single S3VM in black", xticks=[], yticks=[])
plt.show()
