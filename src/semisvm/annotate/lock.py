"""One page at a time for a table: a file that the process locks while it runs.

The operating system releases the lock when the process ends in any way. The number in the file is for people.
"""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Lock:
    """Locked from the start to `release`. Raises an error where another process holds the lock."""

    def __init__(self, path: Path, table: Path):
        self._path = path
        try:
            self._file = open(path, "a+", encoding="utf-8")  # noqa: SIM115  (held open as long as the page runs)
        except OSError as error:
            raise OSError(
                f"{path} cannot be written ({error.strerror}): a folder you may write to is needed."
            ) from error
        try:
            _hold(self._file.fileno())
        except OSError as error:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise OSError(
                f"{table} is open in another page (process {holder}): end that one with Ctrl-C, or go on there."
            ) from error
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        self._file.close()


def _hold(descriptor: int) -> None:
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt  # type: ignore[import-not-found,unused-ignore]

    # a byte far behind the number, so that others can read the number
    os.lseek(descriptor, 2**20, os.SEEK_SET)
    msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
