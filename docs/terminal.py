"""What a command writes to a terminal, for the pages and pictures that show it."""

import os
import pty
import re
import subprocess
from pathlib import Path


def on_a_terminal(words: list[str], folder: Path, columns: int, **environment: str) -> tuple[int, str]:
    """(exit status, everything written) of a command on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    given = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color", **environment}
    with subprocess.Popen(words, cwd=folder, stdout=theirs, stderr=theirs, stdin=theirs, env=given) as process:
        os.close(theirs)
        written = b""
        try:
            while part := os.read(ours, 65536):
                written += part
        except OSError:  # Linux ends a terminal so
            pass
        os.close(ours)
        status = process.wait()
    return status, written.decode("utf-8")


def what_stays(written: str) -> str:
    """The lines that are left when progress has been written over."""
    lines = [line.split("\r")[-1] for line in written.replace("\r\n", "\n").split("\n")]
    return "\n".join(re.sub(r"\x1b\[[0-9]*K", "", line).rstrip() for line in lines).strip("\n")
