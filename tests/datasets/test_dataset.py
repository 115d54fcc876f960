"""Choosing and merging classes of a data set."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from semisvm.datasets import Dataset


def five_rows(X=None):
    return Dataset(
        name="five",
        X=np.arange(10.0).reshape(5, 2) if X is None else X,
        y=np.array([0, 2, 1, 2, -1]),
        classes=np.array(["a", "b", "c"]),
        description="",
        license="",
        splits={2: np.array([[0, 1], [1, 2]])},
        n_train=3,
        row_info={"pose": np.arange(5)},
    )


def test_only_renumbers_in_the_order_given():
    pair = five_rows().only("c", "a")
    assert pair.classes.tolist() == ["c", "a"]
    assert pair.y.tolist() == [1, 0, 0]
    assert pair.X.tolist() == [[0, 1], [2, 3], [6, 7]]
    assert pair.row_info["pose"].tolist() == [0, 1, 3]
    assert pair.n_train == 2
    assert not pair.splits
    assert pair.name == "five(c,a)"


def test_merged_keeps_rows_and_splits():
    halves = five_rows().merged(["a", "b"], ["c"])
    assert halves.y.tolist() == [0, 1, 0, 1, -1]
    assert halves.classes.tolist() == ["a+b", "c"]
    assert halves.partial_labels(0).tolist() == [0, 1, -1, -1, -1]


def test_names_and_groups_are_checked():
    with pytest.raises(ValueError, match=r"five has no class 'z': its classes are a, b, c."):
        five_rows().only("a", "z")
    with pytest.raises(ValueError, match="The groups name 2 of the 3 classes of five in 3 places"):
        five_rows().merged(["a"], ["a", "b"])


def test_unknown_split_size_is_refused():
    assert five_rows().published_splits().shape == (2, 2)
    with pytest.raises(ValueError, match=r"n_labeled=3 was given: five has published splits for 2; labeled_splits"):
        five_rows().published_splits(3)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_unit_rows(kind):
    X = kind(np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]))
    scaled = five_rows(X).with_unit_rows().X
    dense = scaled.toarray() if sparse.issparse(scaled) else scaled
    assert dense == pytest.approx(np.array([[0.6, 0.8], [0, 0], [1, 0], [0, 1], [np.sqrt(0.5), np.sqrt(0.5)]]))
    assert sparse.issparse(scaled) == sparse.issparse(X)


def test_a_data_set_can_be_pickled():
    assert pickle.loads(pickle.dumps(five_rows())).y.tolist() == [0, 2, 1, 2, -1]
