"""Instructions of four small fits, counted by callgrind: the same on a busy machine as on an idle one.

`python -m benchmarks.instructions` compares them with `instructions.json`, `--record` writes that file. Counts hold for
the versions they were taken with. What is imported is not counted: callgrind is switched on around the second fit of
each estimator. OpenBLAS is set to one kind of kernel, so that processors of one family count alike.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.harness.machine import versions

ROOT = Path(__file__).parent.parent
RECORDED = Path(__file__).parent / "instructions.json"
ALLOWED = 1.10
DETERMINISTIC = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
}
COUNT = re.compile(
    r"^desc: Trigger: Client Request: (?P<name>[^\n]+)\n.*^totals: (?P<count>\d+)$", re.MULTILINE | re.DOTALL
)


def key() -> dict[str, str]:
    """What the counts depend on besides our code."""
    found = versions()
    return {name: found[name] for name in ("python", "numpy", "scipy", "scikit-learn")}


def unavailable() -> str | None:
    """Why nothing can be counted here, or None."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    if platform.machine() != "x86_64":
        return f"requests to valgrind are written for x86_64, this is {platform.machine()}"
    return None


def count(timeout: float | None = None) -> dict[str, int]:
    """Instructions of each fit."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/counts"]
        command += [sys.executable, "-m", "benchmarks.harness.small_fits"]
        environment = {**os.environ, **DETERMINISTIC}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=timeout)
        dumps = (path.read_text() for path in sorted(Path(folder).glob("counts.*")))
        matches = [found for found in (COUNT.search(dump) for dump in dumps) if found is not None]
    return {found["name"]: int(found["count"]) for found in matches}


def recorded() -> dict[str, Any]:
    return json.loads(RECORDED.read_text())


def complaints(before: dict[str, int], now: dict[str, int]) -> list[str]:
    """One sentence for each fit that takes more than a tenth more instructions than recorded."""
    return [
        f"{name} takes {now[name]:,} instructions, {now[name] / before[name]:.2f} times the recorded {before[name]:,}."
        for name in before
        if now[name] > ALLOWED * before[name]
    ]


def main(arguments: list[str]) -> int:
    reason = unavailable()
    if reason is not None:
        print(f"Nothing was counted: {reason}.")
        return 0
    counts = count()
    if arguments == ["--record"]:
        RECORDED.write_text(json.dumps({"versions": key(), "instructions": counts}, indent=1) + "\n")
        return 0
    for name, instructions in counts.items():
        print(f"{name}: {instructions:,}, recorded {recorded()['instructions'].get(name, 0):,}")
    worse = complaints(recorded()["instructions"], counts)
    print("\n".join(worse) or "None takes more than a tenth more than recorded.")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
