"""A table as a matrix: learned on some rows, applied to chunks."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from semisvm.tables import TablePreparation


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "label": ["a", None] * 20,
            "size": random.normal(size=40) * 1000 + 5,
            "hot": random.choice(["yes", "no"], 40),
            "said": random.choice(["the cat is out", "a dog is in", "no one at home"], 40),
        }
    )


def test_chunks_are_transformed_as_the_whole(frame):
    preparation = TablePreparation(text=["said"], leave_out=["label"])
    X = preparation.fit_transform(frame)
    assert sp.issparse(X)
    parts = [preparation.transform(frame[k : k + 7]).toarray() for k in range(0, 40, 7)]
    np.testing.assert_array_equal(np.vstack(parts), X.toarray())
    again = clone(preparation).fit(frame)
    np.testing.assert_array_equal(again.transform(frame).toarray(), X.toarray())


def test_numbers_alone_keep_their_units_and_mixed_columns_count_alike(frame):
    alone = TablePreparation(leave_out=["label", "hot", "said"]).fit_transform(frame)
    np.testing.assert_array_equal(alone[:, 0], frame["size"])
    mixed = TablePreparation(leave_out=["label"]).fit_transform(frame)
    np.testing.assert_allclose(mixed.mean(axis=0), 0, atol=1e-12)
    # size: one feature, hot: one, said: three categories that share the weight of one column
    np.testing.assert_allclose(mixed.var(axis=0), [1, 1, 1 / 3, 1 / 3, 1 / 3])


def test_embeddings_alone_are_one_copy_in_single_precision():
    lists = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    frame = pd.DataFrame({"vector": list(lists)})
    X = TablePreparation().fit_transform(frame)
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X, lists)
    X[:] = 0
    np.testing.assert_array_equal(np.stack(frame["vector"]), lists)


def test_what_is_wrong_is_said(frame):
    with pytest.raises(ValueError, match="There is no column 'x' to read as text: the columns are label, size, hot"):
        TablePreparation(text=["x"]).fit(frame)
    with pytest.raises(ValueError, match=r"No column can be learned from \(there is none besides the label\)"):
        TablePreparation(leave_out=list(frame.columns)).fit(frame)
    with pytest.raises(ValueError, match="The table lacks hot, which the model was trained with"):
        TablePreparation().fit(frame).transform(frame.drop(columns="hot"))
