"""Rows that need no conversion are taken as they are; all others are read, and refused, by scikit-learn's rules."""

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

import semisvm.estimators.reading
from semisvm import SupervisedSVM
from semisvm.datasets import make_g50c

X, y = make_g50c(random_state=0)
MODEL = SupervisedSVM(gamma=0.01).fit(X[:100], y[:100])


@pytest.fixture
def validations(monkeypatch):
    """How often scikit-learn was asked."""
    asked = []

    def counted(*args, **settings):
        asked.append(args)
        return real(*args, **settings)

    real = semisvm.estimators.reading.validate_data
    monkeypatch.setattr(semisvm.estimators.reading, "validate_data", counted)
    return asked


@pytest.mark.parametrize("rows", [X[:1], X[:5], X[:5].astype(np.float32)], ids=["one row", "float64", "float32"])
def test_ready_rows_are_not_read_twice(validations, rows):
    scores = MODEL.decision_function(rows)
    assert not validations
    np.testing.assert_allclose(scores, MODEL.decision_function(rows.tolist()), atol=1e-5)
    assert len(validations) == 1


@pytest.mark.parametrize(
    "rows",
    [X[:5].tolist(), np.asfortranarray(X[:5]), X[:5].astype(">f8"), X[:5].astype(int), np.ma.array(X[:5])],
    ids=["list", "Fortran order", "other byte order", "integers", "masked"],
)
def test_other_rows_are_read(validations, rows):
    MODEL.decision_function(rows)
    assert len(validations) == 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(value):
    rows = X[:5].copy()
    rows[3, 7] = value
    rows[4, 7] = -value
    with pytest.raises(ValueError, match=r"contains .* in column 7"):
        MODEL.predict(rows)


def test_sums_that_overflow_are_no_refusal(validations):
    rows = np.full((2, 50), 3e38, dtype=np.float32)
    assert MODEL.predict(rows).shape == (2,)
    assert len(validations) == 1


def test_shapes_and_names_are_checked():
    with pytest.raises(ValueError, match="X has 49 features, but SupervisedSVM is expecting 50"):
        MODEL.predict(X[:5, :49].copy())
    with pytest.raises(ValueError, match="0 sample"):
        MODEL.predict(X[:0])
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(50)])
    named = SupervisedSVM(gamma=0.01).fit(frame[:100], y[:100])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X[:5])


def test_a_single_row_takes_no_longer_than_with_svc():
    peer, row = SVC(gamma=0.01).fit(X[:100], y[:100]), X[:1].copy()
    least = {MODEL: np.inf, peer: np.inf}
    for _ in range(30):
        for model in least:
            start = time.process_time()
            for _ in range(20):
                model.predict(row)
            least[model] = min(least[model], time.process_time() - start)
    assert least[MODEL] <= least[peer]
