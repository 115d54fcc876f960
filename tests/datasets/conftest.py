"""Tests marked `data` need the data folder; they are skipped, with a reason, where it is not named."""

import os

import pytest


def pytest_runtest_setup(item):
    if item.get_closest_marker("data") and not os.environ.get("SEMISVM_DATA"):
        pytest.skip("SEMISVM_DATA names no data folder")
