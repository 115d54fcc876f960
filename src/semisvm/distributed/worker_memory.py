"""Memory that a worker has freed stays with it for the next pass.

A nanny of Dask starts its workers with `MALLOC_TRIM_THRESHOLD_`, so that the C library returns freed memory at once. A
pass makes the same small arrays for every few thousand rows and would get new pages for each of them, which takes as
long as its arithmetic. `mallopt` has no scope but the process, so the setting holds for the whole worker: up to
64 MB that its tasks have freed stay with it. It is made in workers of a nanny alone, never in a process of the user.
"""

import ctypes
import os
import sys
from functools import cache

KEPT = 64 * 2**20
"""Bytes that may stay unused at the top of a heap; glibc's own largest value."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
SET_BY_NANNY = "MALLOC_TRIM_THRESHOLD_"


@cache
def keep_freed_memory() -> None:
    """Once per process; nothing without a nanny, or where the C library is not glibc."""
    if SET_BY_NANNY not in os.environ or not sys.platform.startswith("linux"):
        return
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    set_option(M_TRIM_THRESHOLD, KEPT)
    set_option(M_MMAP_THRESHOLD, KEPT // 2)
