"""`semisvm demo --all-methods` and `semisvm bench`."""

import json
import warnings

import pytest
from typer.testing import CliRunner

import semisvm
from semisvm import cli
from semisvm.cli import all_methods
from semisvm_papers.bench import source_tree

from .papers import toys


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Calls the command with empty data and cache folders."""
    monkeypatch.setenv("SEMISVM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SEMISVM_CACHE", str(tmp_path / "cache"))
    application = cli.application()
    return lambda *words: CliRunner().invoke(application, list(words))


class Sulking(toys.Nearest):
    def __init__(self, random_state=None, time_limit=None):
        super().__init__(random_state=random_state)
        self.time_limit = time_limit

    def fit(self, X, y):
        raise ArithmeticError("not today")


def test_bench_runs_the_benchmarks_of_the_source_tree(call, monkeypatch, tmp_path, capfd):
    (tmp_path / "src" / "semisvm").mkdir(parents=True)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__main__.py").write_text(
        "import sys, pathlib\nwords = sys.argv[1:]\nif '--json' in words:\n"
        "    pathlib.Path(words[-1]).write_text('{\"figures\": []}\\n')\n"
        "print(*words)\nsys.exit('bad' in words)\n"
    )
    monkeypatch.chdir(tmp_path / "src")
    assert call("bench", "one", "two").exit_code == 0
    assert capfd.readouterr().out == "one two\n"
    assert json.loads(call("bench", "--json").stdout) == {"figures": []}
    assert call("bench", "bad").exit_code == 1


def test_bench_says_what_it_needs(tmp_path):
    with pytest.raises(FileNotFoundError) as refused:
        source_tree(tmp_path)
    assert str(refused.value) == (
        f"There are no benchmarks in {tmp_path} nor above it: they are part of the source tree, not of the installed "
        "package, so run this in a copy of the source tree."
    )


class Warned(Sulking):
    def fit(self, X, y):
        warnings.warn("out of time")
        return toys.Nearest.fit(self, X, y)


@pytest.fixture
def patient(monkeypatch):
    """A demonstration that ends by itself, however slow the machine is."""
    monkeypatch.setattr(all_methods, "DEMO_SECONDS", 1e9)


def test_demo_shows_every_method_and_survives_a_failing_one(call, patient, monkeypatch):
    monkeypatch.setattr(semisvm, "Sulking", Sulking, raising=False)
    monkeypatch.setattr(semisvm, "__all__", ["Sulking", "SupervisedSVM"])
    result = call("demo", "--all-methods")
    assert result.exit_code == 0
    assert "g50c: 550 rows, 2 classes, 20 labels" in result.stdout
    assert "digits: 600 rows, 10 classes, 20 labels" in result.stdout
    *_, header, baseline, failed = (line.split("\t") for line in result.stdout.splitlines())
    assert header == ["method", "g50c", "seconds", "digits", "seconds"]
    assert baseline[0] == "SupervisedSVM"
    assert 5 < float(baseline[1].rstrip("*")) < 30
    assert 10 < float(baseline[3].rstrip("*")) < 40
    assert failed[:2] == ["Sulking", "failed: not today"]


def test_demo_of_every_method_as_json(call, patient, monkeypatch):
    monkeypatch.setattr(semisvm, "__all__", ["SupervisedSVM"])
    ((method),) = json.loads(call("demo", "--all-methods", "--json").stdout)
    assert method["method"] == "SupervisedSVM"
    assert 5 < method["g50c"]["error_pct"] < 30


def test_demo_explains_its_star(call, monkeypatch):
    monkeypatch.setattr(semisvm, "Warned", Warned, raising=False)
    monkeypatch.setattr(semisvm, "__all__", ["Warned"])
    *_, line, legend = call("demo", "--all-methods").stdout.splitlines()
    assert line.split("\t")[1].endswith("*")
    assert legend.startswith("* with a warning")


def test_demo_leaves_out_what_needs_small_sets():
    names = [name for name, _ in all_methods.demo_methods()]
    assert names[0].startswith("Supervised")
    assert "Graph" not in names
    assert not set(names) & {"BranchAndBoundS3VM", "SDPRelaxationS3VM"}
