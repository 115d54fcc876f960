"""Which code made a record: the commit of the working tree, and the versions of what it ran on."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_info

from semisvm.memory import available_bytes
from semisvm.versions import CORE, installed_versions

KERNELS = "blas"
"""The name of the kernels among the versions."""
LINEAR_ALGEBRA = ("numpy", "scipy.linalg")


@cache
def commit() -> str | None:
    """The commit this package is a part of, `+` marks uncommitted changes; None for an installed copy.

    `SEMISVM_COMMIT` names the commit of an installed copy.
    """
    if given := os.environ.get("SEMISVM_COMMIT"):
        return given
    folder = Path(__file__).parent
    if _git(folder, "ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None
    head = _git(folder, "rev-parse", "--short=12", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "..")
    return f"{head}+" if head and changed else head


@cache
def versions() -> dict[str, str]:
    """The versions of Python and the numerical packages, and the kernels of BLAS that fit this processor."""
    found = installed_versions()
    packages = {name: found[name] or "source tree" for name in CORE}
    return {"python": platform.python_version(), **packages, KERNELS: kernels()}


@cache
def kernels() -> str:
    """Such as "openblas Haswell": matrix products of other kernels round otherwise.

    Packages that bring a BLAS of their own do not count, for they are not in every process.
    """
    for name in LINEAR_ALGEBRA:
        import_module(name)  # loads the BLAS that is asked about
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    # as in site-packages/scipy.libs, or scipy/.dylibs; elsewhere all packages share one
    bundled = [pool for pool in pools if {"numpy", "scipy"} & set(pool["filepath"].replace(".libs", "").split(os.sep))]
    found = {f"{pool['internal_api']} {pool.get('architecture') or 'unknown'}" for pool in bundled or pools}
    return ", ".join(sorted(found))


@cache
def machine() -> dict[str, float]:
    """Its size: cores, and memory in GiB."""
    return {"cores": os.cpu_count() or 1, "GiB": round(_memory_bytes() / 2**30, 1)}


def _memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return available_bytes()


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
