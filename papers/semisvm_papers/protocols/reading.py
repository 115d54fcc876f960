"""Protocols by the names that table files use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from semisvm_papers.grids import BestOnTest, ChosenByAllLabels, ChosenByFolds
from semisvm_papers.protocol import Protocol
from semisvm_papers.protocols.five_fold import FiveFold
from semisvm_papers.protocols.followed import Followed
from semisvm_papers.protocols.inductive import Inductive
from semisvm_papers.protocols.labeled_alone import LabeledAlone
from semisvm_papers.protocols.pairwise import Pairwise
from semisvm_papers.protocols.retrained import PartlyLabeled, Retrained
from semisvm_papers.protocols.sensitivity import Sensitivity
from semisvm_papers.protocols.sweep import Sweep
from semisvm_papers.protocols.transductive import Transductive

PROTOCOLS: Mapping[str, type[Protocol]] = {
    "transductive": Transductive,
    "inductive": Inductive,
    "labeled alone": LabeledAlone,
    "five-fold": FiveFold,
    "grid on test": BestOnTest,
    "grid by folds": ChosenByFolds,
    "grid by all labels": ChosenByAllLabels,
    "retrained": Retrained,
    "partly labeled": PartlyLabeled,
    "pairwise": Pairwise,
    "sensitivity": Sensitivity,
    "sweep": Sweep,
    "followed": Followed,
}


def take_protocol(entry: dict[str, Any]) -> Protocol:
    """The protocol that an entry of a table file names; it and its options are taken out of the entry.

    ``each`` is an entry of its own: the protocol that another one repeats.
    """
    name = entry.pop("protocol", "transductive")
    if name not in PROTOCOLS:
        raise ValueError(f"protocol {name!r} is not known: use one of {', '.join(PROTOCOLS)}.")
    kind: Any = PROTOCOLS[name]
    options = {one.name: entry.pop(one.name) for one in fields(kind) if one.name in entry}
    if "each" in options:
        options["each"] = take_protocol(options["each"])
    return kind(**options)
