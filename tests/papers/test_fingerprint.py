"""The fingerprint of a cell's code: it changes with the modules that the cell imports, and with no others."""

from dataclasses import replace

import pytest

import semisvm_papers.fingerprint as fingerprints
from semisvm_papers.fingerprint import defined_in, fingerprint_of, modules_of, plain_source
from semisvm_papers.jobs import pending_jobs
from semisvm_papers.table import Table


@pytest.fixture
def changed(monkeypatch):
    """Fingerprints as if some modules had other sources."""

    own = fingerprints._digest

    def with_other(*modules):
        fingerprints._fingerprint.cache_clear()
        monkeypatch.setattr(fingerprints, "_digest", lambda name: own(name) + ("changed" if name in modules else ""))

    yield with_other
    fingerprints._fingerprint.cache_clear()


def job_of(table, dataset, method):
    return pending_jobs(Table.load(table), splits=1, datasets=[dataset], methods=[method])[0]


def test_names_are_found_where_they_are_defined():
    assert defined_in("semisvm.datasets", "load_coil3") == "semisvm.datasets.coil"
    assert defined_in("semisvm.estimators", "CCCPS3VM") == "semisvm.estimators.concave_convex"
    assert defined_in("semisvm.geometry", "graph") == "semisvm.geometry.graph"
    assert defined_in("semisvm.geometry.graph", "Graph") == "semisvm.geometry.graph"


def test_modules_are_those_that_a_method_imports():
    found = modules_of(["semisvm.estimators.concave_convex", "numpy"])
    assert {"semisvm.algorithms.concave_convex", "semisvm._core.box_qp", "semisvm.spaces.full"} <= found
    assert not any(name.startswith(("semisvm.estimators.default", "semisvm.cli", "numpy")) for name in found)
    # a package stands for what is used of it
    tasks = modules_of(["semisvm_papers.tasks"])
    assert "semisvm.datasets.labels" in tasks
    assert "semisvm.datasets.coil" not in tasks


def test_comments_docstrings_and_empty_lines_do_not_count():
    text = '"""What it is."""\n\nx = "# no comment"  # a comment\n\n\ndef f():\n    """What it does."""\n    return x\n'
    assert plain_source(text) == 'x = "# no comment"\ndef f():\n    return x'
    assert plain_source(text.replace("return x", "return 2")) != plain_source(text)


def test_the_fingerprint_changes_with_the_modules_of_the_cell(changed):
    job = job_of("s3vmopt-table8", "g50c", "CCCP")
    before = fingerprint_of(job)
    assert before is not None
    changed("semisvm.estimators.default.estimator", "semisvm.datasets.coil", "semisvm.algorithms.laplacian")
    assert fingerprint_of(job) == before
    for module in (
        "semisvm.algorithms.concave_convex",
        "semisvm._core.box_qp",
        "semisvm.datasets.lds",
        "semisvm_papers.protocols.transductive",
        "semisvm_papers.grids",
    ):
        changed(module)
        assert fingerprint_of(job) != before


def test_protocols_and_sources_inside_others_count(changed):
    pairwise = job_of("s3vmopt-table14", "Coil3", "CCCP")
    held_out = job_of("s3vmopt-section5.5", "g50c", "CCCP")
    before = fingerprint_of(pairwise), fingerprint_of(held_out)
    changed("semisvm_papers.held_out")
    assert fingerprint_of(pairwise) == before[0]
    assert fingerprint_of(held_out) != before[1]
    changed("semisvm.datasets.coil")
    assert fingerprint_of(pairwise) != before[0]


def test_without_the_source_of_a_compiled_module_there_is_none(monkeypatch):
    job = job_of("s3vmopt-table8", "g50c", "CCCP")
    own = fingerprints._source
    monkeypatch.setattr(fingerprints, "_source", lambda name: None if name == "semisvm._core.box_qp" else own(name))
    fingerprints._fingerprint.cache_clear()
    assert fingerprint_of(job) is None
    fingerprints._fingerprint.cache_clear()


def test_another_estimator_has_another_fingerprint():
    job = job_of("s3vmopt-table8", "g50c", "CCCP")
    other = job_of("s3vmopt-table8", "g50c", "Newton")
    assert fingerprint_of(replace(job, split=3)) == fingerprint_of(job) != fingerprint_of(other)
