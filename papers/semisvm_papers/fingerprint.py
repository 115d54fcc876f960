"""A fingerprint of the code that computes a cell: a checksum of its modules and of all modules that they import.

A package that is imported stands for the names that are used of it. Comments and docstrings do not count, nor does what
type checkers alone see. Modules of other packages do not count either: records hold their versions.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semisvm_papers.jobs import Job

PACKAGES = ("semisvm", "semisvm_papers")
CONVENTIONS = "semisvm_papers.grids"
"""How the parameters of a paper become those of an estimator, in all cells."""


def fingerprint_of(job: Job) -> str | None:
    """The fingerprint of a cell's estimator, protocol and data; None where the source of a module is not at hand."""
    things = [*_parts(job.column.protocol), *_parts(job.row.source)]
    loaders = [name for thing in things if (name := getattr(thing, "load", None))]
    return _fingerprint(
        frozenset(
            [CONVENTIONS, job.make.__module__, *(type(thing).__module__ for thing in things)]
            + [defined_in("semisvm.datasets", name) for name in loaders]
        )
    )


def modules_of(roots: Iterable[str]) -> set[str]:
    """The modules of these packages among the roots, and all that they import."""
    found: set[str] = set()
    left = [root for root in roots if _is_ours(root)]
    while left:
        module = left.pop()
        if module not in found:
            found.add(module)
            left += _imported(module)
    return found


def defined_in(module: str, name: str) -> str:
    """The module that defines a name which another one offers: its own, a submodule, or what a package passes on."""
    if _source(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    path = _source(module)
    if path is None or path.name != "__init__.py":
        return module
    for node in ast.walk(_parsed(module)):
        if isinstance(node, ast.ImportFrom) and node.module and _is_ours(node.module):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return defined_in(node.module, alias.name)
    # offered when it is asked for, or defined right here
    value = getattr(import_module(module), name, None)
    found = getattr(value, "__module__", module)
    return found if _is_ours(found) else module


def plain_source(text: str) -> str:
    """Python without comments, docstrings and empty lines."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for row in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[row] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())


@cache
def _fingerprint(roots: frozenset[str]) -> str | None:
    modules = sorted(modules_of(roots))
    if any(_source(module) is None for module in modules):
        return None
    return sha256("\n".join(f"{module} {_digest(module)}" for module in modules).encode()).hexdigest()[:12]


def _parts(thing: Any) -> Iterator[Any]:
    """A protocol or a source of tasks, and those it is made of."""
    if is_dataclass(thing) and not isinstance(thing, type):
        yield thing
        for one in fields(thing):
            yield from _parts(getattr(thing, one.name))


def _is_ours(module: str) -> bool:
    return module.split(".")[0] in PACKAGES


@cache
def _source(module: str) -> Path | None:
    """The file of a module of ours, the Cython file of a compiled one; None where there is no such module."""
    first, *rest = module.split(".")
    if first not in PACKAGES:
        return None
    place = Path(import_module(first).__file__ or "").parent.joinpath(*rest)
    candidates = (place / "__init__.py", place.with_name(f"{place.name}.py"), place.with_name(f"{place.name}.pyx"))
    return next((path for path in candidates if path.is_file()), None)


@cache
def _parsed(module: str) -> ast.Module:
    path = _source(module)
    assert path is not None
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _digest(module: str) -> str:
    path = _source(module)
    assert path is not None
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".pyx":
        headers = sorted(set(re.findall(r'"(\w+\.h)"', text)))
        text = "\n".join([text, *(path.with_name(name).read_text(encoding="utf-8") for name in headers)])
    else:
        text = plain_source(text)
    return sha256(text.encode()).hexdigest()


@cache
def _imported(module: str) -> frozenset[str]:
    """The modules of these packages that a module imports, wherever in it."""
    path = _source(module)
    if path is None or path.suffix == ".pyx":
        return frozenset()
    tree = _parsed(module)
    found: set[str] = set()
    for node in _running(tree):
        if isinstance(node, ast.ImportFrom) and node.module and _is_ours(node.module):
            for alias in node.names:
                found |= _used(tree, defined_in(node.module, alias.name), alias.asname or alias.name)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if _is_ours(alias.name) and alias.name not in PACKAGES}
    return frozenset(found)


def _used(tree: ast.Module, module: str, name: str) -> set[str]:
    """The module; of a package the modules that define what is used of it by its name."""
    path = _source(module)
    if path is None or path.name != "__init__.py" or module.split(".")[-1] != name:
        return {module}
    attributes = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    return {defined_in(module, attribute) for attribute in attributes}


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it that are there when the program runs."""
    yield node
    below: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        below = node.orelse
    for child in below:
        yield from _running(child)
