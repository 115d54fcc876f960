"""Run every benchmark of this folder, or those named: `python -m benchmarks [names] [--draws n] [--json out]`.

Each file yields figures from `figures()`; they end in one table, and in a JSON file where one is asked for.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

PINNED = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
BENCHMARKS = (
    "kernel",
    "landmarks",
    "digits",
    "sparse_text",
    "supervised",
    "prediction",
    "long_text",
    "refit",
    "growth",
    "limits",
)
"""In one table, in this order."""
IN_DETAIL = (
    "all_digits",
    "all_rows",
    "cccp",
    "combinatorial",
    "continuous",
    "gram",
    "hinge_qp",
    "hinge_svm",
    "label_command",
    "laplacian",
    "linear_text",
    "mean",
    "profiles",
)
"""More about single methods: they print what they measure, and run when named."""


def measure(wanted: list[str], kept: Path | None) -> dict[str, Any]:
    """The figures of these benchmarks; the file is written after each of them, so that a run cut short is not lost."""
    from benchmarks.harness.contest import limit_draws
    from benchmarks.harness.machine import description, load

    record: dict[str, Any] = {"machine": {**description(), "draws": limit_draws()}, "figures": []}
    begin = time.perf_counter()
    for name in wanted:
        print(f"== {name}", file=sys.stderr, flush=True)
        for figure in importlib.import_module(f"benchmarks.{name}").figures():
            record["figures"].append(replace(figure, benchmark=name).as_dict())
        record["machine"]["minutes"] = round((time.perf_counter() - begin) / 60, 1)
        record["machine"]["load_after"] = load()
        if kept is not None:
            kept.write_text(json.dumps(record, indent=1) + "\n")
    return record


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="benchmarks to run; all those of the table where none is named")
    parser.add_argument("--draws", type=int, help="at most so many draws of every task, for a quick look")
    parser.add_argument("--base", help="the Python of another build, whose fits are the unit of `refit`")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args(arguments)
    known = (*BENCHMARKS, *IN_DETAIL)
    strangers = [name for name in given.names if name not in known]
    if strangers:
        print(f"There is no benchmark {strangers[0]!r}; there are {', '.join(known)}.", file=sys.stderr)
        return 1
    for name in given.names:
        if name in IN_DETAIL:
            importlib.import_module(f"benchmarks.{name}").main()
    from benchmarks.harness.contest import MOST_DRAWS
    from benchmarks.harness.figure import Figure
    from benchmarks.harness.table import plain, summary

    wanted = [name for name in BENCHMARKS if name in given.names or not given.names]
    if not wanted:
        return 0
    if given.draws is not None:
        os.environ[MOST_DRAWS] = str(given.draws)
    if given.base is not None:
        from benchmarks.refit import BASE

        os.environ[BASE] = given.base
    record = measure(wanted, given.json)
    figures = [Figure.of_dict(figure) for figure in record["figures"]]
    machine = record["machine"]
    print(plain(figures))
    print(summary(figures))
    print(
        f"{machine['cores']} cores, {machine['processor']}; load {machine['load_before']} before, "
        f"{machine['load_after']} after; {machine['minutes']} minutes; commit {machine['commit']}"
    )
    return 0


if __name__ == "__main__":
    for variable in PINNED:
        # read when BLAS is loaded; two-thread figures raise it again for themselves
        os.environ.setdefault(variable, str(min(2, os.cpu_count() or 1)))
    sys.exit(main(sys.argv[1:]))
