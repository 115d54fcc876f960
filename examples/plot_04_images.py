"""
Images: what is sure, and what to look at
=========================================

1,000 small images of digits, and 50 labels. Every image is a row of 64 pixels. `S3VM()` fills in the rest, and its
confidences say which images a person should look at.
"""

# %%
# 50 labels, drawn at random; the other 950 images have none.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from semisvm import S3VM, SupervisedSVM

X, y = load_digits(return_X_y=True)
X, y = X[:1000], y[:1000]
known = np.random.default_rng(0).choice(len(y), 50, replace=False)
labels = np.full(len(y), -1)
labels[known] = y[known]

model = S3VM(random_state=0).fit(X, labels)
print(model.report_.verdict)
for name, one in {"labels alone": SupervisedSVM(C=10).fit(X, labels), "S3VM()": model}.items():
    print(f"{name}: {np.mean((one.transduction_ != y)[labels < 0]):.1%} of the unlabeled images wrong")

# %%
# The surest image of every class, and the twenty images that the model is least sure of. Larger images are better
# embedded by a network first: see the example on embeddings.

unlabeled = np.flatnonzero(labels < 0)
guesses, confidence = model.transduction_[unlabeled], model.predict_proba(X[unlabeled]).max(axis=1)
surest = [np.flatnonzero(guesses == one)[np.argmax(confidence[guesses == one])] for one in range(10)]
doubtful = np.argsort(confidence)[:20]

figure, panels = plt.subplots(3, 10, figsize=(10, 4.4), layout="constrained")
for panel, one in zip(panels.flat, [*surest, *doubtful], strict=True):
    row, guess = unlabeled[one], guesses[one]
    panel.imshow(X[row].reshape(8, 8), cmap="gray_r")
    right = guess == y[row]
    panel.set_title(f"{guess} ({confidence[one]:.0%})", color="black" if right else "C3", fontsize=11)
    panel.set(xticks=[], yticks=[])
panels[0, 0].set_ylabel("surest")
panels[1, 0].set_ylabel("least sure")
figure.suptitle("Guess and confidence; wrong ones are red")
plt.show()
