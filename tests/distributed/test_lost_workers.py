"""Workers may die: the fit goes on, or says in a sentence why it cannot."""

import os
import threading

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm import QuasiNewtonS3VM
from tests.spaces.test_chunked_fits import D, X, Y


def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(client):
    model = QuasiNewtonS3VM(kernel="linear", tol=1e-7)
    objective, labels = model.fit(X, Y).objective_, model.transduction_
    victim = next(iter(client.run(os.getpid).values()))
    iterations, at = [], model._watchers

    def kill(iteration, candidate):
        iterations.append(iteration)
        if iteration == 5:
            os.kill(victim, 9)

    model._watchers = lambda problem, training: [kill, *at(problem, training)]
    model.fit(da.from_array(X, chunks=(100, D)), Y)
    assert max(iterations) > 5
    assert_allclose(model.objective_, objective, rtol=1e-6)
    assert np.mean(model.transduction_ == labels) >= 0.999
    client.wait_for_workers(2, timeout=120)


def _too_much(block):
    """Stands in for a block that exhausts the memory of whatever worker it comes to: the process is gone."""
    if threading.main_thread() is not threading.current_thread():
        os._exit(1)
    return block


def test_workers_out_of_memory_are_told_of_in_a_sentence(client, monkeypatch):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)  # one worker lost is enough
    rows = da.from_array(X, chunks=(300, D)).map_blocks(_too_much, dtype=X.dtype, meta=np.empty((0, 0)))
    with pytest.raises(MemoryError, match="most likely out of memory: use smaller blocks, or workers with more memory"):
        QuasiNewtonS3VM(kernel="linear").fit(rows, Y)
    client.wait_for_workers(2, timeout=120)
