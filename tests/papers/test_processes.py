"""The runner with several processes: the same records, and nothing lost by crashes, limits, kills and Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from semisvm_papers.records import read_records
from semisvm_papers.runner import n_processes, run
from semisvm_papers.table import Table

from .toys import TOY, Crashes, Nearest, resolver, toy_table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
ROOT = Path(__file__).parents[2]


def script(out, toy):
    """A program that runs the toy table with that class as its method, in two processes."""
    return [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.papers import toys\n"
        "from semisvm_papers.runner import run\n"
        "if __name__ == '__main__':\n"
        f"    run(toys.toy_table(), out={str(out)!r}, methods=['nearest'], n_jobs=2,\n"
        f"        resolve=toys.resolver(Nearest=toys.{toy}))",
    ]


def wait_until(condition, seconds=150):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"


def plain(record):
    untimed = {name: figure for name, figure in record.measures.items() if not name.startswith("fit_seconds")}
    return replace(record, seconds=0.0, date="", measures=untimed)


def test_several_processes_record_what_one_does(tmp_path):
    out = tmp_path / "toy.jsonl"
    Nearest.fits = 0
    records = run(toy_table(), out=out, resolve=resolver(), n_jobs=2)
    assert Nearest.fits == 0
    assert sorted(map(str, map(plain, records))) == sorted(map(str, map(plain, run(toy_table(), resolve=resolver()))))
    assert [record.failure for record in records if record.method == "broken"] == [
        "ArithmeticError: it does not converge"
    ] * 3
    assert read_records(out) == records


def test_crashes_and_jobs_over_their_time_cost_themselves_alone():
    records = run(toy_table(), methods=["nearest"], resolve=resolver(Nearest=Crashes), n_jobs=2, time_limit=10)
    assert {record.split: record.failure for record in records} == {
        0: None,
        1: "The process ended with signal 9 (SIGKILL).",
        2: "TimeoutError: not done after 10 s.",
    }


def test_a_killed_run_leaves_no_process_and_goes_on_where_it_stopped(tmp_path):
    out, pid = tmp_path / "toy.jsonl", tmp_path / "pid"
    environment = {**os.environ, "TOY_PID_FILE": str(pid)}
    assert subprocess.run(script(out, "KillsParent"), env=environment, timeout=200).returncode == -signal.SIGKILL
    wait_until(lambda: gone(int(pid.read_text())))
    done = {record.split for record in read_records(out)}
    assert 1 not in done
    Nearest.fits = 0
    records = run(toy_table(), out=out, methods=["nearest"], resolve=resolver())
    assert Nearest.fits == 3 - len(done)
    assert sorted(record.split for record in records) == [0, 1, 2]


def test_ctrl_c_ends_every_process_and_keeps_what_was_done(tmp_path):
    out, pid = tmp_path / "toy.jsonl", tmp_path / "pid"
    environment = {**os.environ, "TOY_PID_FILE": str(pid)}
    program = subprocess.Popen(script(out, "Slow"), env=environment, start_new_session=True, stderr=subprocess.PIPE)
    wait_until(lambda: pid.exists() and pid.read_text() and len(read_records(out)) == 2)
    os.killpg(program.pid, signal.SIGINT)
    _, shown = program.communicate(timeout=150)
    assert program.returncode != 0
    assert shown.decode().count("Traceback") == 1
    assert "KeyboardInterrupt" in shown.decode()
    wait_until(lambda: gone(int(pid.read_text())))
    assert sorted(record.split for record in read_records(out)) == [0, 2]


def test_missing_data_are_reported_once(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("SEMISVM_DATA", str(tmp_path))
    monkeypatch.setenv("SEMISVM_CACHE", str(tmp_path))
    lost = TOY.replace(
        'data = { load = "make_two_moons", arguments = { n = 40, nuisance = 0 }, splits = "fresh", labeled = [0, 1] }',
        'data = { load = "load_coil20", splits = "drawn", per_class = 2 }',
    )
    assert run(Table.parse("toy", lost), resolve=resolver()) == []
    assert [message.split(":")[0] for message in caplog.messages] == ["moons is passed over"]


def test_how_many_processes():
    assert n_processes(3) == 3
    assert n_processes(-1) == os.cpu_count()
    assert n_processes(-(os.cpu_count() + 5)) == 1
    with pytest.raises(ValueError, match=r"n_jobs = 0 runs nothing: use 1, 2, ..., or -1 for one process per core"):
        n_processes(0)
