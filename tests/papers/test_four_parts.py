"""Sets in labeled, unlabeled, validation and test rows, and the protocol that keeps them apart."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin

from semisvm_papers.protocols import Inductive
from semisvm_papers.table import Table
from semisvm_papers.tasks import FourParts, Task

TASK = Task(
    X=np.arange(12.0)[:, None],
    y=np.arange(12) % 2,
    labeled=np.array([0, 1]),
    validation=np.array([2, 3]),
    test=np.array([8, 9, 10, 11]),
    scored="T",
)


class Spy(ClassifierMixin, BaseEstimator):
    """Says 1 to everything, and remembers what it was shown."""

    shown: dict = {}  # noqa: RUF012

    def fit(self, X, y, X_val=None, y_val=None):
        Spy.shown = {"X": X[:, 0], "y": y, "X_val": X_val, "y_val": y_val}
        self.n_iter_ = 7
        return self

    def predict(self, X):
        Spy.shown["asked"] = X[:, 0]
        return np.ones(len(X))


@pytest.mark.parametrize(("scored", "rows"), [("U", [4, 5, 6, 7]), ("V", [2, 3]), ("T", [8, 9, 10, 11])])
def test_training_sees_labeled_and_unlabeled_rows_alone(scored, rows):
    task = Task(TASK.X, TASK.y, TASK.labeled, TASK.validation, TASK.test, scored)
    outcome = Inductive().measure(Spy, task, 0)
    assert_array_equal(Spy.shown["X"], [0, 1, 4, 5, 6, 7])
    assert_array_equal(Spy.shown["y"], [0, 1, -1, -1, -1, -1])
    assert Spy.shown["X_val"] is None
    assert_array_equal(Spy.shown["asked"], rows)
    assert outcome.error_pct == 50
    assert outcome.n_iter == 7


def test_validation_rows_are_handed_over_where_they_are_wanted():
    Inductive(validates=True).measure(Spy, TASK, 0)
    assert_array_equal(Spy.shown["X_val"][:, 0], [2, 3])
    assert_array_equal(Spy.shown["y_val"], [0, 1])


@pytest.mark.data
def test_sizes_are_those_of_the_laplacian_svm_paper():
    sizes = {}
    for row in Table.load("lapsvmp-table5").rows:
        task = next(row.source.tasks())
        parts = task.labeled, task.unlabeled, task.validation, task.test
        sizes[row.dataset] = tuple(len(part) for part in parts)
        assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(task.y)))
    assert sizes == {
        "g50c": (50, 314, 50, 136),
        "coil20(b)": (40, 1000, 40, 360),
        "pcmac": (50, 1358, 50, 488),
        "uspst(b)": (50, 1409, 50, 498),
        "coil20": (40, 1000, 40, 360),
        "uspst": (50, 1409, 50, 498),
        "mnist3vs8": (80, 11822, 80, 1984),
    }


@pytest.mark.data
def test_published_labels_are_kept():
    from semisvm.datasets import load_g50c

    task = next(FourParts("load_g50c", test=136, n_labeled=50).tasks())
    assert_array_equal(task.labeled, load_g50c().published_splits(50)[0])
