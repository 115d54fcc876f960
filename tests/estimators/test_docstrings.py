"""What every public estimator says of itself: its formula, its paper, and an example that runs."""

import doctest
import inspect
import re

import pytest

import semisvm
from semisvm import model_selection
from semisvm.estimators.parameters import Running

ESTIMATORS = [
    getattr(semisvm, name)
    for name in semisvm.__all__
    if inspect.isclass(getattr(semisvm, name)) and issubclass(getattr(semisvm, name), Running)
]
OTHERS = [
    semisvm.suggest_labels,
    semisvm.estimate_memory,
    *(getattr(model_selection, n) for n in model_selection.__all__),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_formula_paper_parameters_and_example(estimator):
    text = inspect.getdoc(estimator)
    assert re.search(r"^    .*(sum_|tr\()", text, re.M), "a formula"
    assert "Examples\n" in text
    own = set(inspect.signature(estimator).parameters) - set(inspect.signature(semisvm.SupervisedSVM).parameters)
    if estimator.__name__ != "S3VM":
        assert re.search(r"References\n-+\n.*\d{4}\.", text, re.S), "a paper and its year"
    shared = {"C_unlabeled", "ratio", "balance", "n_stages", "joint_counts"}
    assert all(re.search(rf"\b{name}\b", text) for name in own - shared), own


@pytest.mark.parametrize("thing", [*ESTIMATORS, *OTHERS], ids=lambda e: e.__name__)
def test_examples_run(thing):
    for test in doctest.DocTestFinder(recurse=False).find(thing, thing.__name__):
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert not result.failed
