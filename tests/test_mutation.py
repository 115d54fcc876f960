"""The mutants: places are found, changes are made, and a test notices one."""

import ast
import os
import subprocess
import sys

import pytest

import tests.mutation.__main__ as mutation
from tests.mutation.__main__ import ALWAYS, ROOT, every_site, files_for, key_of, main, other_files, recorded
from tests.mutation.mutating import mutated, sites

SOURCE = '''"""1 + 1"""
@wraps(2 + 2)
def f(a: int = 2, b: bool = True) -> "1 < 2":
    if a < b and not b:
        raise ValueError(f"{1 + 1}")
    return -min(a, 3) + np.maximum(a, 4)
'''


def test_every_change_is_one_and_leaves_types_messages_and_docstrings_alone():
    found = sites("m", SOURCE)
    assert sorted(site.change for site in found) == sorted([
        "2 to 3", "True to False", "condition negated", "And to Or", "Lt to LtE", "without Not", "without USub",
        "Add to Sub", "3 to 4", "4 to 5", "maximum to minimum",
    ])  # fmt: skip
    texts = [ast.unparse(mutated(SOURCE, site.place)) for site in found]
    assert len(set(texts)) == len(found)
    assert all(text != ast.unparse(ast.parse(SOURCE)) for text in texts)


@pytest.mark.parametrize("layer", ["losses", "spaces", "objective", "optim", "algorithms"])
def test_every_layer_has_places_and_tests(layer):
    found = [site for site in every_site() if site.module.split(".")[1] == layer]
    assert len(found) > 100
    for module in {site.module for site in found}:
        *own, last = files_for(module)
        assert own
        assert last == ALWAYS
        assert not set(own) & set(other_files(module))


def test_a_mutant_is_noticed():
    (site,) = (
        one
        for one in every_site()
        if one.name == "semisvm.objective.scores: return np.where(self.values > 0, 1.0, -1.0) [Gt to GtE]"
    )
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutation.plugin"]
    chosen = "tests/objective/test_ranking.py::test_labels_are_those_of_all_scores"
    for changes, code in (({}, 0), ({"MUTANT": f"{site.module}:{site.place}"}, 1)):
        done = subprocess.run([*command, chosen], cwd=ROOT, env=os.environ | changes, capture_output=True)
        assert done.returncode == code, done.stdout


def test_a_survivor_of_its_own_tests_meets_the_others_of_the_folder(monkeypatch):
    site, asked = every_site()[0], []
    for answers, outcome in (
        (["killed"], "killed"),
        (["undecided"], "undecided"),
        (["survived", "killed"], "killed"),
        (["survived", "survived"], "survived"),
        (["survived", "undecided"], "survived"),
    ):
        left = iter(answers)
        monkeypatch.setattr(mutation, "_run", lambda site, files, left=left: asked.append(files) or next(left))
        assert mutation.outcome_of(site) == outcome
    assert asked[-2:] == [files_for(site.module), other_files(site.module)]


def test_a_stopped_run_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    record, asked = tmp_path / "mutants.jsonl", []
    monkeypatch.setattr(mutation, "outcome_of", lambda site: asked.append(key_of(site)) or "killed")
    monkeypatch.setattr(sys, "argv", ["mutation", "--count", "3", "--record", str(record)])
    assert main() == 0
    assert list(recorded(record)) == asked
    with record.open("a") as out:
        out.write('{"cut o')
    main()
    assert len(asked) == 3
    first, second = capsys.readouterr().out.split("wanted.\n")[:2]
    assert first == second
