"""What the command tells of a model's report, and which given labels it doubts."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from semisvm.cli import labeling
from semisvm.cli.facts import facts_of, facts_of_filled
from semisvm.cli.filling import Tally
from semisvm.cli.request import Request
from semisvm.cli.sampling import gather
from semisvm.estimators.default.evidence import Evidence

REPORTED = {
    "verdict": 'Expect 24 % (17 to 31) of the filled cells to be wrong. Look at method="supervised" too.',
    "shares": [{"expected": 0.25, "low": 0.1, "high": 0.4}, {"expected": 0.75, "low": 0.7, "high": 0.8}],
    "n_changed": 12, "n_judged": 40, "expected_error": 0.24, "expected_interval": (0.17, 0.31),
    "baselines": {"commonest class": 0.5, "labels alone": 0.3},
}  # fmt: skip


def report(**changed):
    return SimpleNamespace(as_dict=lambda: {**REPORTED, **changed})


def test_what_a_report_expects_is_said_in_words_of_the_command():
    found = facts_of(report())
    assert found.verdict == "Expect 24 % (17 to 31) of the filled cells to be wrong. Look at --method supervised too."
    assert (found.shares, found.n_changed, found.n_judged) == ((0.25, 0.75), 12, 40)
    assert (found.expected_error, found.expected_interval) == (0.24, (0.17, 0.31))
    assert found.baselines == {"commonest class": 0.5, "labels alone": 0.3}


def evidence(right):
    """Of 40 labels with confidences from 0.6 to 1; the least sure are wrong."""
    sure = np.linspace(0.6, 1.0, 40)
    codes = np.where(np.arange(40) < 40 - right, 1, 0)
    return Evidence(
        rows=np.arange(40), codes=codes, probabilities=np.column_stack([sure, 1 - sure]), wrong={"S3VM()": codes * 1.0},
        loss_of_shares=0.7, weights={}, drawn=np.ones(40, dtype=bool), doubt=0.2,
    )  # fmt: skip


def counted(n_filled, n_left, confidence):
    tally = Tally(["cat", "dog"])
    tally.add(np.zeros(n_filled, dtype=int), np.full(n_filled, confidence))
    tally.n_left = n_left
    return tally


def test_where_rows_are_left_blank_the_error_of_the_others_is_reported():
    found = facts_of_filled(facts_of(report()), evidence(right=30), np.array([0.8, 0.8]), counted(50, 25, 0.98))
    # 20 labels are above 0.8, all of them right: (0 + 30 * 0.02) / (20 + 30)
    assert (found.n_judged, found.expected_error) == (40, pytest.approx(0.6 / 50))
    assert found.expected_interval[0] < 0.6 / 50 < found.expected_interval[1] < 0.1
    assert found.expected_error_of_all == 0.24
    assert found.verdict == (
        "Expect 1 % (0 to 4) of the 50 filled cells to be wrong. If all 75 blank rows were filled: Expect 24 % (17 to "
        "31) of the filled cells to be wrong. Look at --method supervised too."
    )


@pytest.mark.parametrize(
    ("limit", "n_filled", "said"),
    [
        (0.99, 4, "Too few labels (1) are as sure to estimate the error of the filled cells. If all 10 blank"),
        (1.1, 0, "No row is sure enough to be filled. If all 6 blank rows were filled: Expect 24 %"),
    ],
)
def test_the_error_of_few_filled_rows_may_be_unknown(limit, n_filled, said):
    found = facts_of_filled(facts_of(report()), evidence(right=30), np.full(2, limit), counted(n_filled, 6, 0.99))
    assert found.verdict.startswith(said)
    assert (found.expected_error, found.expected_interval) == (None, None)


def test_a_report_may_expect_nothing():
    found = facts_of(report(expected_error=None, expected_interval=None, baselines={}, n_judged=0))
    assert (found.expected_error, found.expected_interval, found.baselines) == (None, None, {})


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A table of 40 rows with 20 labels, learned from, and evidence made up: the fifth label is likely wrong."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    truth = np.arange(40) % 2
    frame = pd.DataFrame(random.normal(size=(40, 2)) + 5 * truth[:, None], columns=["a", "b"]).round(3)
    frame["kind"] = [("cat", "dog")[t] if k < 20 else None for k, t in enumerate(truth)]
    frame.to_csv("t.csv", index=False)
    request = Request(Path("t.csv"), "kind", "supervised")
    sample = gather(request)
    found = labeling.train(request, sample)
    rows = np.flatnonzero(sample.codes >= 0)
    P = np.where(np.arange(2) == sample.codes[rows][:, None], 0.9, 0.1)
    P[4] = [0.02, 0.98]
    P[5] = [0.45, 0.55]
    P[6] = np.nan
    found.model.classifier.evidence_ = SimpleNamespace(rows=rows, probabilities=P)
    return request, sample, found


def test_labels_that_look_wrong_are_named(trained):
    request, sample, found = trained
    (doubt,) = labeling._doubts(request, sample, found)
    assert (doubt.row, doubt.given, doubt.guess, doubt.chance) == ("5", "cat", "dog", 0.02)
    assert doubt.cells[0] == ("a", str(sample.rows["a"].iloc[4]))
    named = labeling._doubts(replace(request, id="b"), sample, found)
    assert named[0].row == str(sample.rows["b"].iloc[4])


def test_nothing_is_doubted_without_evidence(trained):
    request, sample, found = trained
    del found.model.classifier.evidence_
    assert labeling._doubts(request, sample, found) == ()
