"""python -m tests.fuzz KIND: see the package's docstring."""

import argparse
import sys
from pathlib import Path

import numpy as np

from tests.fuzz import KINDS
from tests.fuzz.runner import kind_of, run, summary, version


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("--cases", type=int, default=1000, help="seeds first, first + 1, ... so many")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="this one case alone, in this process")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of processor time for a case")
    parser.add_argument("--record", type=Path, help="where results are kept (build/fuzz/KIND.jsonl)")
    given = parser.parse_args()
    kind = kind_of(given.kind)
    if given.seed is not None:
        return _one(kind, given.seed)
    record = given.record or Path("build/fuzz") / f"{given.kind}.jsonl"
    record.parent.mkdir(parents=True, exist_ok=True)
    seeds = range(given.first, given.first + given.cases)
    results = run(kind, seeds, limit=given.limit, record=record)
    findings = [result for result in results if result.finding]
    for result in findings:
        print(f"--- seed {result.seed}\n{result.finding}\n")
    print(f"{given.kind}, version {version()}, seeds {seeds.start} to {seeds.stop - 1}: {summary(results)}")
    return 1 if findings else 0


def _one(kind, seed: int) -> int:
    kind.warm()
    case = kind.draw(np.random.default_rng(seed))
    print(case)
    print(case.check())
    return 0


if __name__ == "__main__":
    sys.exit(main())
