"""`semisvm label` on all of 100,000 rows with 100 labels, beside one `S3VM().fit` on 20,000 rows of the same width.

Two clouds as 50 numeric columns of a CSV file, and as float32 embeddings of 384 numbers, one column of a Parquet file.
The whole command is measured, from the start of Python to the written page; the fit alone, on the numbers. One thread
each, one round. Figures go into docs/large_tables.json and from there into docs/large_tables.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.machine import description, load
from benchmarks.label_command import PAGE, RECORD, ROWS, clouds, kinds, label, write_table

FIT_ROWS = 20_000
BAR_FITS, BAR_MEMORY = 6, 4.29
"""4 GiB in GB."""
FIT = """
import resource, sys, time
import numpy as np
from semisvm import S3VM
held = np.load(sys.argv[1])
X, y = held["X"], held["y"]
work = time.process_time()
S3VM(random_state=0).fit(X, y)
print(time.process_time() - work, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def columns(folder: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    """50 numbers of a row as cells of a CSV file."""
    X, y = clouds()
    write_table(X, y, folder)
    return folder / "table.csv", X, y


def embeddings(folder: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    """384 numbers of a row as one cell of a Parquet file, in single precision."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, y = clouds(384)
    X = X.astype(np.float32)
    ends = np.arange(0, X.size + 1, X.shape[1], dtype=np.int32)
    lists = pa.ListArray.from_arrays(ends, X.ravel())
    pq.write_table(pa.table({"vector": lists, "kind": pa.array(kinds(y), pa.string())}), folder / "table.parquet")
    return folder / "table.parquet", X, y


TABLES = {"50 columns of a CSV file": columns, "384 numbers of a Parquet file": embeddings}


def fit(X: np.ndarray, y: np.ndarray, folder: Path) -> dict[str, float]:
    """Processor seconds and memory of a fit on some of the rows, with all of the labels."""
    known = np.flatnonzero(kinds(y) != None)  # noqa: E711  (element by element)
    others = np.setdiff1d(np.arange(FIT_ROWS), known)[: FIT_ROWS - len(known)]
    rows = np.concatenate([known, others])
    codes = np.where(np.arange(FIT_ROWS) < len(known), y[rows], -1)
    np.savez(folder / "numbers.npz", X=X[rows], y=codes)
    words = [sys.executable, "-c", FIT, str(folder / "numbers.npz")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, memory = (float(one) for one in done.stdout.split())
    return {"fit": seconds, "fit_memory": memory}


def measure() -> Iterator[dict[str, Any]]:
    """The figures, after each of the tables."""
    figures: dict[str, Any] = {"machine": description(), "tables": {}}
    for name, write in TABLES.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            table, X, y = write(folder)
            measured = {**fit(X, y, folder), **label(table)}
            said = (folder / "said.txt").read_text(encoding="utf-8")
            found = re.search(r"trained on ([\d,]+) rows", said)
            if found is None:
                raise RuntimeError(f"semisvm label does not say how many rows it was trained on: {said}")
            figures["tables"][name] = {**measured, "trained": int(found[1].replace(",", ""))}
        figures["machine"]["load_after"] = load()
        yield figures


def as_table(figures: dict[str, Any]) -> str:
    """Markdown: the command in fits, and its memory."""
    lines = [
        f"| {ROWS:,} rows | trained on | fit of {FIT_ROWS:,} rows | `semisvm label` | in fits | memory |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in figures["tables"].items():
        fit, fits = f"{one['fit']:.1f} s, {one['fit_memory']:.2f} GB", f"{one['label'] / one['fit']:.1f}"
        lines.append(
            f"| {name} | {one['trained']:,} rows | {fit} | {one['label']:.1f} s | {fits} (bar {BAR_FITS}) | "
            f"{one['memory']:.2f} GB (bar {BAR_MEMORY}) |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[variable] = "1"
    for figures in measure():
        print(as_table(figures), flush=True)
        record = {**json.loads(RECORD.read_text(encoding="utf-8")), "all_rows": figures}
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(r"\| 100,000 rows \|.*\n(\|.*\n)+", as_table(figures), text), encoding="utf-8")


if __name__ == "__main__":
    main()
