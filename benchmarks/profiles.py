"""Where the time of a fit goes: every method at 500, 2,000 and 8,000 rows of the g50c generator, RBF and linear.

Run `python -m benchmarks.profiles [rows ...] [--only part-of-a-name] [--markdown]`. One line per fit: seconds of the
processor on one thread, how often a Gram matrix was computed (by the kernel, counted) and the functions that took most
of the time by themselves, from the profiler of the standard library. A second Gram matrix, a copy, or a function of
ours that is neither a product nor compiled code among the first is what to look for.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.kernel import GAMMA, MANIFOLD, C, draw, neighbors
from semisvm import (
    CCCPS3VM,
    AnnealingS3VM,
    ContinuationS3VM,
    GradientS3VM,
    Graph,
    LabelSwitchingS3VM,
    LaplacianSVM,
    MeanS3VM,
    NewtonS3VM,
    QuasiNewtonS3VM,
)
from semisvm.geometry.kernels import ProductKernel

SIZES = (500, 2_000, 8_000)
SHOWN = 3
METHODS: dict[str, tuple[type, dict[str, Any]]] = {
    "gradient": (GradientS3VM, {}),
    "continuation": (ContinuationS3VM, {}),
    "Newton S3VM": (NewtonS3VM, {}),
    "quasi-Newton": (QuasiNewtonS3VM, {}),
    "CCCP, ramp": (CCCPS3VM, {}),
    "CCCP, squared hinge": (CCCPS3VM, {"loss": "squared_hinge"}),
    "means, iter": (MeanS3VM, {}),
    "multi-switch, hinge": (LabelSwitchingS3VM, {"n_switches": "all", "loss": "hinge"}),
    "multi-switch, squared hinge": (LabelSwitchingS3VM, {"n_switches": "all"}),
    "gradient annealing": (AnnealingS3VM, {}),
    "Laplacian SVM, pcg": (LaplacianSVM, {"solver": "pcg"}),
    "Laplacian SVM, newton": (LaplacianSVM, {"solver": "newton"}),
    "Laplacian SVM, dual": (LaplacianSVM, {"solver": "dual"}),
}
KERNELS: dict[str, dict[str, Any]] = {"rbf": {"C": C, "gamma": GAMMA}, "linear": {"C": 0.013, "kernel": "linear"}}


@dataclass(frozen=True)
class Profile:
    method: str
    kernel: str
    n_rows: int
    seconds: float
    n_grams: int
    leading: tuple[tuple[str, float], ...]
    """Functions and their shares, the largest first."""

    @property
    def where(self) -> str:
        return ", ".join(f"{name} {share:.0%}" for name, share in self.leading)


def model_of(method: str, kernel: str, given: Any) -> Any:
    """Laplacian SVMs are given their graph, as in the benchmark of kernel methods."""
    cls, extra = METHODS[method]
    if cls is not LaplacianSVM:
        return cls(**KERNELS[kernel], **extra)
    graph = Graph.from_affinity(given.made["graph"])
    space = {"gamma": GAMMA} if kernel == "rbf" else {"kernel": "linear"}
    return LaplacianSVM(graph=graph, **{**MANIFOLD, **space}, **extra)


def profiled(method: str, kernel: str, given: Any) -> Profile:
    """Seconds of one fit, and the shares of a second one under the profiler."""
    begin = process_time()
    model_of(method, kernel, given).fit(given.X, given.labels)
    seconds, profiler, model = process_time() - begin, cProfile.Profile(process_time), model_of(method, kernel, given)
    profiler.enable()
    model.fit(given.X, given.labels)
    profiler.disable()
    entries: dict[tuple[str, int, str], tuple[int, int, float, float, Any]] = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    whole = sum(own for _, _, own, _, _ in entries.values())
    ranked = sorted(entries.items(), key=lambda entry: -entry[1][2])[:SHOWN]
    leading = tuple((named(*place), numbers[2] / whole) for place, numbers in ranked)
    code = ProductKernel.gram.__code__
    grams = sum(
        numbers[0] for place, numbers in entries.items() if place == (code.co_filename, code.co_firstlineno, "gram")
    )
    return Profile(method, kernel, len(given.X), seconds, grams, leading)


def named(file: str, line: int, name: str) -> str:
    """box_qp.solve, or the name of what is built in."""
    if file == "~":
        return name.replace("<built-in method ", "").replace("<method ", "").split(" of ")[0].strip("<>'")
    return f"{Path(file).stem}.{name}"


def profiles(sizes: list[int], wanted: str = "") -> Iterator[Profile]:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n_rows in sizes:
            given, small = draw(n_rows - 50, 0), draw(200, 99)
            for task in (given, small):
                task.made["graph"] = neighbors(task)
            for kernel in KERNELS:
                for method in METHODS:
                    if wanted in method:
                        # imports of the first use are not what is looked for
                        model_of(method, kernel, small).fit(small.X, small.labels)
                        yield profiled(method, kernel, given)


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profiles", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), help="rows, 50 of them labeled")
    parser.add_argument("--only", default="", help="methods whose name contains this")
    parser.add_argument("--markdown", action="store_true", help="a Markdown table, at the end")
    given = parser.parse_args(list(arguments))
    if given.markdown:
        print(grouped(list(profiles(given.sizes, given.only))))
        return
    for one in profiles(given.sizes, given.only):
        line = f"{one.method:28} {one.kernel:7} {one.n_rows:6,} {one.seconds:8.3f} s {one.n_grams:2}  {one.where}"
        print(line, flush=True)


def grouped(found: list[Profile]) -> str:
    """A Markdown table with one line per method and kernel: seconds at every size, and where they go at the largest."""
    sizes = sorted({one.n_rows for one in found})
    header = ("method", "kernel", *(f"{n:,} rows, s" for n in sizes), "Gram matrices", f"most time at {sizes[-1]:,}")
    lines = [header, ("---",) * len(header)]
    for method, kernel in dict.fromkeys((one.method, one.kernel) for one in found):
        own = {one.n_rows: one for one in found if (one.method, one.kernel) == (method, kernel)}
        seconds = (f"{own[n].seconds:.3f}" for n in sizes)
        lines.append((method, kernel, *seconds, str(own[sizes[-1]].n_grams), own[sizes[-1]].where))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main(sys.argv[1:])
