"""Workers may die: the fit goes on, or says in a sentence why it cannot."""

import os
import time

import dask
import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose

from distributed import Client, LocalCluster
from semisvm import QuasiNewtonS3VM
from semisvm.distributed import DaskRows, Distributed
from tests.spaces.test_chunked_fits import D, X, Y


def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(client):
    model = QuasiNewtonS3VM(kernel="linear", tol=1e-5)
    objective, labels = model.fit(X, Y).objective_, model.transduction_
    rows = DaskRows(da.from_array(X, chunks=(100, D)), client)
    assert len(rows) == len(X)
    (holder, *_) = client.who_has(rows.blocks[:1])[rows.blocks[0].key]
    victim = client.run(os.getpid, workers=[holder])[holder]
    iterations, at = [], model._watchers

    def kill(iteration, candidate):
        iterations.append(iteration)
        if iteration == 5:
            os.kill(victim, 9)

    model._watchers = lambda problem, training: [kill, *at(problem, training)]
    model.fit(rows, Y)
    assert max(iterations) > 5
    assert_allclose(model.objective_, objective, rtol=1e-6)
    assert np.mean(model.transduction_ == labels) >= 0.999
    client.wait_for_workers(2, timeout=400)
    assert victim not in client.run(os.getpid).values()


def _hoard(block):
    """Takes more memory than the worker may have, and holds it until somebody ends the worker."""
    hoard = np.ones(100_000_000)
    for _ in range(3000):
        time.sleep(0.1)
    return block + 0 * hoard[0]


def test_a_worker_out_of_memory_is_told_of_in_a_sentence():
    rows = da.from_array(X, chunks=(300, D)).map_blocks(_hoard, dtype=X.dtype, meta=np.empty((0, 0)))
    strict = {"distributed.scheduler.allowed-failures": 0, "distributed.comm.timeouts.connect": "60s"}
    with (
        dask.config.set(strict),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit="700MB") as cluster,
        Client(cluster, set_as_default=False) as small,
        pytest.raises(MemoryError, match="most likely out of memory: use smaller blocks, or workers with more") as told,
    ):
        Distributed(QuasiNewtonS3VM(kernel="linear"), small).fit(rows, Y)
    assert "with a memory limit of 700,000,000 bytes" in str(told.value)
    assert "\n" not in str(told.value)
