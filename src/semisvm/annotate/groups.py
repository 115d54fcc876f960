"""Rows with a high confidence, class by class, to be accepted together."""

from dataclasses import dataclass

import numpy as np

from semisvm.annotate.labels import FILLED

SURE = 0.9
SHOWN = 12
"""Rows of a group that are shown. A third of them are the least confident ones."""
FEWEST = 5


@dataclass(frozen=True, eq=False)
class Group:
    code: int
    rows: np.ndarray
    shown: np.ndarray
    expected_wrong: float


def sure_groups(codes: np.ndarray, confidence: np.ndarray, origins: np.ndarray, seed: int = 0) -> list[Group]:
    """The groups, the largest first."""
    sure = (origins == FILLED) & (confidence >= SURE) & (codes >= 0)
    found = []
    for code in np.unique(codes[sure]):
        rows = np.flatnonzero(sure & (codes == code))
        if len(rows) >= FEWEST:
            wrong = float(np.sum(1.0 - confidence[rows]))
            found.append(Group(int(code), rows, sample_of(rows, confidence[rows], seed), wrong))
    return sorted(found, key=lambda group: -len(group.rows))


def sample_of(rows: np.ndarray, confidence: np.ndarray, seed: int) -> np.ndarray:
    """The least confident rows and a random draw of the others."""
    order = rows[np.argsort(confidence, kind="stable")]
    least, others = order[: SHOWN // 3], order[SHOWN // 3 :]
    random = np.random.default_rng(seed)
    drawn = random.choice(others, min(len(others), SHOWN - len(least)), replace=False)
    return np.concatenate([least, drawn])
