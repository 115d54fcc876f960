"""Who may import whom: each layer only what lies below it, so that there is no cycle and no shortcut."""

import ast
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import semisvm

ROOT = Path(semisvm.__file__).parent

# what each layer may import of the package; a layer may always import itself
ALLOWED = {
    "_core": set(),
    "_compat": set(),
    "versions": set(),
    "discovery": set(),
    "memory": set(),
    "losses": set(),
    "tables": {"memory"},
    "geometry": {"memory", "_core"},
    "datasets": {"_compat", "tables"},
    "objective": {"losses", "geometry"},
    "spaces": {"memory", "geometry", "objective", "_core", "_compat"},
    "optim": {"memory", "objective", "_core"},
    "balance": {"objective", "spaces"},
    "schedules": {"losses", "objective", "spaces"},
    "algorithms": {
        "objective", "losses", "optim", "schedules", "balance", "spaces", "_core", "memory", "geometry",
    },
}  # fmt: skip
BELOW_FACES = set(ALLOWED) | {"estimators", "model_selection", "suggest"}
ALLOWED["distributed"] = {"objective", "spaces", "geometry", "memory", "losses"}
ALLOWED["estimators"] = set(ALLOWED) - {"datasets"}
ALLOWED["model_selection"] = ALLOWED["suggest"] = set(ALLOWED) | {"estimators"}
ALLOWED["plots"] = BELOW_FACES
ALLOWED["report"] = BELOW_FACES | {"plots"}
ALLOWED["annotate"] = BELOW_FACES
ALLOWED["cli"] = BELOW_FACES | {"plots", "report", "annotate"}

FILES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


def layer_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def running(node: ast.AST):
    """The node and all below it that are there when the program runs."""
    yield node
    hidden = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    for child in node.orelse if hidden else ast.iter_child_nodes(node):
        yield from running(child)


def imports_of(path: Path) -> set[str]:
    """Layers of the package named in the import statements of a file, wherever they stand.

    What type checkers alone see is left out: a problem names the type of its space, which is made of objectives.
    """
    found = set()
    for node in running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module] if node.module != "semisvm" else [f"semisvm.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        else:
            continue
        assert not any(name.startswith("semisvm_") for name in names), f"{path}: a package that is built on this one"
        found |= {name.split(".")[1] for name in names if name.startswith("semisvm.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_imports_only_what_lies_below(path):
    layer = layer_of(path)
    assert layer in ALLOWED, f"{layer} is a new layer: say in this test what it may import"
    assert imports_of(path) - {layer} <= ALLOWED[layer]


def test_an_objective_is_loaded_without_any_space():
    code = "import sys; import semisvm.objective.row_sums; print(*(m for m in sys.modules if 'semisvm.spaces' in m))"
    assert not subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


PLACES = {
    "remote", "keeps_vectors", "by_rows", "one_pass", "binds_away", "divisible", "at_hand", "away", "fetch_loaded",
    "remote_rows",
}  # fmt: skip
"""Names that ask where the rows are."""


@pytest.mark.parametrize("path", [p for p in FILES if layer_of(p) in {"algorithms", "optim", "schedules", "balance"}],
                         ids=lambda p: str(p.relative_to(ROOT)))  # fmt: skip
def test_where_the_rows_are_is_asked_by_spaces_alone(path):
    names = set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    assert not names & PLACES
    assert not any("chunked" in name for name in names)


def private_names_of_scikit_learn(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn":
            names = [*(node.module or "").split("."), *(a.name for a in node.names)]
            found |= {name for name in names if name.startswith("_")}
    return found


def test_private_names_of_scikit_learn_are_imported_in_one_file_only():
    assert [path.name for path in FILES if private_names_of_scikit_learn(path)] == ["_compat.py"]


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_semisvm_brings_no_package_that_scikit_learn_does_not():
    brought = modules_after("import semisvm") - modules_after("import sklearn.svm")
    assert {name for name in brought if not name.startswith("_")} <= {"semisvm", "threadpoolctl"}


def test_importing_semisvm_is_as_quick_as_importing_scikit_learn():
    def cpu_seconds(statement: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", statement], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    pairs = [(cpu_seconds("import semisvm"), cpu_seconds("import sklearn.svm")) for _ in range(4)]
    assert min(a for a, _ in pairs) < 1.5 * min(b for _, b in pairs)
