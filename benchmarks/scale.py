"""Rows beyond memory: passes, time and peak memory of fits from disk, their growth, and Dask beside them.

    python -m benchmarks.scale [--folder DIR] [--rows 10000000] [--quick]

Every fit runs in a process of its own, whose peak resident memory (`VmHWM`: everything it holds, the mapped pages of
the file it is reading included, the page cache of the system not) is what is reported. A pass is counted when as many
chunks were loaded as the file has. The files are written below --folder and deleted at the end.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COLUMNS = 100
LABELED = 1000
GIB = 2.0**30
DASK_BLOCK_BYTES = 128 * 2**20


# ---------------------------------------------------------------- data


def write_rows(path: Path, n: int, d: int) -> None:
    """Two Gaussian classes, in float32, 100,000 rows at a time; row i is of class i mod 2."""
    header = {"descr": "<f4", "fortran_order": False, "shape": (n, d)}
    center = np.linspace(1.0, 0.0, d, dtype=np.float32) * np.float32(2.0 / np.sqrt(d / 3))
    step = 100_000
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, n, step):
            random = np.random.default_rng(start)
            stop = min(n, start + step)
            sides = (2 * (np.arange(start, stop) % 2) - 1).astype(np.float32)[:, None]
            rows = random.standard_normal((stop - start, d), dtype=np.float32) + sides * center
            rows /= np.float32(np.sqrt(d))
            rows.tofile(file)


def some_labels(n: int) -> np.ndarray:
    y = np.full(n, -1)
    labeled = np.linspace(0, n - 1, LABELED, dtype=int)
    y[labeled] = labeled % 2
    return y


# ---------------------------------------------------------------- one fit, in a process of its own


def fit_chunks(path: str, n_components: int | None, max_iter: int) -> dict:
    from semisvm import QuasiNewtonS3VM, chunked
    from semisvm.spaces.chunked.files import FileRows

    loads, load = [0], FileRows.load

    def counted(self: FileRows, chunk: int) -> np.ndarray:
        loads[0] += 1
        return load(self, chunk)

    FileRows.load = counted  # type: ignore[method-assign]
    rows = chunked(path)
    kernel = "linear" if n_components is None else "rbf"
    model = QuasiNewtonS3VM(kernel=kernel, n_components=n_components, max_iter=max_iter, random_state=0)
    y = some_labels(len(rows))
    began, cpu = time.perf_counter(), time.process_time()
    model.fit(rows, y)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    right = np.mean(model.transduction_ == np.arange(len(rows)) % 2)
    passes = loads[0] / rows.layout.n_chunks
    objective = float(model.objective_[0])
    return {"seconds": seconds, "cpu": cpu, "passes": passes, "right": float(right), "objective": objective}


def passes_beside_gemv(path: str, repeats: int) -> dict:
    """One evaluation against reading the file and one product X w in NumPy, interleaved; the best of each."""
    from semisvm import chunked
    from semisvm.losses import Gaussian, ModifiedLogistic
    from semisvm.objective import Problem

    rows = chunked(path)
    n, d = rows.shape
    y = some_labels(n)
    signs = np.where(y < 0, 0.0, 2.0 * y - 1.0)[:, None]
    weights = np.where(y < 0, LABELED / n, 1.0)[:, None]
    labeled, unlabeled = np.flatnonzero(y >= 0), np.flatnonzero(y < 0)
    problem = Problem(rows.linear(), signs, labeled, unlabeled, ModifiedLogistic(20.0), Gaussian(3.0), weights)
    theta, bias = np.random.default_rng(0).standard_normal((d, 1)), np.zeros(1)
    single = theta[:, 0].astype(np.float32)
    times: dict[str, list[float]] = {"pass": [], "read": [], "gemv": []}
    for _ in range(repeats):
        began = time.perf_counter()
        problem.objective().at(theta, bias)
        times["pass"].append(time.perf_counter() - began)
        read, gemv = read_and_multiply(path, n, d, single)
        times["read"].append(read)
        times["gemv"].append(gemv)
    return {name: min(taken) for name, taken in times.items()}


def read_and_multiply(path: str, n: int, d: int, w: np.ndarray) -> tuple[float, float]:
    """Seconds of reading the file block by block into one buffer, and of X w on each block by NumPy's BLAS."""
    step = max(1, 32 * 2**20 // (4 * d))
    buffer, outputs = np.empty((step, d), dtype=np.float32), np.empty(n, dtype=np.float32)
    read = gemv = 0.0
    offset = np.load(path, mmap_mode="r").offset
    with open(path, "rb", buffering=0) as file:
        file.seek(offset)
        for start in range(0, n, step):
            rows = min(step, n - start)
            began = time.perf_counter()
            file.readinto(memoryview(buffer[:rows]).cast("B"))
            between = time.perf_counter()
            np.matmul(buffer[:rows], w, out=outputs[start : start + rows])
            gemv += time.perf_counter() - between
            read += between - began
    return read, gemv


def fit_dask(path: str, max_iter: int) -> dict:
    """The fit on two workers of one thread each, the blocks loaded from the same file."""
    import dask
    import dask.array as da

    from distributed import Client, LocalCluster
    from semisvm import QuasiNewtonS3VM
    from semisvm.distributed import DaskRows

    n, d = np.load(path, mmap_mode="r").shape
    # blocks of the size that Dask itself cuts arrays into, two for every worker at least
    step = min(DASK_BLOCK_BYTES // (4 * d), -(-n // 4))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        parts = [
            da.from_delayed(dask.delayed(read_part)(path, i, min(n, i + step)), (min(n, i + step) - i, d), np.float32)
            for i in range(0, n, step)
        ]
        rows = DaskRows(da.concatenate(parts), client)
        model = QuasiNewtonS3VM(kernel="linear", max_iter=max_iter, random_state=0)
        y, began = some_labels(n), time.perf_counter()
        len(rows)
        arrived, cpu = time.perf_counter() - began, time.process_time() + sum(client.run(time.process_time).values())
        began = time.perf_counter()
        model.fit(rows, y)
        seconds = time.perf_counter() - began
        cpu = time.process_time() + sum(client.run(time.process_time).values()) - cpu
    objective = float(model.objective_[0])
    return {"seconds": seconds, "cpu": cpu, "arrival": arrived, "objective": objective, "n_iter": model.n_iter_}


def read_part(path: str, start: int, stop: int) -> np.ndarray:
    return np.array(np.load(path, mmap_mode="r")[start:stop])


TASKS = {"fit_chunks": fit_chunks, "passes_beside_gemv": passes_beside_gemv, "fit_dask": fit_dask}


def peak_memory() -> int:
    """Bytes that this process held at most. `ru_maxrss` would not do: it begins with what the parent held."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "VmHWM":
            return int(value.split()[0]) * 1024
    raise RuntimeError("/proc/self/status has no VmHWM: peak memory is measured on Linux only.")


def apart(task: str, *arguments: object) -> dict:
    """The task in a fresh process, with its peak memory."""
    command = [sys.executable, "-m", "benchmarks.scale", "--task", task, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{task}{arguments} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


# ---------------------------------------------------------------- the report


def report(folder: Path, largest: int, *, quick: bool) -> None:
    sizes = [largest // 100, largest // 10, largest]
    paths = {n: folder / f"rows_{n}.npy" for n in sizes}
    began = time.perf_counter()
    for n, path in paths.items():
        write_rows(path, n, COLUMNS)
    print(f"written: {sum(p.stat().st_size for p in paths.values()) / 1e9:.1f} GB, {time.perf_counter() - began:.0f} s")
    _growth({n: str(path) for n, path in paths.items()})
    _pass_ratio(str(paths[largest]), 2 if quick else 3)
    _dask_ratio(str(paths[sizes[1]]), 1 if quick else 3)
    for path in paths.values():
        path.unlink()
    _landmarks(folder, largest // (100 if quick else 10), 6)


def _growth(paths: dict[int, str]) -> None:
    found = {}
    for n, path in paths.items():
        found[n] = one = apart("fit_chunks", path, None, 10_000)
        print(
            f"chunks, {n:>10,} x {COLUMNS}: {one['seconds']:7.1f} s, {one['passes']:5.1f} passes (bar: below 40), "
            f"{one['seconds'] / one['passes']:.3f} s per pass, peak {one['peak'] / GIB:.2f} GiB (bar: below 3), "
            f"{one['right']:.1%} of labels right",
            flush=True,
        )
    smallest, largest = min(found), max(found)
    for what, of in (("a fit", "seconds"), ("a pass", "seconds"), ("the processor time of a fit", "cpu")):
        a, b = (one[of] / (one["passes"] if what == "a pass" else 1) for one in (found[smallest], found[largest]))
        exponent = np.log(b / a) / np.log(largest / smallest)
        between = f"from {smallest:,} to {largest:,} rows"
        print(f"growth of {what} {between}: exponent {exponent:.2f} (bar: 1.05)", flush=True)


def _pass_ratio(path: str, repeats: int) -> None:
    one = apart("passes_beside_gemv", path, repeats)
    bar = one["read"] + one["gemv"]
    print(
        f"one evaluation {one['pass']:.2f} s; reading {one['read']:.2f} s + GEMV {one['gemv']:.2f} s: "
        f"ratio {one['pass'] / bar:.2f} (bar: 1.5); best of {repeats}",
        flush=True,
    )


def _dask_ratio(path: str, repeats: int) -> None:
    """Both fits in turns; the best of each."""
    runs = [(apart("fit_chunks", path, None, 10_000), apart("fit_dask", path, 10_000)) for _ in range(repeats)]
    chunks, there = ({of: min(one[side][of] for one in runs) for of in ("seconds", "cpu")} for side in (0, 1))
    one = runs[0][1]
    print(
        f"Dask, two workers: {there['seconds']:.1f} s after the blocks have arrived, {one['n_iter']} iterations; "
        f"chunks {chunks['seconds']:.1f} s: ratio {there['seconds'] / chunks['seconds']:.2f} (bar: 1.5); best of "
        f"{repeats}; processor time, client and workers: {there['cpu']:.1f} s, chunks {chunks['cpu']:.1f} s, ratio "
        f"{there['cpu'] / chunks['cpu']:.2f}; objectives {one['objective']:.10g} and {runs[0][0]['objective']:.10g}",
        flush=True,
    )


def _landmarks(folder: Path, n: int, max_iter: int) -> None:
    path = folder / "landmarks.npy"
    write_rows(path, n, 300)
    one = apart("fit_chunks", str(path), 1000, max_iter)
    path.unlink()
    print(
        f"landmarks, {n:,} x 300 with 1,000: {one['passes']:.1f} passes ({max_iter} iterations) in "
        f"{one['seconds']:.0f} s, {one['seconds'] / one['passes']:.1f} s per pass, peak {one['peak'] / GIB:.2f} GiB "
        f"(bar: below 3), {one['right']:.1%} of labels right",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, help="where the files go; a temporary folder by default")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the largest file")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, and landmarks on a tenth of the rows")
    parser.add_argument("--task", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        found = TASKS[given.task[0]](*json.loads(given.task[1]))
        found["peak"] = peak_memory()
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory(dir=given.folder, prefix="semisvm-scale-") as folder:
        needed, free = int(1.2 * 4.5 * COLUMNS * given.rows), shutil.disk_usage(folder).free
        if needed > free:
            sys.exit(f"{folder} has {free / 1e9:.0f} GB free and {needed / 1e9:.0f} GB are needed: choose --folder.")
        report(Path(folder), given.rows, quick=given.quick)


if __name__ == "__main__":
    main()
