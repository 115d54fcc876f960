"""The available memory, and refusing a matrix that would not fit before it is allocated.

`SEMISVM_MEMORY_LIMIT` (bytes) replaces what the machine reports.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LIMIT_VARIABLE = "SEMISVM_MEMORY_LIMIT"
CHUNK_BYTES = 64 * 2**20  # what a chunked computation takes at a time: beyond the caches, far below any memory


def available_bytes(root: Path = Path("/")) -> int:
    """Bytes that can be taken without swapping: the machine's, or those of the control group where fewer.

    `root` is where `/proc` and `/sys` are looked for.
    """
    limit = os.environ.get(LIMIT_VARIABLE)
    if limit is not None:
        return _bytes_of(limit)
    free = _machine_bytes(root)
    for folder, files in _control_groups(root):
        free = _left_in(folder, files, free)
    return max(0, free)


def demand(n_bytes: int, what: str, instead: str) -> None:
    """Refuse `what` ("The Gram matrix of 200,000 rows") if it would not fit; `instead` says what to do instead."""
    available = available_bytes()
    if n_bytes > available:
        raise MemoryError(f"{what} needs {in_words(n_bytes)} and {in_words(available)} are available: {instead}.")


def chunk_rows(n_columns: int, itemsize: int, budget: int | None = None) -> int:
    """Rows of `n_columns` entries to take at a time so that one chunk stays within `budget` bytes; at least one."""
    if budget is None:
        budget = min(CHUNK_BYTES, available_bytes() // 4)
    return max(1, budget // max(1, n_columns * itemsize))


def in_words(n_bytes: int) -> str:
    """298 GiB, 1.5 MiB, 12 bytes: three digits at most."""
    if n_bytes < 1024:
        return f"{n_bytes} bytes"
    size = float(n_bytes)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        size /= 1024
        if size < 999.5 or unit == "TiB":
            break
    digits = 1 if size < 9.95 and not round(size, 1).is_integer() else 0
    return f"{size:,.{digits}f} {unit}"


def _bytes_of(limit: str) -> int:
    try:
        n_bytes = int(limit)
    except ValueError:
        n_bytes = -1
    if n_bytes < 0:
        raise ValueError(
            f"{LIMIT_VARIABLE} is {limit!r}: give a whole number of bytes, for instance 8589934592 for 8 GiB."
        )
    return n_bytes


def _machine_bytes(root: Path) -> int:
    try:
        for line in (root / "proc/meminfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "MemAvailable":
                return int(value.split()[0]) * 1024
    except OSError:
        pass
    return _physical_bytes()


def _physical_bytes() -> int:
    """Half of the physical memory where the free memory is not known; 4 GiB where that is not known either."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return 4 * 2**30


class _MemoryFiles(NamedTuple):
    """The files of a version of control groups that report memory."""

    home: str
    limit: str
    used: str
    cache: str


_VERSION_1 = _MemoryFiles(
    "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
)
_VERSION_2 = _MemoryFiles("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")


def _control_groups(root: Path) -> Iterator[tuple[str, _MemoryFiles]]:
    """The folder of each control group above this process (version 2, or the memory controller of version 1)."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers != "" and "memory" not in controllers.split(","):
            continue
        files = _VERSION_1 if controllers else _VERSION_2
        folder = os.path.join(root, files.home)
        yield folder, files
        for name in path.split("/"):
            if name:
                folder = os.path.join(folder, name)
                yield folder, files


def _left_in(folder: str, files: _MemoryFiles, free: int) -> int:
    """limit - used + what the kernel gives back at once (`cache`), or `free` where that is less."""
    try:
        limit = _text(folder, files.limit).strip()
        if limit == "max":
            return free
        left = int(limit) - int(_text(folder, files.used))
        if left >= free:
            return free
        counters = dict(line.split() for line in _text(folder, "memory.stat").splitlines())
    except (OSError, ValueError):
        return free
    return min(free, left + int(counters.get(files.cache, 0)))


def _text(folder: str, name: str) -> str:
    with open(os.path.join(folder, name)) as file:
        return file.read()
