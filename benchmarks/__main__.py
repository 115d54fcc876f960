"""Run every benchmark of this folder, or those named on the command line."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

NOT_BENCHMARKS = {"__main__", "stopwatch"}


def names() -> list[str]:
    return [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name not in NOT_BENCHMARKS]


def main(wanted: list[str]) -> int:
    known = names()
    strangers = [name for name in wanted if name not in known]
    if strangers:
        print(f"There is no benchmark {strangers[0]!r}; there are {', '.join(known)}.", file=sys.stderr)
        return 1
    for name in wanted or known:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
