"""
One fit in memory, in chunks and on a cluster
=============================================

The same estimator and the same data three times: as an array, as a file that is read in chunks, and as a Dask array
whose blocks live in two other processes. The objectives agree to many digits, because the objective is a sum over rows.
"""

import tempfile
from pathlib import Path

import dask.array as da
import numpy as np

from distributed import Client, LocalCluster
from semisvm import QuasiNewtonS3VM, chunked
from semisvm.distributed import Distributed


def three_fits(n: int, d: int, client: Client) -> dict[str, float]:
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, n)
    X = (random.normal(size=(n, d)) + 0.7 * (2 * truth[:, None] - 1)).astype(np.float32)
    y = np.full(n, -1)
    y[:50] = truth[:50]
    model = QuasiNewtonS3VM(kernel="linear")
    objectives = {"in memory": float(model.fit(X, y).objective_[0])}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, X)
        objectives["in chunks"] = float(model.fit(chunked(path, chunk_rows=3000), y).objective_[0])
    there = Distributed(model, client).fit(da.from_array(X, chunks=(n // 4, d)), y)
    objectives["on a cluster"] = float(there.to_local().objective_[0])
    return objectives


if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        for where, objective in three_fits(20_000, 20, client).items():
            print(f"{where:>12}: objective {objective:.10f}")
