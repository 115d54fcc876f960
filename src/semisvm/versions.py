"""What is installed, for bug reports."""

import importlib
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

CORE = ("semisvm", "numpy", "scipy", "scikit-learn", "threadpoolctl")
OPTIONAL = (
    *("typer", "rich", "skops", "pandas", "pyarrow", "matplotlib"),
    *("cvxpy", "clarabel", "scs", "dask", "pynndescent"),
)


def installed_versions() -> dict[str, str | None]:
    """Version of each package that semisvm uses or can use; None where it is not installed."""
    found: dict[str, str | None] = {}
    for name in CORE + OPTIONAL:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def show_versions() -> None:
    """Print system, packages and BLAS threads, to go with a bug report."""
    info = importlib.import_module("threadpoolctl").threadpool_info()
    print(f"python       {sys.version.split()[0]} on {platform.platform()}")
    for name, number in installed_versions().items():
        print(f"{name:12} {number or 'not installed'}")
    for pool in info:
        print(f"{pool['user_api']:12} {pool['internal_api']} {pool['version']}, {pool['num_threads']} threads")
