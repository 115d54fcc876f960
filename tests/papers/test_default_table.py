"""The table behind `make default-table`, on a set that is drawn here."""

import argparse
from collections.abc import Iterator

import numpy as np
import pytest

from semisvm.datasets import make_g50c
from semisvm_papers.default_table import NAMES, ROWS, Part, Row, run
from semisvm_papers.default_table_figures import ALL_LABELS, OURS, cells, markdown, show
from semisvm_papers.records import Record
from semisvm_papers.tasks import Task, TaskSource


class Toy(TaskSource):
    def tasks(self) -> Iterator[Task]:
        for seed in range(3):
            X, y = make_g50c(n_samples=60, n_features=5, random_state=seed)
            labeled = np.concatenate([np.flatnonzero(y == one)[:3] for one in (0, 1)])
            yield Task(X, y, labeled)


def test_every_cell_once_and_a_second_run_adds_nothing(tmp_path):
    rows, names, out = (
        [Row("toy", Toy())],
        [OURS, "SVC", "LabelSpreading", "gradient", ALL_LABELS],
        tmp_path / "r.jsonl",
    )
    records = run(rows, names, 2, out)
    assert len(records) == 10
    assert {r.failure for r in records} == {None}
    ours = records[0].measures
    assert 0 <= ours["balanced_error_pct"] <= 100
    assert 0 <= ours["rarest_f1_pct"] <= 100
    # six labels cannot decide it
    assert ours["said_to_have_helped"] == 0.0
    assert set(records[1].measures) == {"balanced_error_pct", "rarest_f1_pct"}
    before = out.read_text()
    assert run(rows, names, 2, out) == records
    assert out.read_text() == before
    assert len(run(rows, names, 3, out)) == 15

    text = show(records, rows, names)
    table = cells(records, names)
    assert "Sets for reporting" in text
    assert f"{table['toy', OURS].error:9.1f}" in text
    assert "mean rank" in text
    assert "worst loss" in text
    shown = table["toy", OURS]
    assert shown.balanced_error == pytest.approx(np.mean([r.measures["balanced_error_pct"] for r in records[::5]]))
    (line,) = [line for line in text.partition("F1 of the rarest class")[2].splitlines() if line.startswith("toy")]
    assert line.split()[1:4] == [f"{shown.balanced_error:.1f}", "/", f"{shown.rarest_f1:.0f}"]
    assert show(records, rows, [OURS]) == "S3VM() and SVC are needed among the methods for a comparison."


def test_what_the_default_says_of_itself_is_recorded(tmp_path):
    class TwoClouds(TaskSource):
        def tasks(self) -> Iterator[Task]:
            random, y = np.random.default_rng(0), np.arange(200) % 2
            yield Task(random.normal(size=(200, 2)) + 8 * y[:, None], y, np.arange(40))

    (record,) = run([Row("two clouds", TwoClouds())], [OURS], 1, tmp_path / "r.jsonl")
    assert record.error_pct == 0.0
    assert 0 < record.measures["expected_error_pct"] < 10
    assert record.measures["said_to_have_helped"] in (0.0, 1.0)


def test_methods_are_compared_on_the_splits_they_share_and_equals_share_a_rank():
    def record(method, split, error):
        return Record("default-table", "toy", method, split, split, error, 1.0, None, None, None, {}, "")

    records = [record(OURS, 0, 10.0), record(OURS, 1, 50.0), record("SVC", 0, 10.0), record("SVC", 1, 50.0)]
    records.append(record("LinearSVC", 0, 30.0))
    assert cells(records, [OURS, "SVC"])["toy", OURS].error == 30.0
    assert cells(records, [OURS, "SVC", "LinearSVC"])["toy", OURS].error == 10.0
    (ranks,) = [line for line in show(records, [Row("toy", Toy())], [OURS, "SVC"]).splitlines() if "mean rank" in line]
    assert ranks.split()[-2:] == ["1.5", "1.5"]
    page = markdown([*records, record(ALL_LABELS, 0, 0.0)], [Row("toy", Toy())], [OURS, "SVC", ALL_LABELS])
    assert page.splitlines()[-1] == "| toy | 1 | 10.0 | 10.0 | 1 |"


def test_a_page_shows_the_classes_where_they_were_recorded():
    def record(dataset, method, **measures):
        return Record("default-table", dataset, method, 0, 0, 10.0, 1.0, None, None, None, {}, "", measures=measures)

    both = {"balanced_error_pct": 20.0, "rarest_f1_pct": 71.6}
    records = [record("a", OURS, **both), record("a", "SVC", **both), record("b", OURS, **both), record("b", "SVC")]
    rows, names = [Row("a", Toy()), Row("b", Toy())], [OURS, "SVC"]
    page = markdown(records, rows, names)
    assert "| a | 20.0 / 72 | 20.0 / 72 |" in page
    assert "| b | 20.0" not in page
    assert page.count("| b |") == 1
    assert page.splitlines()[-1] == "| mean | 20.0 / 72 | 20.0 / 72 |"
    assert "F1" not in markdown([one for one in records if not one.measures], rows, names)


def test_two_processes_share_the_cells(tmp_path):
    rows, out = [Row("toy", Toy()), Row("again", Toy())], tmp_path / "r.jsonl"
    first = run(rows, ["LabelSpreading"], 3, out, Part.read("1/2"))
    assert [(r.dataset, r.split) for r in first] == [("toy", 0), ("toy", 1), ("toy", 2)]
    assert len(run(rows, ["LabelSpreading"], 3, out, Part.read("2/2"))) == 6
    with pytest.raises(argparse.ArgumentTypeError, match="'3/2' was given and a part such as 1/2 is needed"):
        Part.read("3/2")


def test_a_failure_is_recorded_and_its_cell_left_out(tmp_path, monkeypatch):
    from semisvm_papers import default_table

    def broken(X, y):
        raise ValueError("no luck")

    monkeypatch.setitem(default_table.PEERS, "SVC", broken)
    records = run([Row("toy", Toy())], ["SVC"], 1, tmp_path / "r.jsonl")
    assert records[0].failure == "ValueError: no luck"
    assert cells(records, ["SVC"]) == {}


def test_the_sets_for_tuning_are_those_named_in_the_docs():
    tuning = {row.name.split(" @")[0] for row in ROWS if row.tuning}
    assert tuning == {
        "g50c", "Text", "Uspst", "Coil20", "ssl_digit1", "ssl_g241c", "ssl_text", "uci_vehicle", "uci_wdbc",
    }  # fmt: skip
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert OURS in NAMES


@pytest.mark.data
def test_the_first_row_can_be_loaded():
    task = next(iter(ROWS[0].source.tasks()))
    assert len(task.labeled) == 10
