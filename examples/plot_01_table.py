"""
A table: fill the blank cells, or only the sure ones
====================================================

569 tumors, 30 measurements of each, and 20 diagnoses. `S3VM()` fills the other 549 cells and says how many to expect
wrong. The confidences put the rows in a useful order: whoever fills only the surer half makes far fewer mistakes.
"""

# %%
# A table as people have it: a pandas frame with a column that is mostly blank.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from semisvm import S3VM, SupervisedSVM
from semisvm.tables import TablePreparation

data = load_breast_cancer(as_frame=True)
truth = data.target_names[data.target]
rng = np.random.default_rng(0)
known = rng.choice(len(truth), 20, replace=False)
table = data.data.assign(diagnosis=None)
table.loc[known, "diagnosis"] = truth[known]
print(table["diagnosis"].value_counts(dropna=False).to_string())

# %%
# `TablePreparation` turns columns of any kind into numbers, as the command `semisvm label` does. Areas here vary
# thousands of times as much as ratios do, so the columns are scaled.

X = make_pipeline(TablePreparation(leave_out=["diagnosis"]), StandardScaler()).fit_transform(table)
model = S3VM(random_state=0).fit(X, table["diagnosis"])
print(model.report_.verdict)

# %%
# Held against the truth, which we kept aside: rows from the surest to the least sure, and the errors among them.

unlabeled = np.setdiff1d(np.arange(len(truth)), known)
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for name, one in {"labels alone": SupervisedSVM().fit(X, table["diagnosis"]), "S3VM()": model}.items():
    confidence = one.predict_proba(X).max(axis=1)[unlabeled]
    wrong = (one.transduction_ != truth)[unlabeled][np.argsort(-confidence)]
    filled = np.arange(1, len(wrong) + 1)
    ax.plot(100 * filled / len(wrong), 100 * np.cumsum(wrong) / filled, label=f"{name}: {wrong.mean():.1%} of all")
ax.set(xlabel="cells filled, the surest first, %", ylabel="wrong among them, %", title="20 labels, 549 blank cells")
ax.set_ylim(0)
ax.legend()
plt.show()
