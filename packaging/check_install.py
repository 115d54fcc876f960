"""Check an installed semisvm: `python packaging/check_install.py [--no-compiler]`.

Every compiled module is loaded, every estimator family learns, and fits from several threads agree with fits from one.
Where the command line is installed it labels a table. Nothing of the source tree is used or installed: the published
tables and the benchmarks belong to another package.
"""

import argparse
import importlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, make_blobs

import semisvm

COMPILERS = ("cc", "gcc", "clang", "cl", "c++", "g++")
FAMILIES = (
    *("S3VM", "CCCPS3VM", "QuasiNewtonS3VM", "LabelSwitchingS3VM"),
    *("BranchAndBoundS3VM", "LaplacianSVM", "MeanS3VM"),
)


def check_compiled() -> int:
    """Load every compiled module; the number of them."""
    folder = Path(semisvm.__file__).parent / "_core"
    names = {one.name.split(".")[0] for one in folder.iterdir() if one.name.endswith(tuple(EXTENSION_SUFFIXES))}
    assert names, f"no compiled module in {folder}"
    for name in sorted(names):
        importlib.import_module(f"semisvm._core.{name}")
    return len(names)


def check_contents() -> int:
    """No published tables, benchmarks or tests are installed; the number of lines of Python."""
    installed = [Path(str(one.locate())) for one in files("semisvm") or () if one.suffix == ".py"]
    names = {part for one in files("semisvm") or () for part in one.parts}
    assert not names & {"papers", "semisvm_papers", "benchmarks", "tests"}, f"the source tree was installed: {names}"
    assert installed, "no Python file is installed"
    return sum(len(one.read_text(encoding="utf-8").splitlines()) for one in installed)


def few_labels(n_samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two clouds with three labels each: rows, labels with -1 for the unlabeled rows, all labels."""
    X, y = make_blobs(n_samples, centers=[[-2.0, 0.0], [2.0, 0.0]], random_state=0)
    given = np.full(n_samples, -1)
    for one in (0, 1):
        given[np.flatnonzero(y == one)[:3]] = one
    return X, given, y


def fit(name: str) -> np.ndarray:
    """The labels that an estimator gives to the unlabeled rows."""
    X, given, _ = few_labels(20 if name == "BranchAndBoundS3VM" else 80)
    return getattr(semisvm, name)().fit(X, given).transduction_


def check_fits() -> None:
    """Each family learns, and four threads find what one thread finds."""
    alone = {name: fit(name) for name in FAMILIES}
    for name, labels in alone.items():
        wrong = np.mean(labels != few_labels(len(labels))[2])
        assert wrong < 0.2, f"{name}: {100 * wrong:.0f} % of the rows are wrong"
    with ThreadPoolExecutor(4) as threads:
        for name, labels in zip(FAMILIES * 2, threads.map(fit, FAMILIES * 2), strict=True):
            assert np.array_equal(labels, alone[name]), f"{name}: other labels from a thread"


def check_command() -> None:
    """The command fills the empty cells of a table."""
    frame = load_iris(as_frame=True).frame
    frame["target"] = frame["target"].where(frame.index % 10 == 0)
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "iris.csv"), Path(folder, "filled.csv")
        frame.to_csv(table, index=False)
        command = [sys.executable, "-m", "semisvm.cli", "label", str(table), "--label", "target", "--out", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        assert len(out.read_text(encoding="utf-8").splitlines()) == len(frame) + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-compiler", action="store_true", help="fail where a C compiler is found")
    if parser.parse_args().no_compiler:
        found = [name for name in COMPILERS if shutil.which(name)]
        assert not found, f"compilers are found: {', '.join(found)}"
    source = Path(__file__).parents[1] / "src"
    assert not Path(semisvm.__file__).is_relative_to(source), "this is the source tree, not an installed copy"
    n_lines, n_compiled = check_contents(), check_compiled()
    check_fits()
    with_command = all(find_spec(name) for name in ("typer", "rich", "skops", "pandas", "pyarrow"))
    if with_command:
        check_command()
    lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(
        f"semisvm {semisvm.__version__}, Python {sys.version.split()[0]}: {n_lines:,} lines, "
        f"{n_compiled} compiled modules, {len(FAMILIES)} estimators alone and from 4 threads "
        f"{'with' if lock else 'without'} the interpreter's lock, "
        f"the command line {'labels a table' if with_command else 'is not installed'}"
    )


if __name__ == "__main__":
    main()
