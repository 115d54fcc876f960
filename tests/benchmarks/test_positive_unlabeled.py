"""Positive rows of sets: a run is a record, is not made twice, and bars are judged by what is recorded."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import positive_unlabeled as bench


def toy():
    rng = np.random.default_rng(0)
    positive = rng.random(120) < 0.4
    return rng.normal(size=(120, 3)) + 2.5 * positive[:, None], positive


@pytest.fixture
def records(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "RECORDS", tmp_path / "records.jsonl")
    monkeypatch.setattr(bench, "SETS", {"toy": toy})
    return tmp_path / "records.jsonl"


def test_a_run_is_recorded_once_and_printed(records, tmp_path, capsys):
    bench.main(["--draws", "1", "--sets", "toy", "--page", str(tmp_path / "page.md")])
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    assert [(one["data"], one["positives"], one["draw"]) for one in lines] == [("toy", 20, 0)], "half stay hidden"
    assert set(lines[0]["errors"]) == set(lines[0]["precision"])
    assert lines[0]["errors"][bench.OURS] < 25
    assert "share known, 20 positive rows, error" in capsys.readouterr().out
    page = (tmp_path / "page.md").read_text()
    assert "## 20 positive rows, at most 1 draws" in page
    assert "| toy | 20 |" in page
    bench.main(["--draws", "1", "--sets", "toy"])
    assert len(records.read_text().splitlines()) == 1


def test_first_runs_are_named_and_made_again(records, monkeypatch):
    bench.main(["--draws", "1", "--sets", "toy"])
    [run] = bench.read_runs(records, bench.PositiveRun)
    assert "first look" not in bench.page([run])
    monkeypatch.setattr(bench, "FIRST_ROWS", 120)
    assert "1 of the 1 runs are still those of the first look" in bench.page([run])
    bench.main(["--draws", "1", "--sets", "toy"])
    assert len(records.read_text().splitlines()) == 2
    assert len(bench.read_runs(records, bench.PositiveRun)) == 1


def test_a_bar_that_is_missed_is_said_to_be(records):
    bench.main(["--draws", "1", "--sets", "toy"])
    [run] = bench.read_runs(records, bench.PositiveRun)
    worse = replace(run, positives=200, errors=run.errors | {bench.OURS: 60.0}, shares={"ours": run.true_share + 0.2})
    shown = bench.bars([worse])
    assert shown[0].startswith("not reached: share known, 200 positive rows, error: ")
    assert (
        shown[-1] == "not reached: share estimated, 200 positive rows: off by 0.200 in the mean, asked for at most 0.05"
    )
    fine = replace(worse, errors=run.errors | {bench.OURS: 0.0}, shares={"ours": run.true_share + 0.04})
    assert all(line.startswith("reached") for line in (bench.bars([fine])[0], bench.bars([fine])[-1]))
