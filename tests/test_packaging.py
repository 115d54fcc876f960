"""What is said about the package in several files agrees: version, requirements, Pythons."""

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text(encoding="utf-8"))


def workflow(name):
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def supported():
    """The Pythons that the classifiers name."""
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one) for one in PROJECT["classifiers"]]
    return [one[1] for one in found if one]


def test_the_version_is_in_one_place_and_the_others_agree():
    version = re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"), flags=re.M)[1]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)[1]
    assert PROJECT["dynamic"] == ["version"]
    assert "version" not in PROJECT
    papers = tomllib.loads((ROOT / "papers" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert version == citation["version"] == RECIPE["context"]["version"] == heading == papers["version"]


def test_the_recipe_asks_for_what_the_package_asks_for():
    extras = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + extras["cli"] + extras["table"]
    run = [one.replace(" ", "") for one in RECIPE["requirements"]["run"]]
    assert sorted(run) == sorted(["python", *wanted])
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    host = {one.replace(" ", "") for one in RECIPE["requirements"]["host"]}
    assert {one.lower() for one in built} == host - {"python", "pip"}


def test_every_supported_python_is_tested_and_gets_wheels():
    assert supported() == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={supported()[0]}"
    assert workflow("tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == supported()
    wheels = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]
    tags = [f"cp{one.replace('.', '')}" for one in supported()]
    assert wheels["build"].split() == [f"{one}-*" for one in [*tags, "cp314t"]]


def test_workflows_build_for_linux_macos_and_windows():
    systems = workflow("wheels.yml")["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    assert {one.split("-")[0] for one in systems} == {"ubuntu", "macos", "windows"}
    tested = workflow("tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["os"]
    assert {one.split("-")[0] for one in tested} == {"ubuntu", "macos", "windows"}
