"""Where figures were taken: commit, versions, size and load of the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

PACKAGES = ("semisvm", "numpy", "scipy", "scikit-learn", "sslearn")
ROOT = Path(__file__).parent.parent.parent


def commit() -> str:
    """The commit of the working tree, with a mark where files differ from it; "unknown" outside a repository."""
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        changed = subprocess.run(
            ["git", "status", "--porcelain", "src"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip()[:12] + ("+changes" if changed.stdout.strip() else "")


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def load() -> float | None:
    """Processes wanting a core, over the last minute; above the cores less one, other work was running."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def description() -> dict[str, Any]:
    return {
        "commit": commit(),
        "taken": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "cores": os.cpu_count(),
        "processor": _processor(),
        "memory_gib": _memory(),
        "blas": sorted({f"{pool['internal_api']} {pool.get('architecture', '')}" for pool in threadpool_info()}),
        "load_before": load(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError):
        return None
