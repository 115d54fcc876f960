"""A few hundred of the random cases, the same every time; `python -m tests.fuzz estimators` has more."""

import pytest

import semisvm
from tests.fuzz.parameters import ESTIMATORS, KERNEL, RUNNING
from tests.fuzz.runner import kind_of, run

CASES, AT_A_TIME = 300, 50


@pytest.mark.parametrize("first", range(0, CASES, AT_A_TIME))
def test_every_case_is_answered_or_refused_in_a_sentence(first):
    results = run(kind_of("estimators"), range(first, first + AT_A_TIME), limit=20.0)
    findings = [f"seed {result.seed}: {result.finding}" for result in results if result.finding]
    assert not findings, "\n\n".join(findings)
    assert sum(result.outcome == "fitted" for result in results) > AT_A_TIME / 3


def test_every_parameter_of_every_estimator_is_drawn():
    found = {name for name in semisvm.__all__ if hasattr(getattr(semisvm, name), "fit")}
    assert found == set(ESTIMATORS)
    for name, settings in ESTIMATORS.items():
        known = set(getattr(semisvm, name)().get_params(deep=False))
        assert known <= {*RUNNING, *KERNEL, *settings.own, *settings.quick}, name
