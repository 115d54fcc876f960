"""Freed memory stays with workers that a nanny started, and the process of a user is left as it is."""

import ctypes
import sys
from types import SimpleNamespace

import pytest

from semisvm.distributed import worker_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mallopt is glibc's")
@pytest.mark.parametrize("nanny", [True, False])
def test_only_workers_of_a_nanny_keep_freed_memory(monkeypatch, nanny):
    calls = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(mallopt=lambda *given: calls.append(given)))
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    if nanny:
        monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    worker_memory.keep_freed_memory.__wrapped__()
    assert calls == ([(-1, 64 * 2**20), (-3, 32 * 2**20)] if nanny else [])
