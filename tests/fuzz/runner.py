"""Runs cases in children of this process, and keeps a record of them that a later run goes on with."""

import contextlib
import faulthandler
import gc
import importlib
import json
import math
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
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np

from semisvm import __version__
from tests.fuzz import KINDS, FuzzFinding

PATIENCE = 300
"""Seconds on the wall, beside ten times the processor time, that a case may go without computing anything."""
SHOWN = 3000
"""Characters of what a case printed that are kept."""
TOGETHER = 25
"""Cases that one child runs, one after the other: a child of a large process costs as much as a small fit."""


@dataclass(frozen=True)
class CaseResult:
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


def run(kind: ModuleType, seeds: Iterable[int], *, limit: float, record: Path | None = None) -> list[CaseResult]:
    """The results of these cases; those in the record with this version are not run again."""
    now = version()
    results = [result for result in read(record) if result.version == now]
    done = {result.seed for result in results}
    missing = [seed for seed in seeds if seed not in done]
    results = [result for result in results if result.seed in set(seeds)]
    if missing:
        kind.warm()
        gc.collect()
        gc.freeze()  # what is there stays where it is: children share it with their parent
    with record.open("a") if record is not None else contextlib.nullcontext() as out:
        if out is not None and missing:
            out.write("\n")  # the last line may have been cut off
        for result in run_each(kind, missing, limit, now):
            results.append(result)
            if out is not None:
                print(json.dumps(asdict(result)), file=out, flush=True)
    return results


def read(record: Path | None) -> list[CaseResult]:
    """What a record holds; a line that was cut off is left out."""
    results = []
    for line in record.read_text().splitlines() if record is not None and record.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            results.append(CaseResult(**json.loads(line)))
    return results


def run_each(kind: ModuleType, seeds: list[int], limit: float, now: str = "") -> Iterator[CaseResult]:
    """These cases, `TOGETHER` in one child; what is found there is looked for again in a child alone."""
    begun = 0
    while begun < len(seeds):
        first = begun
        for result in run_in_one_child(kind, seeds[first : first + TOGETHER], limit, now):
            begun += 1
            yield _looked_for_alone(kind, result, seeds[first], limit, now) if result.finding else result


def _looked_for_alone(kind: ModuleType, result: CaseResult, first: int, limit: float, now: str) -> CaseResult:
    """A finding as it is without other cases before it, or with a word on them where it needs them."""
    if result.seed == first:
        return result
    (alone,) = run_in_one_child(kind, [result.seed], limit, now)
    if alone.finding:
        return alone
    return replace(result, finding=f"{result.finding}\nOnly after the cases from {first} on, in one process.")


def run_in_one_child(kind: ModuleType, seeds: list[int], limit: float, now: str = "") -> Iterator[CaseResult]:
    """The results of these cases in a child of this process, up to the first finding."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as printed:
        child = os.fork()
        if child == 0:
            os.close(reader)
            _in_child(kind, seeds, limit, folder, printed.fileno(), writer)
        os.close(writer)
        answers = Lines(reader)
        try:
            for seed in seeds:
                line = _next_line(answers, child, limit)
                if line is None:
                    status, seconds = _ended(child, kill=not answers.ended)
                    child = 0
                    how = f"It ended without an answer ({_ending(status, limit, answers.ended)})."
                    text = os.pread(printed.fileno(), SHOWN, 0).decode(errors="replace")
                    yield CaseResult(seed, "finding", seconds, f"{described(kind, seed)}\n{how}\n{text}", now)
                    return
                said = json.loads(line)
                yield CaseResult(seed, said["outcome"], said["seconds"], said["finding"], now)
                if said["finding"]:
                    return
        finally:
            os.close(reader)
            if child:
                _ended(child, kill=True)
            shutil.rmtree(folder, ignore_errors=True)


def _next_line(answers: "Lines", child: int, limit: float) -> bytes | None:
    """The next answer; a child that computes is waited for on a busy machine, as its processor time has a limit."""
    while True:
        before = _computed(child)
        line = answers.next(_patience(limit))
        if line is not None or answers.ended or _computed(child) == before:
            return line


def _computed(child: int) -> int:
    """The processor time of a child that has not ended, in ticks; zero where the system does not say."""
    stat = Path(f"/proc/{child}/stat")
    if not stat.exists():
        return 0
    # the name, which may hold blanks, is in parentheses; utime and stime are the 12th and 13th fields behind it
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def _ended(child: int, *, kill: bool) -> tuple[int, float]:
    """The status of a child and its processor time."""
    if kill:
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    return status, round(usage.ru_utime + usage.ru_stime, 3)


def described(kind: ModuleType, seed: int) -> str:
    return str(kind.draw(np.random.default_rng(seed)))


def _in_child(kind: ModuleType, seeds: list[int], limit: float, folder: Path, printed: int, writer: int) -> None:
    """Never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.enable(printed)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        for seed in seeds:
            began = time.process_time()
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(began + limit), resource.RLIM_INFINITY))
            os.lseek(printed, 0, os.SEEK_SET)
            os.ftruncate(printed, 0)
            place = folder / str(seed)
            place.mkdir()
            os.chdir(place)
            said = _said(kind, seed, printed) | {"seconds": round(time.process_time() - began, 3)}
            os.chdir(folder)
            shutil.rmtree(place, ignore_errors=True)
            os.write(writer, json.dumps(said).encode() + b"\n")
            if said["finding"]:
                break
    finally:
        os._exit(0)


def _said(kind: ModuleType, seed: int, printed: int) -> dict[str, str]:
    case = None
    try:
        case = kind.draw(np.random.default_rng(seed))
        return {"outcome": case.check(), "finding": ""}
    except FuzzFinding as finding:
        why = str(finding)
    except BaseException:
        why = traceback.format_exc()
    text = os.pread(printed, SHOWN, 0).decode(errors="replace")
    return {"outcome": "finding", "finding": f"{case}\n{why}\n{text}".rstrip()}


class Lines:
    """Lines as they come out of a pipe."""

    def __init__(self, reader: int):
        self.reader, self.begun, self.ended = reader, b"", False

    def next(self, seconds: float) -> bytes | None:
        """The next one; None where the writer ends first, or says nothing for so many seconds."""
        until = time.monotonic() + seconds
        while b"\n" not in self.begun:
            ready, _, _ = select.select([self.reader], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self.reader, 65536) if ready else b""
            if not part:
                self.ended = bool(ready)
                return None
            self.begun += part
        line, self.begun = self.begun.split(b"\n", 1)
        return line


def _patience(limit: float) -> float:
    return PATIENCE + 10 * limit


def _ending(status: int, limit: float, in_time: bool) -> str:
    if not in_time:
        return f"nothing was computed for {_patience(limit):g} s"
    if not os.WIFSIGNALED(status):
        return f"exit status {os.WEXITSTATUS(status)}"
    if os.WTERMSIG(status) == signal.SIGXCPU:
        return f"more than {limit:g} s of processor time"
    return signal.Signals(os.WTERMSIG(status)).name


def summary(results: list[CaseResult]) -> str:
    """Counts of the outcomes and what the cases cost."""
    counts = Counter(result.outcome for result in results)
    seconds = sum(result.seconds for result in results)
    shown = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.most_common())
    return f"{len(results):,} cases: {shown}; {seconds:,.0f} s of processor time."
