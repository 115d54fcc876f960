"""Simulated answers: a run is a record, is not made twice, and ends in one line of a table."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from benchmarks import annotate


def test_a_run_is_recorded_once_and_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(annotate, "RECORDS", tmp_path / "records.jsonl")
    monkeypatch.setattr(annotate, "LABELS", 20)
    monkeypatch.setattr(annotate, "ROWS", 60)
    monkeypatch.setattr(sys, "argv", ["annotate", "wine", "--seeds", "1"])
    annotate.main()
    records = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert [one["way"] for one in records] == ["suggested", "random"]
    assert [annotate.said_stop(one) for one in records] == [None, None]
    assert [[point["n"] for point in one["points"]] for one in records] == [[10, 20], [20]]
    assert all(one["failed"] == [] and one["commit"] for one in records)
    assert records[0]["points"][-1]["error"] < 0.5
    assert "| wine | 1 |" in capsys.readouterr().out
    annotate.main()
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 2


def test_where_it_said_stop_is_held_against_the_end():
    known = {"gain": 0.001, "answered": 0.0, "unsettled": False, "expected": [0.1, 0.0, 0.2]}
    points = [{"n": n, "error": error, **known} for n, error in ((50, 0.08), (100, 0.05), (200, 0.04))]
    points[0]["gain"] = 0.1
    runs = [{"table": "t", "way": way, "seed": 0, "points": points} for way in ("suggested", "random")]
    assert annotate.said_stop(runs[0]) == 200
    keys = {
        "keys": "5 x 5", "n": 9, "median": 11.0, "p95": 31.0, "empty_median": 2.1, "empty_p95": 3.9, "load": 0.5,
        "paint": 7.2, "seconds_to_address": 2.04,
    }  # fmt: skip
    lines = annotate.results_table([*runs, keys]).splitlines()
    assert lines[2] == "| t | 1 | 8.0 | 5.0 | 4.0 | 8.0 | 5.0 | 4.0 | 200 | +0.0 | 100% |"
    assert lines[4] == (
        "All tables: it said stop in 1 of 1 runs, after 200 labels in the median. In 1 of these 1 the error was at "
        "most 2 points above that at 200 labels."
    )
    assert lines[-1] == "| 5 x 5 | 9 | 11 | 31 | 2 | 4 | 7 | 2.0 | 0.5 |"


def test_the_page_shows_what_was_recorded():
    page = (Path(__file__).parents[2] / "docs" / "annotate.md").read_text(encoding="utf-8")
    for line in annotate.results_table(annotate.recorded()).splitlines():
        assert line in page, line
