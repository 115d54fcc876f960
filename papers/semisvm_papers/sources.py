"""Task sources by the names that table files use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from semisvm_papers.held_out import BiasedHeldOut, FewerUnlabeled, HeldOut, HeldOutOfAll
from semisvm_papers.partitions import Partitions
from semisvm_papers.tasks import DrawnSplits, Folds, FourParts, FreshDraws, OwnTestRows, PublishedSplits, TaskSource

SOURCES: Mapping[str, Callable[..., TaskSource]] = {
    "published": PublishedSplits,
    "drawn": DrawnSplits,
    "fresh": FreshDraws,
    "partitions": Partitions,
    "four-part": FourParts,
    "folds": Folds,
    "test-part": OwnTestRows,
}

CHANGES: Mapping[str, Callable[..., TaskSource]] = {
    "keep_unlabeled": FewerUnlabeled,
    "held_out": HeldOut,
    "held_out_of_all": HeldOutOfAll,
    "held_out_along": BiasedHeldOut,
}
"""Entries of any source that change its tasks: how many unlabeled rows to keep, which share of them or of all rows to
hold out."""


def source_of(entry: Mapping[str, Any]) -> TaskSource:
    """The source that the `data` of a row in a table file names."""
    options = dict(entry)
    kind = options.pop("splits")
    if kind not in SOURCES:
        raise ValueError(f"splits = {kind!r} is not known: use one of {', '.join(SOURCES)}.")
    changes = [(change, options.pop(name)) for name, change in CHANGES.items() if name in options]
    source = SOURCES[kind](**options)
    for change, value in changes:
        source = change(source, value)
    return source
