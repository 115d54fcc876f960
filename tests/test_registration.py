"""A method is added by its own files: what the package offers is found, and runs wherever the rows are."""

import ast
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import check_estimator

import semisvm
from semisvm import chunked, estimators
from semisvm.discovery import offered
from tests import guides


def test_type_checkers_see_what_is_found():
    tree = ast.parse(Path(semisvm.__file__).read_text(encoding="utf-8"))
    (hidden,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    (listed,) = (ast.literal_eval(node.value) for node in hidden.body if isinstance(node, ast.Assign))
    imported = [a.name for node in hidden.body if isinstance(node, ast.ImportFrom) for a in node.names]
    assert sorted(listed) == sorted([*imported, "__version__"]) == semisvm.__all__


def test_estimators_are_found_where_they_are_defined():
    folder = Path(estimators.__file__).parent
    found = offered(folder, "semisvm.estimators")
    assert found["GradientS3VM"] == "semisvm.estimators.gradient"
    assert set(found) | {"S3VM", "s3vm_objective"} == set(estimators.__all__) <= set(semisvm.__all__)
    assert all(getattr(estimators, name).__name__ == name for name in estimators.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'S4VM'"):
        _ = estimators.S4VM


# ---------------------------------------------------------------- the guide, followed


@pytest.fixture(scope="module")
def method(tmp_path_factory):
    """The estimator of the guide, from a package of its own."""
    folder = tmp_path_factory.mktemp("added")
    package = folder / "added_method"
    package.mkdir()
    (package / "__init__.py").touch()
    # the two files that CONTRIBUTING shows
    algorithm, estimator = guides.blocks("CONTRIBUTING.md", "Add an algorithm")
    (package / "self_training.py").write_text(algorithm, encoding="utf-8")
    (package / "self_training_svm.py").write_text(
        estimator.replace("semisvm.algorithms.self_training", "added_method.self_training"), encoding="utf-8"
    )
    sys.path.insert(0, str(folder))
    found = offered(package, "added_method")
    assert list(found) == ["SelfTrainingSVM"]
    yield importlib.import_module(found["SelfTrainingSVM"]).SelfTrainingSVM
    sys.path.remove(str(folder))


RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 300)
X = RNG.normal(size=(300, 6)) + 1.4 * (2 * TRUTH[:, None] - 1) * np.linspace(1.0, 0.1, 6)
Y = np.where(np.arange(300) % 20 == 0, TRUTH, -1)
Y[:2], TRUTH[:2] = (0, 1), (0, 1)


def test_the_guide_leads_to_a_method_that_learns(method):
    for settings in ({"gamma": "median"}, {"kernel": "linear"}, {"n_components": 30, "random_state": 0}):
        model = method(**settings).fit(X, Y)
        assert np.mean(model.transduction_ == TRUTH) > 0.9
        assert model.path_[-1]["weight"] == 1.0


SAMPLE_WEIGHT = {
    f"check_sample_weight_equivalence_on_{kind}_data": 'gamma="scale" sees the rows, not their weights'
    for kind in ("dense", "sparse")
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EstimatorCheckFailedWarning")
def test_what_the_guides_show_passes_the_checks_of_scikit_learn(method):
    for estimator in (method, guides.module("docs/extending.md").CauchyS3VM):
        check_estimator(estimator(unlabeled=None), expected_failed_checks=SAMPLE_WEIGHT, on_skip=None)


def test_it_runs_on_chunks_unchanged(method):
    here = method(kernel="linear", tol=1e-7).fit(X, Y)
    chunks = method(kernel="linear", tol=1e-7).fit(chunked(X, chunk_rows=37), Y)
    assert_allclose(chunks.objective_, here.objective_, rtol=1e-7)
    assert_array_equal(chunks.transduction_, here.transduction_)


def test_it_runs_on_dask_unchanged_and_brings_no_score(method, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    da = pytest.importorskip("dask.array")
    from semisvm.distributed import DaskRows, RemoteSpace

    here = method(kernel="linear", tol=1e-7).fit(X, Y)
    brought = []
    outputs = RemoteSpace._outputs
    monkeypatch.setattr(RemoteSpace, "_outputs", lambda self, w: brought.append(w) or outputs(self, w))
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        model = method(kernel="linear", tol=1e-7)
        training = model.fit(DaskRows(da.from_array(X, chunks=(101, -1)), client), Y)
    assert_allclose(training.objective_, here.objective_, rtol=1e-7)
    assert_array_equal(training.transduction_, here.transduction_)
    # the scores of the last candidate, for transduction and probabilities
    assert len(brought) <= 1
