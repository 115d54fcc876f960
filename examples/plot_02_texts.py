"""
Texts: sort documents from a few labels
=======================================

The docstrings of SciPy are installed wherever scikit-learn is. Does a text belong to `scipy.signal` or to
`scipy.stats`? A few labels of each part, and the words of all the others.
"""

# %%
# Every public class and function of the two parts, without its name.

import inspect
from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from semisvm import S3VM, SupervisedSVM

PARTS = ("signal", "stats")
texts, parts = [], []
for part in PARTS:
    module = import_module(f"scipy.{part}")
    for name in module.__all__:
        text = inspect.getdoc(getattr(module, name))
        if text and callable(getattr(module, name)):
            texts.append(text.replace(name, " ").replace(part, " "))
            parts.append(part)
parts = np.array(parts)
X = TfidfVectorizer(stop_words="english", min_df=3, sublinear_tf=True).fit_transform(texts)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} different words in a text")

# %%
# Two to ten labels per part, five draws each. Sparse rows stay sparse, and `S3VM()` sees that they are texts.

models = {"labels alone": SupervisedSVM(kernel="linear", C=10), "S3VM()": S3VM(random_state=0)}
per_part, errors = (2, 5, 10), {name: [] for name in models}
for n_labels in per_part:
    wrong = {name: [] for name in models}
    for draw in range(5):
        rng = np.random.default_rng(draw)
        known = np.concatenate([rng.choice(np.flatnonzero(parts == part), n_labels, replace=False) for part in PARTS])
        labels = np.full(len(parts), None, dtype=object)
        labels[known] = parts[known]
        for name, model in models.items():
            guesses = model.fit(X, labels).transduction_
            wrong[name].append(100 * np.mean(np.delete(guesses != parts, known)))
    for name in models:
        errors[name].append(wrong[name])
    print(n_labels, {name: f"{np.mean(wrong[name]):.1f} %" for name in models})

# %%
# With two labels per part neither is good. With five and with ten the other texts save most of the errors.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for color, (name, runs) in zip(("0.5", "C1"), errors.items(), strict=True):
    ax.plot(per_part, np.mean(runs, axis=1), color=color, linewidth=2.5, marker="o", label=name)
    ax.plot(per_part, runs, color=color, linestyle="", marker=".", alpha=0.5)
ax.set(xticks=per_part, xlabel="labels per part", ylabel="texts in the wrong part, %")
ax.set_title(f"{len(texts)} docstrings, two parts; dots are draws")
ax.set_ylim(0)
ax.legend()
plt.show()
