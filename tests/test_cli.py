"""The command line: what it prints, where, and with which exit status."""

import json
import re
import subprocess
import sys
from importlib.metadata import EntryPoints

import pytest
from typer.testing import CliRunner

import semisvm
from semisvm import cli
from semisvm.cli import plugins, terminal
from semisvm_papers.claims import list_claims
from semisvm_papers.commands import _names
from semisvm_papers.records import Record, append_record
from semisvm_papers.table import Table

from .papers import toys


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Calls the command with empty data and cache folders."""
    monkeypatch.setenv("SEMISVM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SEMISVM_CACHE", str(tmp_path / "cache"))
    application = cli.application()
    return lambda *words: CliRunner().invoke(application, list(words))


@pytest.fixture
def toy(monkeypatch):
    """A table `toy` whose estimators are part of semisvm for the time of a test."""
    toys.Nearest.fits = 0
    monkeypatch.setattr(Table, "load", lambda name: toys.toy_table())
    # settings of the claims name tables that are not loaded then
    claims = [claim for claim in list_claims() if claim.setting is None]
    monkeypatch.setattr("semisvm_papers.claims.list_claims", lambda: claims)
    monkeypatch.setattr(semisvm, "Nearest", toys.Nearest, raising=False)
    monkeypatch.setattr(semisvm, "Broken", toys.BrokenNearest, raising=False)


def test_version(call):
    result = call("--version")
    assert result.exit_code == 0
    assert result.stdout == f"semisvm {semisvm.__version__}\n"


def test_help_names_every_command(call):
    result = call("--help")
    assert result.exit_code == 0
    for command in ("label", "annotate", "fit", "predict", "compare", "demo", "bench", "papers", "data"):
        assert command in result.stdout


@pytest.mark.parametrize("words", [["frobnicate"], ["papers", "run"], ["papers", "run", "x", "--splits", "0"]])
def test_usage_errors_have_status_2(call, words):
    assert call(*words).exit_code == 2


@pytest.mark.parametrize("words", [["papers"], ["papers", "run", "x", "--splits", "2"], ["bench", "--json"]])
def test_commands_of_the_source_tree_say_how_to_install_them(monkeypatch, words):
    monkeypatch.setattr(plugins, "entry_points", lambda group: EntryPoints())
    result = CliRunner().invoke(cli.application(), words)
    assert result.exit_code == 1
    assert " ".join(result.stderr.split()) == (
        f"`semisvm {words[0]}` is part of the package semisvm-papers, which is not installed: "
        "run pip install ./papers in a copy of the source tree of semisvm."
    )


def test_papers_list(call):
    lines = call("papers", "list").stdout.splitlines()
    assert lines[0].split("\t") == ["table", "data sets", "methods", "title"]
    assert any(line.startswith("s3vmopt-table8\t5\t8\tTable 8") for line in lines)
    names = [entry["table"] for entry in json.loads(call("papers", "list", "--json").stdout)]
    assert "s3vmopt-table1" in names


def test_unknown_table_is_reported_in_one_line(call):
    result = call("papers", "run", "table99")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("There is no table 'table99': the tables are ")
    assert "s3vmopt-table8" in result.stderr
    assert result.stderr.count("\n") == 1


def test_unknown_data_set_is_reported_in_one_line(call, toy):
    result = call("papers", "run", "toy", "--jobs", "1", "--datasets", "moons;mars")
    assert result.exit_code == 1
    assert result.stderr == "'mars' is not among the data sets of toy: moons, lost.\n"


def test_a_known_name_may_have_a_semicolon():
    known = ["A", "A[s=0;C*=C]", "B, 10"]
    assert _names("A[s=0;C*=C];a;B, 10", known) == ["A[s=0;C*=C]", "a", "B, 10"]
    assert _names(" A ; A[s=0;c*=c] ;", known) == ["A", "A[s=0;c*=c]"]
    assert _names("A[s=0;x", known) == ["A[s=0", "x"]
    assert _names(None, known) is None


def test_papers_run_prints_ours_beside_theirs_and_nothing_else(call, toy, tmp_path):
    result = call("papers", "run", "toy", "--jobs", "1", "--splits", "2", "--datasets", "moons")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "moons, broken: failed, ArithmeticError: it does not converge" in result.stdout
    assert "not available" in result.stdout
    assert toys.Nearest.fits == 2
    assert (tmp_path / "cache" / "papers" / "toy.jsonl").is_file()


def test_papers_run_goes_on_and_starts_afresh(call, toy):
    call("papers", "run", "toy", "--jobs", "1", "--splits", "2")
    call("papers", "run", "toy", "--jobs", "1")
    assert toys.Nearest.fits == 3
    call("papers", "run", "toy", "--jobs", "1", "--fresh", "--methods", "nearest")
    assert toys.Nearest.fits == 6


def test_papers_run_shows_cells_that_follow_from_the_records_of_another_table(call, tmp_path):
    source = Table.load("s3vmopt-table9")
    for row, column in ((row, column) for row in source.rows[:2] for column in source.columns[:1]):
        cell = ("s3vmopt-table9", row.dataset, column.method)
        facts = (0, 0, 10.0, 0.1, None, None, "abc123", {}, "2026-11-10T10:00")
        spread = {"spread_pct": 3.0 if row is source.rows[0] else 5.0}
        append_record(
            tmp_path / "s3vmopt-table9.jsonl",
            Record(*cell, *facts, measures=spread, declaration=source.declarations[cell]),
        )
    shown = call("papers", "run", "s3vmopt-table10", "--jobs", "1", "--out", str(tmp_path)).stdout
    (line,) = [line for line in shown.splitlines() if source.columns[0].method in line]
    assert "4.00" in line.split()


def test_papers_run_takes_over_what_another_table_measured(call, toy, tmp_path):
    words = ("papers", "run", "toy", "--jobs", "1", "--methods", "nearest", "--out", str(tmp_path))
    call(*words)
    assert toys.Nearest.fits == 3
    mine, other = tmp_path / "toy.jsonl", tmp_path / "s3vmopt-table1.jsonl"
    mine.rename(other)
    other.write_text(other.read_text().replace('"table": "toy"', '"table": "s3vmopt-table1"'))
    call(*words)
    assert toys.Nearest.fits == 3
    assert len(mine.read_text().splitlines()) == 3
    call(*words, "--fresh")
    assert toys.Nearest.fits == 6


def test_papers_tune_shows_the_best_points_first(call, toy, tmp_path):
    words = ("papers", "tune", "toy", "--dataset", "moons", "--method", "nearest", "--jobs", "1", "--splits", "2")
    out = tmp_path / "points.jsonl"
    result = call(*words, "--grid", "{ C = [1, 10, 100] }", "--out", str(out), "--top", "2")
    header, *lines = result.stdout.splitlines()
    assert header.split("\t") == ["parameters", "error %", "deviation", "splits"]
    assert [line.split("\t")[-1] for line in lines] == ["2", "2"]
    assert len(out.read_text().splitlines()) == 6
    wrong = call(*words, "--grid", "C=1")
    assert (wrong.exit_code, wrong.stdout) == (1, "")
    assert "write it as { C = [1, 10] }" in wrong.stderr
    broken = call(
        "papers", "tune", "toy", "--dataset", "moons", "--method", "broken", "--jobs", "1", "--grid", "{ C = [1] }"
    )
    assert (broken.exit_code, broken.stdout) == (1, "")
    assert broken.stderr.startswith("No point of the grid could be measured on moons: ")
    assert "data are not present" not in broken.stderr


def test_papers_run_as_json(call, toy, tmp_path):
    out = tmp_path / "mine.jsonl"
    records = json.loads(
        call("papers", "run", "toy", "--jobs", "1", "--splits", "1", "--json", "--out", str(out)).stdout
    )
    assert [(record["method"], record["failure"] is None) for record in records] == [
        ("nearest", True),
        ("broken", False),
    ]
    assert len(out.read_text().splitlines()) == 2


def test_papers_run_takes_names_or_all(call, tmp_path):
    for words in (["s3vmopt-table8", "--all"], []):
        result = call("papers", "run", *words, "--out", str(tmp_path))
        assert result.exit_code == 2
        assert "Name some tables, or give --all." in result.stderr


def test_papers_run_leaves_out_what_takes_too_long(call, toy, tmp_path):
    out = tmp_path / "mine.jsonl"
    words = ("papers", "run", "toy", "--jobs", "1", "--splits", "1", "--out", str(out))
    never = call(*words, "--minutes", "1")
    assert "left out: toy, moons, nearest (was never run)\n" in never.stderr
    assert not out.exists()
    call(*words)
    again = call("papers", "run", "toy", "--jobs", "1", "--out", str(out), "--minutes", "1")
    assert again.stderr == ""
    assert len(out.read_text().splitlines()) == 6


def test_papers_report(call, toy, tmp_path):
    out = tmp_path / "mine.jsonl"
    call("papers", "run", "toy", "--jobs", "1", "--out", str(out))
    result = call("papers", "report", "--records", str(out), "--out", str(tmp_path / "pages"))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("0 of ")
    page = (tmp_path / "pages" / "report.html").read_text()
    assert page.endswith("of a method of another paper</footer>\n</body>\n</html>\n")
    output = json.loads(
        call("papers", "report", "--records", str(out), "--out", str(tmp_path / "pages"), "--json").stdout
    )
    assert {one["table"]: one["not enough splits"] for one in output["tables"]}["toy"] == 1
    missing = call("papers", "report", "--records", str(tmp_path / "missing"))
    assert missing.exit_code == 1
    assert missing.stderr.startswith("There are no records at ")


def test_papers_confirm_runs_one_split_again_and_all_where_it_differs(call, toy, monkeypatch, tmp_path):
    records, words = tmp_path / "records", ("papers", "confirm", "toy", "--jobs", "1", "--records")
    call("papers", "run", "toy", "--jobs", "1", "--methods", "nearest", "--out", str(records))
    assert toys.Nearest.fits == 3
    today = call(*words, str(records)).stdout
    assert (toys.Nearest.fits, today.splitlines()[1:]) == (3, counted(today=1))
    file = records / "toy.jsonl"
    file.write_text(re.sub(r'"code": "\w+"', '"code": "earlier"', file.read_text()))
    assert call(*words, str(records), "--minutes", "0").stdout.splitlines()[1:] == counted(unchecked=1)
    confirmed = call(*words, str(records)).stdout.splitlines()
    assert (toys.Nearest.fits, confirmed[2:]) == (4, counted(confirmed=1))
    assert confirmed[1].endswith("\t0.0")
    confirmations = records.parent / "confirmed.jsonl"
    held = confirmations.read_text()
    confirmations.write_text(re.sub(r'"code": "\w+"', '"code": "between"', held))
    assert call(*words, str(records), "--minutes", "0").stdout.splitlines()[1:] == counted(changed=1)
    confirmations.write_text(held)
    # a record that today's code does not repeat
    file.write_text(re.sub(r'"error_pct": [\d.]+', '"error_pct": 1.5', file.read_text()))
    (tmp_path / "confirmed.jsonl").unlink()
    assert call(*words, str(records), "--no-rerun").stdout.splitlines()[2:] == counted(differs=1)
    (tmp_path / "confirmed.jsonl").unlink()
    assert call(*words, str(records)).stdout.splitlines()[2:] == counted(today=1)
    assert toys.Nearest.fits == 4 + 1 + 1 + 3


def counted(today=0, confirmed=0, differs=0, of_times=0, changed=0, unchecked=0):
    return [
        f"{number} {words}"
        for number, words in (
            (today, "made with today's code"),
            (confirmed, "confirmed with today's code"),
            (differs, "differs with today's code"),
            (of_times, "of a time, whose error or objective has moved"),
            (changed, "confirmed with code that has changed since"),
            (unchecked, "made with earlier code, not checked"),
        )
    ]


def test_papers_quote(call, toy, tmp_path):
    out, page = tmp_path / "mine.jsonl", tmp_path / "page.md"
    call("papers", "run", "toy", "--jobs", "1", "--out", str(out))
    page.write_text("ours: 0.0 / 0<!-- record: toy / moons / nearest -->")
    assert call("papers", "quote", str(page), "--records", str(out)).stdout.split() == [str(page)]
    errors = [one["error_pct"] for one in map(json.loads, out.read_text().splitlines()) if one["method"] == "nearest"]
    ours = sum(errors) / len(errors)
    assert page.read_text() == f"ours: {ours:.1f} / 40<!-- record: toy / moons / nearest -->"
    assert call("papers", "quote", str(page), "--records", str(out)).stdout == ""
    page.write_text("1<!-- record: toy / moons / nobody -->")
    unknown = call("papers", "quote", str(page), "--records", str(out))
    assert unknown.exit_code == 1
    assert "'toy / moons / nobody'" in unknown.stderr


def test_interrupt_keeps_what_was_done(call, toy, monkeypatch, tmp_path):
    monkeypatch.setattr(toys.InterruptedNearest, "fits", 0)
    monkeypatch.setattr(semisvm, "Nearest", toys.InterruptedNearest)
    result = call("papers", "run", "toy", "--jobs", "1", "--methods", "nearest")
    assert result.exit_code == 1
    assert result.stderr == "Interrupted; what was finished is kept.\n"
    assert len((tmp_path / "cache" / "papers" / "toy.jsonl").read_text().splitlines()) == 2


def test_data_list_tells_what_is_missing_and_why(call, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "usps.npz").write_bytes(b"torn")
    lines = {line.split("\t")[0]: line.split("\t") for line in call("data", "list").stdout.splitlines()}
    assert lines["file"] == ["file", "loader", "status", "license", "bytes"]
    assert lines["lds_g50c.npz"][1:4] == ["load_g50c()", "missing: fetched on first use", "MIT"]
    assert lines["orl_faces.npz"][2].startswith("missing: no public home")
    assert lines["usps.npz"][2].startswith("damaged: 4 bytes where")
    assert len(json.loads(call("data", "list", "--json").stdout)) == len(lines) - 1


def test_data_path(call, tmp_path):
    assert call("data", "path").stdout.split() == [str(tmp_path / "data"), str(tmp_path / "cache")]
    missing = call("data", "path", "orl_faces")
    assert missing.exit_code == 1
    assert missing.stderr.startswith("orl_faces.npz is missing: no public home")
    unknown = call("data", "path", "orl")
    assert unknown.stderr == "There is no data file 'orl': `semisvm data list` shows them all.\n"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "orl_faces.npz").touch()
    output = json.loads(call("data", "path", "orl_faces", "--json").stdout)
    assert output == {"file": "orl_faces.npz", "path": str(tmp_path / "data" / "orl_faces.npz")}
    assert json.loads(call("data", "path", "--json").stdout)["folders"][1] == str(tmp_path / "cache")
    assert call("data", "path", "orl_faces.npz").stdout == f"{tmp_path / 'data' / 'orl_faces.npz'}\n"


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_a_missing_extra_is_named(monkeypatch, capsys, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == f"The command line needs {package}: install it with  pip install 'semisvm[cli]'."


def test_nothing_heavy_is_imported_before_a_command_needs_it():
    code = "import sys; before = set(sys.modules); import semisvm.cli; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    brought = {name.split(".")[0] for name in done.stdout.split() if not name.startswith("semisvm")}
    assert "semisvm.cli.label" in done.stdout.split()
    assert "semisvm.estimators" not in done.stdout.split()
    assert brought <= sys.stdlib_module_names


def test_names_of_the_package_are_imported_when_they_are_asked_for():
    code = (
        "import sys, semisvm; listed = set(dir(semisvm)); assert 'sklearn' not in sys.modules\n"
        "from semisvm import S3VM; assert set(semisvm.__all__) <= listed; print(S3VM.__module__)\n"
        "try: semisvm.S4VM\nexcept AttributeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "semisvm.estimators.default.estimator",
        "module 'semisvm' has no attribute 'S4VM'",
    ]


def test_terminal_gets_a_table(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    terminal.show(("file", "size"), [("a.npz", 3)])
    text = capsys.readouterr().out
    assert "a.npz" in text
    assert "\t" not in text
