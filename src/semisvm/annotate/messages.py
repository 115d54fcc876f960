"""The messages between the process that serves and the process that learns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.annotate.checking import Doubt
from semisvm.annotate.evidence import Estimate


@dataclass(frozen=True, eq=False)
class Ready:
    """What is known before there is a label."""

    columns: list[tuple[str, str, str]]
    """(name, kind, how it is used)."""
    twins: np.ndarray
    """Rows with the same number have the same cells in all columns that are learned from."""
    pool: np.ndarray
    spread: list[int]
    space: Any
    """The rows as numbers in which they are compared, in single precision."""
    places: np.ndarray
    """Where each row lies on the map, within -1 and 1."""


@dataclass(frozen=True, eq=False)
class LearningTask:
    """Labels to learn from. The codes of classes are those of the session."""

    version: int
    n_labels: int
    rows: np.ndarray
    codes: np.ndarray
    drawn: np.ndarray
    """Which of them count as a random draw: drawn rows, and labels of the table unless its origins say otherwise."""
    given: np.ndarray
    """Which of them a person gave one by one. The others belong to accepted groups."""
    open: np.ndarray
    """Mask of the rows that no person has seen one by one."""
    classes: tuple[str, ...] = ()
    """The names of the codes when the task was made."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The predictions of a fit for all rows."""

    version: int
    n_labels: int
    codes: np.ndarray
    confidence: np.ndarray
    suggested: list[int]
    doubts: list[Doubt]
    estimate: Estimate | None
    """The expected error of the model, from folds of drawn labels; None where there is none."""
    changed: int
    gain: float | None
    answered: float
    """What the answers to the next rows put right by themselves, as a share of the rows."""
    seconds: float
    classes: tuple[str, ...] = ()
    """Of the task."""


@dataclass(frozen=True, eq=False)
class RankedRows:
    """What labels of one class say about all rows."""

    n_labels: int
    score: np.ndarray
    suggested: list[int]
    """The unseen rows with the largest scores."""
    prior: float
    prior_interval: tuple[float, float]
    prior_given: bool
    recall: tuple[tuple[int, float], ...]
    """(rows taken from the top, share of the labels among them, each left out in turn)."""
    label: str
    gives_classes: bool
    """Whether the share is known well enough to give rows with positive scores the class."""


@dataclass(frozen=True)
class Failed:
    """Why the learner cannot go on, or could not learn from some labels."""

    why: str
    for_good: bool
