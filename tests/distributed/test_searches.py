"""Searches and published tables whose fits run on the cluster, by joblib's backend for Dask."""

import os

import joblib
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from semisvm import QuasiNewtonS3VM, SupervisedSVM
from semisvm.model_selection import S3VMSearchCV
from semisvm_papers.runner import run, run_jobs
from tests.papers.test_processes import plain
from tests.papers.toys import resolver, toy_table
from tests.spaces.test_chunked_fits import TRUTH, X, Y


def process(model, X, y):
    """A score that tells where it was computed."""
    return float(os.getpid())


SEARCHES = [
    (S3VMSearchCV(QuasiNewtonS3VM(kernel="linear"), {"C": [0.1, 1.0]}, cv=2, n_jobs=2), Y),
    (GridSearchCV(SupervisedSVM(kernel="linear"), {"C": [0.1, 1.0]}, cv=2, n_jobs=2), TRUTH),
]


@pytest.mark.parametrize(("search", "y"), SEARCHES, ids=lambda one: type(one).__name__)
def test_a_search_may_run_its_fits_on_the_cluster(client, search, y):
    here = clone(search).set_params(n_jobs=None).fit(X, y).best_params_
    with joblib.parallel_config("dask"):
        assert search.fit(X, y).best_params_ == here
        elsewhere = clone(search).set_params(scoring=process, refit=False).fit(X, y).cv_results_
    workers = {float(number) for number in client.run(os.getpid).values()}
    found = {elsewhere[f"split{fold}_test_score"][row] for fold in (0, 1) for row in (0, 1)}
    assert found <= workers


def test_a_published_table_is_measured_on_the_cluster(client, tmp_path):
    address = client.scheduler_info()["address"]
    here = run(toy_table(), resolve=resolver())
    there = run(toy_table(), out=tmp_path / "toy.jsonl", resolve=resolver(), scheduler=address)
    assert len(there) == len(here) > 0
    by_cell = {record.key: plain(record) for record in there}
    assert by_cell == {record.key: plain(record) for record in here}
    # a run that was begun on a cluster goes on here, with nothing left to do
    assert len(run(toy_table(), out=tmp_path / "toy.jsonl", resolve=resolver())) == len(here)


def test_a_limit_of_time_is_for_processes():
    with pytest.raises(ValueError, match="leave out one of the two"):
        list(run_jobs([], time_limit=5.0, scheduler="tcp://127.0.0.1:1"))
