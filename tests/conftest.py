import os
import signal
import threading

import numpy as np
import pytest


def pytest_collection_modifyitems(items):
    """Tests marked `data` need the data sets; elsewhere they are skipped, and say so."""
    if os.environ.get("SEMISVM_DATA"):
        return
    skip = pytest.mark.skip(reason="needs the data sets in $SEMISVM_DATA")
    for item in items:
        if "data" in item.keywords:
            item.add_marker(skip)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, also where the tests were started in the background with the signal ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def data_sets_for_marked_tests_alone(request, monkeypatch):
    """A test that needs the data sets is marked so: others do not find them, here as anywhere else."""
    if request.node.get_closest_marker("data") is None:
        monkeypatch.delenv("SEMISVM_DATA", raising=False)


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Calls the command line in an empty folder."""
    from typer.testing import CliRunner

    from semisvm import cli

    monkeypatch.chdir(tmp_path)
    application = cli.application()
    return lambda *words: CliRunner().invoke(application, list(words))
