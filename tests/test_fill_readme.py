"""The marked places of the README and of docs/how_good.md hold what records and runs say."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("fill_readme", ROOT / "docs" / "fill_readme.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["fill_readme"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["fill_readme"]


def test_errors_of_a_set_are_means_over_the_splits_that_both_have(script):
    records = [
        {"dataset": "a @5", "method": method, "split": split, "error_pct": error}
        for method, split, error in (("SVC", 0, 10.0), ("SVC", 1, 20.0), ("S3VM()", 0, 4.0), ("S3VM()", 7, 90.0))
    ]
    assert script.of_set(records, script.ReadmeRow("", script.SETS, "a", 5)) == (10.0, 4.0, "not recorded", 1)


def test_a_set_says_in_how_many_runs_the_rows_helped(script):
    records = [{"dataset": "a @5", "method": "SVC", "split": split, "error_pct": 8.0} for split in range(3)]
    records += [
        {"dataset": "a @5", "method": "S3VM()", "split": split, "error_pct": 4.0, "measures": {script.HELPED: helped}}
        for split, helped in enumerate((1.0, 0.0, 1.0))
    ]
    row = script.ReadmeRow("", script.SETS, "a", 5)
    assert script.of_set(records, row)[2:] == ("in 2 of 3", 3)
    del records[-1]["measures"]
    assert script.of_set(records, row)[2:] == ("not recorded", 3)


def test_a_table_says_in_how_many_runs_the_rows_helped(script):
    records = [
        {"table": "t", "labels": 9, "errors": {"labels alone": 8.0, "S3VM()": 6.0}, "helped": True},
        {"table": "t", "labels": 9, "errors": {"labels alone": 6.0, "S3VM()": 7.0}, "helped": False},
        {"table": "t", "labels": 30, "errors": {"labels alone": 99.0, "S3VM()": 99.0}, "helped": True},
    ]
    assert script.of_table(records, script.ReadmeRow("", script.TABLES, "t", 9)) == (7.0, 6.5, "in 1 of 2", 2)


def test_places_are_filled_and_the_rest_stays(script, tmp_path):
    sets, tables = [], []
    for row in script.ROWS:
        if row.file == script.SETS:
            name = f"{row.key} @{row.labels}"
            sets += [{"dataset": name, "method": m, "split": 0, "error_pct": 1.0} for m in ("SVC", "S3VM()")]
        else:
            errors = {"labels alone": 2.0, "S3VM()": 2.0}
            tables.append({"table": row.key, "labels": row.labels, "draw": 0, "errors": errors, "helped": None})
    for file, records in ((script.SETS, sets), (script.TABLES, tables)):
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text("".join(json.dumps(one) + "\n" for one in records))
    text = "x\n<!-- table -->\nold\n<!-- end -->\n```python\nprint(1 + 1)\n```\n<!-- output -->\n<!-- end -->\ny\n"
    new = script.filled(text, tmp_path)
    assert new.startswith("x\n<!-- table -->\n| data |")
    assert "old" not in new
    assert new.count("| 1.0 % | 1.0 % | not recorded | 1 |") == len(sets) / 2
    assert new.endswith("<!-- output -->\n```text\n2\n```\n<!-- end -->\ny\n")
    assert script.filled(new, tmp_path) == new
    assert "```text\n2\n```" in script.filled(new, tmp_path, run=False)


def test_means_are_over_the_sets_and_tables_for_reporting(script, tmp_path):
    from semisvm_papers.default_table import ROWS

    kept, tuned = (next(row.name for row in ROWS if row.tuning == one) for one in (False, True))
    errors = {("SVC", kept): 30.0, ("S3VM()", kept): 20.0, ("SVC", tuned): 99.0, ("S3VM()", tuned): 0.0}
    lines = [json.loads(one) for one in (ROOT / script.SETS).read_text().splitlines()[:1]]
    sets = [
        {**lines[0], "method": method, "dataset": name, "split": 0, "error_pct": error}
        for (method, name), error in errors.items()
    ]
    whole = [json.loads(one) for one in (ROOT / script.TABLES).read_text().splitlines()]
    tables = [
        {**one, "errors": {"labels alone": alone, "S3VM()": 9.5}}
        for alone in (99.0, 8.0)  # the later run of a draw counts
        for one in whole
        if one["labels"] == 30
    ]
    for file, records in ((script.SETS, sets), (script.TABLES, tables)):
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text("".join(json.dumps(one) + "\n" for one in records))
    found = script.means(tmp_path).splitlines()[2:]
    n_labels = kept.partition("@")[2]
    assert found == [
        f"| benchmark sets | {n_labels} to {n_labels} | 1 | 30.0 % | 20.0 % | 1 | none |",
        "| ordinary tables | 30 | 20 | 8.0 % | 9.5 % | 0 | 1.5 points |",
    ]


def test_the_pages_show_the_records_of_today(script):
    assert script.main(["--check"]) == 0, "run  python docs/fill_readme.py"


def test_the_output_in_the_readme_is_what_its_lines_print(script):
    """In words exactly; in percent within three points, which other processors may differ by."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(place["held"] for place in script.PLACE.finditer(text) if place["what"] == "output")
    printed = script.output(text)
    assert re.sub(r"\d+", "#", shown) == re.sub(r"\d+", "#", printed)
    for before, now in zip(re.findall(r"(\d+)%", shown), re.findall(r"(\d+)%", printed), strict=True):
        assert abs(int(before) - int(now)) <= 3
