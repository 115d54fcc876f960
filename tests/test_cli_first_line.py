"""The command speaks at once: the first stage is named, and what cannot be done refused, before NumPy is loaded."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from io import StringIO

import pytest

from semisvm.cli.terminal import StageLine

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "pyarrow")
LOADED = f"[name for name in {HEAVY!r} if name in sys.modules]"


def run(code, *words, terminal=False):
    """Standard output and standard error of a process with these words; both are one where a terminal is asked for."""
    command = [sys.executable, "-c", code, *words]
    if not terminal:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdout=follower, stderr=follower, env={**os.environ, "COLUMNS": "60"}) as process:
        os.close(follower)
        shown, until = b"", time.monotonic() + 120
        while time.monotonic() < until:
            ready, _, _ = select.select([leader], [], [], 1.0)
            try:
                part = os.read(leader, 65536) if ready else b""
            except OSError:  # the other end is closed
                break
            shown += part
            if not part and ready:
                break
        process.wait()
    os.close(leader)
    return shown.decode()


REFUSED = f"""
import sys
from semisvm.cli import application
try:
    application()(sys.argv[1:], standalone_mode=True)
except SystemExit as end:
    print(end.code, {LOADED})
"""


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{k % 7},{('cat', 'dog')[k % 2] if k < 6 else ''}" for k in range(30)]
    (tmp_path / "t.csv").write_text("a,kind\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.csv", "--label", "kind"], "none.csv does not exist"),
        (["t.doc", "--label", "kind"], "t.doc ends in '.doc'"),
        (["t.csv", "--label", "king"], "did you mean 'kind'?"),
        (["t.csv", "--label", "kind", "--method", "magic"], "There is no method 'magic'"),
        (["t.csv", "--label", "kind", "--out", "no/o.csv"], "The folder no of o.csv does not exist"),
        (["t.csv", "--label", "kind", "--report", "t.csv"], "is the table that is read"),
        (["t.csv", "--label", "kind", "--folds", "1"], "--folds 1 was given"),
        (["t.csv", "--label", "kind", "--min-precision", "3"], "--min-precision 3 was given"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_heavy_is_loaded(table, words, message):
    shown = run(REFUSED, "label", *words)
    assert message in shown
    assert shown.splitlines()[0] == "1 []", shown


FIRST = f"""
import sys, time

class Watched:
    def isatty(self): return True
    def flush(self): pass
    def write(self, text):
        if text.strip():
            sys.__stdout__.write(f"{{time.process_time()}} {{{LOADED}}} {{text}}")
            sys.__stdout__.flush()
            import os
            os._exit(0)

sys.stderr = Watched()
from semisvm.cli import main
main()
"""


def test_the_first_line_costs_no_more_than_the_packages_of_the_command_line(table):
    def seconds(code, *words):
        return float(run(code, *words).split()[0])

    shown = run(FIRST, "label", "t.csv", "--label", "kind")
    assert "semisvm label: starting" in shown
    assert " [] " in shown, shown
    alone = "import time, typer, rich; print(time.process_time())"
    pairs = [(seconds(FIRST, "label", "t.csv", "--label", "kind"), seconds(alone)) for _ in range(4)]
    assert min(ours for ours, _ in pairs) < 1.5 * min(theirs for _, theirs in pairs)


MAIN = "from semisvm.cli import main; main()"


def test_lines_of_a_terminal_are_broken_between_words(table):
    shown = run(MAIN, "label", "t.csv", "--label", "kind", "--method", "supervised", terminal=True)
    assert shown.startswith("semisvm label: starting\r\r\x1b[2Kreading t.csv")
    lines = [re.sub(r".*\x1b\[2K|\x1b\[\d*m|\r", "", line) for line in shown.split("\n")]
    assert max(len(line) for line in lines) <= 60
    text = " ".join(" ".join(lines).split())
    assert "t.csv: 30 rows, 6 labels of 2 classes; trained on 30 rows; 24 rows filled, mean confidence" in text
    assert "label -1" not in text
    refused = run(MAIN, "label", "t.csv", "--label", "nothing like it at all", terminal=True)
    assert max(len(re.sub(r".*\x1b\[2K", "", line).rstrip("\r")) for line in refused.split("\n")) <= 60
    assert "its columns are a, kind." in " ".join(refused.split())


def test_a_stage_tells_its_time_after_two_seconds_and_what_is_left_where_that_is_known(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("semisvm.cli.terminal.time.monotonic", lambda: now[0])
    line = StageLine(StringIO())
    try:
        line("learning from 2,500 rows")
        assert line.text(79) == "learning from 2,500 rows"
        assert line.text(13) == "learning from"
        now[0] += 3.4
        assert line.text(79) == "learning from 2,500 rows, 3 s"
        assert line.text(18) == "learning from, 3 s"
        line("labeling", 10_000, 40_000)
        now[0] += 10.0
        assert line.text(79) == "labeling [######------------------] 25%, about 30 s left"
        # on a narrow terminal the bar gets shorter, and the time that is left stays
        assert line.text(40) == "labeling [##------] 25%, about 30 s left"
        assert line.text(31) == "labeling, 25%, about 30 s left"
        assert line.text(26) == "labe, 25%, about 30 s left"
    finally:
        line.close()
    assert line.stream.getvalue().endswith("\r\x1b[2K")
