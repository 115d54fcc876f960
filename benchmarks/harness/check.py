"""`python -m benchmarks.harness.check new.json`: ratios of a new run beside the recorded ones; 25 % more is reported.

It only warns: ratios of loaded machines waver. Exits 0 whatever it finds, 1 where there is nothing to compare.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.harness.figure import Figure

RECORDED = Path(__file__).parent.parent / "recorded.json"
WORSE = 1.25


def figures_of(record: dict[str, Any]) -> dict[str, Figure]:
    found = (Figure.of_dict(figure) for figure in record["figures"])
    return {f"{figure.key} | {figure.threads}": figure for figure in found}


def worsening(before: Figure, after: Figure) -> float:
    """How many times worse: above 1 is slower."""
    return before.value / after.value if after.at_least else after.value / before.value


def warnings_of(recorded: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """One sentence for each figure that got worse, or that is not recorded."""
    known, said = figures_of(recorded), []
    for key, after in figures_of(new).items():
        before = known.get(key)
        if before is None:
            said.append(f"{after.task}, {after.method}: not recorded yet.")
        elif worsening(before, after) > WORSE:
            said.append(
                f"{after.task}, {after.method}: {after.value:.2f} {after.unit}, recorded {before.value:.2f}, "
                f"{worsening(before, after):.2f} times worse."
            )
    return said


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not RECORDED.exists():
        print(f"Give one file of figures to hold against {RECORDED.name}.", file=sys.stderr)
        return 1
    recorded, new = (json.loads(path.read_text()) for path in (RECORDED, Path(arguments[0])))
    said = warnings_of(recorded, new)
    for sentence in said:
        print(f"Warning: {sentence}")
    print(f"{len(new['figures'])} figures compared with commit {recorded['machine']['commit']}, {len(said)} warnings.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
