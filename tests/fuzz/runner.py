"""Runs cases, each in a child of this process, and keeps a record of them that a later run goes on with."""

import contextlib
import faulthandler
import importlib
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from semisvm import __version__
from tests.fuzz import KINDS, Finding

PATIENCE = 30
"""A case may take this many times its processor time on the wall: the machine may be busy."""
SHOWN = 3000
"""Characters of what a case printed that are kept."""


@dataclass(frozen=True)
class Result:
    seed: int
    outcome: str
    seconds: float
    """Of processor time."""
    finding: str = ""
    version: str = ""


def kind_of(name: str) -> ModuleType:
    return importlib.import_module(KINDS[name])


def version() -> str:
    """The version, and the commit with + after it where files were changed since."""
    describe = ["git", "describe", "--always", "--abbrev=12", "--exclude", "*", "--dirty=+"]
    found = subprocess.run(describe, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return f"{__version__} {found.stdout.strip()}".strip()


def run(kind: ModuleType, seeds: Iterable[int], *, limit: float, record: Path | None = None) -> list[Result]:
    """The results of these cases; those in the record with this version are not run again."""
    now = version()
    results = [result for result in read(record) if result.version == now]
    done = {result.seed for result in results}
    missing = [seed for seed in seeds if seed not in done]
    results = [result for result in results if result.seed in set(seeds)]
    if missing:
        kind.warm()
    with record.open("a") if record is not None else contextlib.nullcontext() as out:
        if out is not None and missing:
            out.write("\n")  # the last line may have been cut off
        for seed in missing:
            result = run_one(kind, seed, limit, now)
            results.append(result)
            if out is not None:
                print(json.dumps(asdict(result)), file=out, flush=True)
    return results


def read(record: Path | None) -> list[Result]:
    """What a record holds; a line that was cut off is left out."""
    results = []
    for line in record.read_text().splitlines() if record is not None and record.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            results.append(Result(**json.loads(line)))
    return results


def run_one(kind: ModuleType, seed: int, limit: float, now: str = "") -> Result:
    """One case in a child of this process."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as printed:
        child = os.fork()
        if child == 0:
            os.close(reader)
            _in_child(kind, seed, limit, folder, printed.fileno(), writer)
        os.close(writer)
        told, in_time = _read_all(reader, time.monotonic() + PATIENCE * limit)
        if not in_time:
            os.kill(child, signal.SIGKILL)
        _, status, usage = os.wait4(child, 0)
        shutil.rmtree(folder, ignore_errors=True)
        seconds = round(usage.ru_utime + usage.ru_stime, 3)
        if told.endswith(b"\n"):
            said = json.loads(told)
            return Result(seed, said["outcome"], seconds, said["finding"], now)
        printed.seek(0)
        text = printed.read().decode(errors="replace")[-SHOWN:]
    how = f"It ended without an answer ({_ending(status, limit, in_time)})."
    return Result(seed, "finding", seconds, f"{described(kind, seed)}\n{how}\n{text}", now)


def described(kind: ModuleType, seed: int) -> str:
    return str(kind.draw(np.random.default_rng(seed)))


def _in_child(kind: ModuleType, seed: int, limit: float, folder: Path, printed: int, writer: int) -> None:
    """Never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        seconds = max(1, round(limit))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        faulthandler.enable(printed)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.chdir(folder)
        said = _said(kind, seed, printed)
        os.write(writer, json.dumps(said).encode() + b"\n")
    finally:
        os._exit(0)


def _said(kind: ModuleType, seed: int, printed: int) -> dict[str, str]:
    case = None
    try:
        case = kind.draw(np.random.default_rng(seed))
        return {"outcome": case.check(), "finding": ""}
    except Finding as finding:
        why = str(finding)
    except BaseException:
        why = traceback.format_exc()
    text = os.pread(printed, SHOWN, 0).decode(errors="replace")
    return {"outcome": "finding", "finding": f"{case}\n{why}\n{text}".rstrip()}


def _read_all(reader: int, until: float) -> tuple[bytes, bool]:
    """What the child writes until it ends, and whether it ended in time."""
    told = b""
    try:
        while True:
            ready, _, _ = select.select([reader], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return told, False
            part = os.read(reader, 65536)
            if not part:
                return told, True
            told += part
    finally:
        os.close(reader)


def _ending(status: int, limit: float, in_time: bool) -> str:
    if not in_time:
        return f"no end after {PATIENCE * limit:g} s on the wall"
    if not os.WIFSIGNALED(status):
        return f"exit status {os.WEXITSTATUS(status)}"
    if os.WTERMSIG(status) == signal.SIGXCPU:
        return f"more than {limit:g} s of processor time"
    return signal.Signals(os.WTERMSIG(status)).name


def summary(results: list[Result]) -> str:
    """Counts of the outcomes and what the cases cost."""
    counts = Counter(result.outcome for result in results)
    seconds = sum(result.seconds for result in results)
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.most_common())
    return f"{len(results):,} cases: {told}; {seconds:,.0f} s of processor time."
