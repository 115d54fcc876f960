"""One name for one thing: classes are defined once, private words stay out, and there is one spelling."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TREES = ("src", "papers/semisvm_papers", "benchmarks", "tests", "docs", "examples", "packaging", ".github")
BUILT = {"_build", "__pycache__", "auto_examples", "generated"}


def files_of(tree: str) -> list[Path]:
    """Code and prose, without what the site is built into and without this file, which lists the words."""
    return sorted(
        path
        for path in (ROOT / tree).rglob("*")
        if path.suffix in {".py", ".pyx", ".pxd", ".js", ".html", ".md", ".yml"}
        and path.is_file()
        and path != Path(__file__).resolve()
        and not BUILT & set(path.parts)
    )


TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")]
FILES = {tree: files_of(tree) for tree in TREES} | {"top": TOP}

PRIVATE = ("told", "heard", "hear", "voice", "voices", "choir", "tension", "pulled", "nowhere", "bent", "foretold")
"""Words that the reader would have to learn; alone or as a part of a name such as `_told` or `BentAt`."""
PHRASES = ("RowsElsewhere", "BentAt", "BentRows", "BentPart")

SPELLING = re.compile(
    r"neighbour|minimis|maximis|normalis|standardis|penalis|regularis|linearis|optimis(?!t)|factoris|initialis|"
    r"generalis|summaris|recognis|organis(?!m)|vectoris|symmetris|"
    r"(?<![a-z])centre|colour|behaviour|favour|labell(?!edby)|modell|licence|catalogue",
    re.I,
)
KEPT = {
    '"linearised"': "a value of `MeanS3VM(oracle=...)`",
    "idx_labelled": "a name in published data files",
    "idx_unlabelled": "a name in published data files",
    "X_unlabelled": "a name in published data files",
    "imdb_labelled": "the name of a published data file",
    '"unlabelled"': "a cell that people write",
    "versicolour": "a class of a published table",
    "standardised": "a key of table files, which the records name",
    "centred": "a key of table files, which the records name",
}
"""Spellings that are somebody else's."""
TABLE_KEYS = {"standardised", "centred"}


def without_kept(text: str, path: Path) -> str:
    in_papers = bool({"papers", "semisvm_papers"} & set(path.parts))
    for word in KEPT:
        if word not in TABLE_KEYS or in_papers:
            text = text.replace(word, "")
    return text


def words_of(text: str) -> set[str]:
    """The words of names and of prose: a_b and aB are two words each."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)}


def test_no_class_name_is_defined_twice():
    """But for classes inside a function, which nobody else sees."""
    places = defaultdict(list)
    for path in (path for tree in TREES for path in FILES[tree]):
        if path.suffix == ".py":
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    places[node.name.lstrip("_")].append(str(path.relative_to(ROOT)))
    assert len(places) > 400
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("tree", FILES)
def test_private_words_are_gone(tree):
    found = defaultdict(set)
    for path in FILES[tree]:
        text = path.read_text(encoding="utf-8")
        for word in words_of(text) & set(PRIVATE) | {phrase for phrase in PHRASES if phrase in text}:
            found[word].add(path.name)
    assert dict(found) == {}


@pytest.mark.parametrize("tree", FILES)
def test_there_is_one_spelling(tree):
    found = {}
    for path in FILES[tree]:
        text = without_kept(path.read_text(encoding="utf-8"), path)
        if words := set(SPELLING.findall(text)):
            found[str(path.relative_to(ROOT))] = words
    assert found == {}


def test_what_is_looked_for_would_be_found():
    assert words_of("class BentAt: _told_of = toldYou") >= {"bent", "told"}
    assert SPELLING.findall("Neighbours of a centred space") == ["Neighbour", "centre"]
    assert not SPELLING.findall("optimistic organisms at the center of aria-labelledby")
