"""The page of the default on ordinary tables names the code that made its figures."""

from dataclasses import replace

from benchmarks.ordinary_tables import ALONE, COMMONEST, OURS, Run, append, page, read_runs

ERRORS = {OURS: 20.0, ALONE: 22.0, COMMONEST: 50.0}
RUN = Run("balance", 15, 0, 625, 3, ERRORS, ERRORS, ERRORS, 0.2, (0.1, 0.3), True, 81.0, 4.0, 2.0, {}, {})


def test_the_page_names_the_commits_of_its_runs():
    runs = [
        replace(RUN, draw=draw, commit=name) for draw, name in enumerate(("abcdef0123", "abcdef0123", "0123456789"))
    ]
    assert "The runs are of `0123456`, `abcdef0`." in page(runs)


def test_runs_without_a_commit_are_shown_without_one():
    assert "The runs are of" not in page([RUN])


def test_a_commit_is_read_back(tmp_path):
    path = tmp_path / "runs.jsonl"
    append(path, replace(RUN, commit="abcdef0123"))
    assert read_runs(path)[0].commit == "abcdef0123"
