"""The example that fits three times, on fewer rows, and searches whose fits run on the cluster."""

import os
import runpy
from pathlib import Path

import joblib
from numpy.testing import assert_allclose

from semisvm import QuasiNewtonS3VM
from semisvm.model_selection import S3VMSearchCV
from tests.spaces.test_chunked_fits import X, Y

EXAMPLE = Path(__file__).parents[2] / "examples" / "three_fits.py"


def test_three_fits_end_at_one_objective():
    objectives = runpy.run_path(str(EXAMPLE))["main"](n=1200, d=4)
    assert list(objectives) == ["in memory", "in chunks", "on a cluster"]
    assert_allclose(list(objectives.values()), objectives["in memory"], rtol=1e-6)


def process(model, X, y):
    """A score that tells where it was computed."""
    return float(os.getpid())


def test_a_search_may_run_its_fits_on_the_cluster(client):
    search = S3VMSearchCV(QuasiNewtonS3VM(kernel="linear"), {"C": [0.1, 1.0]}, cv=2, n_jobs=2)
    here = search.fit(X, Y).best_params_
    with joblib.parallel_config("dask"):
        assert search.fit(X, Y).best_params_ == here
        search.set_params(scoring=process, refit=False).fit(X, Y)
    workers = {float(number) for number in client.run(os.getpid).values()}
    found = {search.cv_results_[f"split{fold}_test_score"][row] for fold in (0, 1) for row in (0, 1)}
    assert found <= workers
