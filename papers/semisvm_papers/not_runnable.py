"""Published values that are not measured here, each with its reason: none is left out without a word."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib.resources import files as package_files

KINDS = {
    "no_data": "no data to be had",
    "other_method": "of a method of another paper",
    "not_done": "not done",
}
"""Why a published result is not measured, by the names of the entries in `not_runnable.toml`."""


@dataclass(frozen=True)
class NotRunnable:
    """Values of one file of transcribed tables; patterns as in a shell (`*`, `?`) say which.

    ``values`` is how many they are, so that they can be counted where there is no transcription.
    """

    csv: str
    reason: str
    values: int
    dataset: str = "*"
    method: str = "*"
    setting: str = "*"
    metric: str = "*"
    kind: str = "no data to be had"
    """Why, in few words: one of ``KINDS``."""

    def fits(self, csv: str, line: Mapping[str, str]) -> bool:
        named = all(fnmatchcase(line[name], getattr(self, name)) for name in ("dataset", "method", "setting", "metric"))
        return csv == self.csv and named

    @property
    def what(self) -> str:
        """Which values, in words: the file, and every name that is not left open."""
        names = [getattr(self, name) for name in ("dataset", "method", "setting", "metric")]
        parts = [name for name in names if name != "*"]
        return ": ".join([self.csv.removesuffix(".csv"), *([", ".join(parts)] if parts else [])])


def list_not_runnable() -> list[NotRunnable]:
    """Results that are not measured, kind by kind."""
    return [replace(entry, kind=kind) for name, kind in KINDS.items() for entry in _entries(name)]


def list_settings() -> list[NotRunnable]:
    """Published values that are no results: sizes of data sets and hyper-parameters, which the tables are run with."""
    return _entries("setting")


def _entries(name: str) -> list[NotRunnable]:
    text = package_files(__package__).joinpath("not_runnable.toml").read_text(encoding="utf-8")
    return [NotRunnable(**entry) for entry in tomllib.loads(text).get(name, [])]
