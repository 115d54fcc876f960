"""New rows scored by the default: two widths share their distances, and give what each gives alone."""

import numpy as np

from semisvm import S3VM
from semisvm.distances import Points
from semisvm.estimators.default.average import TwoWidthsPredictor
from semisvm.kernels import RBF
from semisvm.spaces import KernelPredictor


def test_two_widths_give_what_each_gives_alone():
    random = np.random.default_rng(0)
    landmarks, X = Points.of(random.normal(size=(30, 4))), random.normal(size=(50, 4))
    wide, narrow = (
        KernelPredictor(RBF(gamma), landmarks, random.normal(size=(30, k)), random.normal(size=k))
        for gamma, k in ((0.3, 2), (1.2, 3))
    )
    together = TwoWidthsPredictor(wide, narrow)
    np.testing.assert_allclose(together.scores(X), np.hstack([wide.scores(X), narrow.scores(X)]), rtol=1e-12)
    assert together.scores(X[:0]).shape == (0, 5)


def test_the_average_shares_distances_where_it_can_and_scores_rows_as_it_was_trained():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)) + np.repeat([[-2, 0, 0], [2, 0, 0]], 30, axis=0)
    y = np.full(60, -1)
    y[[0, 1, 30, 31]] = 0, 0, 1, 1
    model = S3VM().fit(X, y)
    kinds = [type(choir.predictor).__name__ for choir in model.predictor_.choirs]
    assert kinds.count("TwoWidthsPredictor") == kinds.count("LinearPredictor") > 0
    assert "KernelPredictor" not in kinds
    rows = y == -1
    assert (model.predict(X)[rows] == model.transduction_[rows]).all()
