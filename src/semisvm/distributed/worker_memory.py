"""Memory that a worker has freed stays with it for the next pass.

A nanny of Dask starts its workers so that the C library gives freed memory back at once (`MALLOC_TRIM_THRESHOLD_`). A
pass makes the same small arrays for every few thousand rows, and would be given new pages for each: as much time again
as its arithmetic. So a worker that passes over blocks may keep as much as the C library lets other programs keep.
"""

import ctypes
import sys
from functools import cache

KEPT = 64 * 2**20
"""Bytes that may stay unused at the top of a heap; glibc's own largest value."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3


@cache
def keep_freed_memory() -> None:
    """Once per process; nothing where the C library is not glibc."""
    if not sys.platform.startswith("linux"):
        return
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    set_option(M_TRIM_THRESHOLD, KEPT)
    set_option(M_MMAP_THRESHOLD, KEPT // 2)
