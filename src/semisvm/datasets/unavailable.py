"""Sets of the papers that are not available, each with its reason."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files


@dataclass(frozen=True)
class UnavailableSet:
    """A set without a loader: who measured on it, its license, and why it is not here."""

    name: str
    papers: str
    license: str
    reason: str


@cache
def unavailable_sets() -> tuple[UnavailableSet, ...]:
    """All sets that the papers used and no loader has."""
    text = package_files(__package__).joinpath("unavailable.toml").read_text(encoding="utf-8")
    return tuple(UnavailableSet(name=name, **entry) for name, entry in tomllib.loads(text).items())
