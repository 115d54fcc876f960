"""One cluster of two processes for all tests."""

import pytest

pytest.importorskip("distributed", reason="the extra `dask` is not installed")


@pytest.fixture(scope="session")
def client():
    import dask

    from distributed import Client, LocalCluster

    patient = {"distributed.comm.timeouts.connect": "60s", "distributed.scheduler.allowed-failures": 2}
    with (
        dask.config.set(patient),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
        Client(cluster) as client,
    ):
        yield client
