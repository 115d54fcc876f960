"""The figures of `semisvm label`: the least time of either side counts, and the page holds what was recorded."""

import json

from benchmarks import all_digits, all_rows, label_command


def one_round(**changed):
    return {"fit": 0.5, "fit_clock": 1.0, "label": 10.0, "label_clock": 30.0, "memory": 0.7, **changed}


def test_the_least_time_of_either_side_counts():
    shown = [one_round(), one_round(fit=0.4, label=12.0), one_round(label_clock=25.0, memory=0.9)]
    *_, line = label_command.as_table({"tables": {"clouds": {"rounds": shown, "error": 1.55}}}).splitlines()
    # 10 / 0.4 and 25 / 1
    assert line == "| clouds | 25.0 (bar 30) | 25.0 | 0.40 | 0.90 GB (bar 4) | 1.6 % |"


def test_the_page_holds_the_recorded_figures():
    record = json.loads(label_command.RECORD.read_text(encoding="utf-8"))
    assert label_command.as_table(record) in label_command.PAGE.read_text(encoding="utf-8")


def test_the_page_holds_the_recorded_figures_of_all_rows():
    record = json.loads(label_command.RECORD.read_text(encoding="utf-8"))
    assert all_rows.as_table(record["all_rows"]) in label_command.PAGE.read_text(encoding="utf-8")


def test_the_page_holds_the_recorded_figures_of_all_digits():
    draws = json.loads(label_command.RECORD.read_text(encoding="utf-8"))["digits"]["draws"]
    assert all_digits.as_table(draws) in label_command.PAGE.read_text(encoding="utf-8")
    assert len(draws) == all_digits.DRAWS
    assert all(one["all"] < 0.7 * one["sample"] for one in draws)


def test_all_rows_are_counted_in_fits():
    one = {"fit": 2.0, "fit_memory": 0.5, "label": 9.0, "label_clock": 9.0, "memory": 3.5, "trained": 100_000}
    *_, line = all_rows.as_table({"tables": {"a file": one}}).splitlines()
    # 9 / 2
    assert line == "| a file | 100,000 rows | 2.0 s, 0.50 GB | 9.0 s | 4.5 (bar 6) | 3.50 GB (bar 4.29) |"
