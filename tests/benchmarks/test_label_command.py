"""The figures of `semisvm label`: the least time of either side counts, and the page holds what was recorded."""

import json

from benchmarks import label_command


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
