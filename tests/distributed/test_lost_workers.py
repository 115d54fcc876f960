"""Workers may die: the fit goes on, or says in a sentence why it cannot."""

import os
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from distributed import Client, LocalCluster
from semisvm import AnnealingS3VM, LabelSwitchingS3VM, QuasiNewtonS3VM, SupervisedRLS
from semisvm.distributed import DaskRows, Distributed
from tests.spaces.test_chunked_fits import D, X, Y


@pytest.mark.parametrize(
    "model",
    [
        QuasiNewtonS3VM(kernel="linear", tol=1e-5),
        AnnealingS3VM(kernel="linear", tol=1e-5, cooling=3.0),
        LabelSwitchingS3VM(kernel="linear", tol=1e-7, n_switches="all", n_stages=4),
        SupervisedRLS(n_components=25, random_state=0, tol=1e-10),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(client, model):
    model = clone(model)
    objective, labels = model.fit(X, Y).objective_, model.transduction_
    rows = DaskRows(da.from_array(X, chunks=(100, D)), client)
    assert len(rows) == len(X)
    (holder, *_) = client.who_has(rows.blocks[:1])[rows.blocks[0].key]
    victim = client.run(os.getpid, workers=[holder])[holder]
    iterations, at, early = [], model._watchers, min(5, model.n_iter_ - 1)

    def kill(iteration, candidate):
        iterations.append(iteration)
        if iteration == early:
            os.kill(victim, 9)

    model._watchers = lambda problem, training: [kill, *at(problem, training)]
    model.fit(rows, Y)
    assert max(iterations) > early
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


def test_a_worker_out_of_memory_is_reported_in_a_sentence():
    rows = da.from_array(X, chunks=(300, D)).map_blocks(_hoard, dtype=X.dtype, meta=np.empty((0, 0)))
    strict = {"distributed.scheduler.allowed-failures": 0, "distributed.comm.timeouts.connect": "60s"}
    with (
        dask.config.set(strict),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit="700MB") as cluster,
        Client(cluster, set_as_default=False) as small,
        pytest.raises(
            MemoryError, match="most likely out of memory: use smaller blocks, or workers with more"
        ) as shown,
    ):
        Distributed(QuasiNewtonS3VM(kernel="linear"), small).fit(rows, Y)
    assert "with a memory limit of 700,000,000 bytes" in str(shown.value)
    assert "\n" not in str(shown.value)


LOST = r"^The connection to the scheduler .* was lost: connect [^\n]*$"


@pytest.fixture
def fragile():
    """A cluster whose scheduler may be closed, and a client of it."""
    quick = {"distributed.comm.timeouts.connect": "2s", "distributed.comm.retry.count": 0}
    with dask.config.set(quick):
        cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None)
        client = Client(cluster, set_as_default=False)
        yield cluster, client
        client.close(timeout=1)
        cluster.close(timeout=5)


@pytest.mark.parametrize(
    ("model", "iteration"),
    [
        (QuasiNewtonS3VM(kernel="linear"), 1),
        (QuasiNewtonS3VM(kernel="linear"), 5),
        (AnnealingS3VM(kernel="linear"), 3),
        (LabelSwitchingS3VM(kernel="linear"), 1),
    ],
    ids=lambda value: str(value),
)
def test_a_lost_scheduler_is_reported_in_a_sentence(fragile, model, iteration):
    (cluster, client), model = fragile, clone(model)

    def lose(at, candidate):
        if at == iteration:
            cluster.sync(cluster.scheduler.close)

    model._watchers = lambda problem, training: [lose]
    rows = DaskRows(da.from_array(X, chunks=(100, D)), client)
    with pytest.raises(ConnectionError, match=LOST):
        model.fit(rows, Y)
    assert not hasattr(model, "classes_")


def test_a_scheduler_lost_while_results_are_awaited_is_reported_in_a_sentence(fragile):
    cluster, client = fragile
    rows = DaskRows(da.from_array(X, chunks=(100, D)), client)
    futures = rows.run_all([(time.sleep, 3.0)])
    closing = threading.Timer(0.3, cluster.sync, [cluster.scheduler.close])
    closing.start()
    with pytest.raises(ConnectionError, match=LOST):
        rows.results(futures)
    closing.join()
