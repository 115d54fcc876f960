"""
More rows than memory: chunks of a file, and Dask
=================================================

The objective is a sum over rows, so rows may come in chunks: from a file, or from the workers of a Dask cluster. The
optimum is the same one; what changes is the memory it takes.
"""

# %%
# 50,000 rows of 100 numbers in a file, 50 of them with a label.

import tempfile
import tracemalloc
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from distributed import Client, LocalCluster
from semisvm import QuasiNewtonS3VM, chunked
from semisvm.distributed import Distributed

rng = np.random.default_rng(0)
n, d = 50_000, 100
truth = rng.integers(0, 2, n)
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "rows.npy"
np.save(path, (rng.normal(size=(n, d)) + 0.25 * (2 * truth[:, None] - 1)).astype(np.float32))
labels = np.where(np.arange(n) < 50, truth, -1)


def fitted(rows):
    """(a model, the most memory that Python and NumPy held during the fit, in MB)."""
    tracemalloc.start()
    model = QuasiNewtonS3VM(kernel="linear").fit(rows(), labels)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return model, peak


# %%
# The same estimator on an array, on chunks of the file, and on a cluster of two workers.


def part(block_info=None):
    """The rows of one block, read by the worker that asks for them."""
    first, last = block_info[None]["array-location"][0]
    return np.load(path, mmap_mode="r")[first:last]


in_memory, all_rows = fitted(lambda: np.load(path))
in_chunks, few_rows = fitted(lambda: chunked(path, chunk_rows=5_000))
with (
    LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
    Client(cluster) as client,
):
    blocks = da.map_blocks(part, chunks=((n // 4,) * 4, (d,)), dtype=np.float32, meta=np.empty((0, 0), np.float32))
    on_dask = Distributed(QuasiNewtonS3VM(kernel="linear"), client).fit(blocks, labels).to_local()
for where, model in {"in memory": in_memory, "in chunks": in_chunks, "on Dask": on_dask}.items():
    guesses = model.predict(np.load(path))
    print(f"{where}: objective {model.objective_[0]:.8f}, {np.mean(guesses != truth):.2%} of the rows wrong")

# %%
# Memory of the fit.

figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
bars = ax.barh(["chunks of 5,000 rows", "array in memory"], [few_rows, all_rows], color=["C1", "0.6"])
ax.bar_label(bars, fmt="%.0f MB", padding=4)
ax.set(xlabel="memory of the fit, MB", title="50,000 rows, the same optimum", xlim=(0, 1.2 * all_rows))
plt.show()
folder.cleanup()
