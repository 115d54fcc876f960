"""Where the S3VMs of the last fit ended: a refit may begin there, but no model where a label of its fold was seen.

A model that starts from a function which had seen the left-out label can stay in that function's local minimum, and its
answer is no honest evidence any more. So a set of labels begins where a set of the last fit ended only if no label that
it leaves out was seen on the way there, in the last fit or in any fit that this one began with. Sets without such a
beginning are trained as in a fresh fit: those are most folds, whose labels are drawn anew when their number changes.
"""

from dataclasses import dataclass

import numpy as np

from semisvm.estimators.default.families import Labeled
from semisvm.estimators.default.members import Member


@dataclass(frozen=True, eq=False)
class LastMembers:
    classes: np.ndarray
    seen: tuple[np.ndarray, ...]
    """Rows whose labels each set has seen, since its first fit."""
    thetas: dict[str, np.ndarray]
    """By kernel, (dimension, columns of all sets)."""
    untrained: dict[str, np.ndarray]
    """By kernel, the columns that were not trained."""
    n_columns: int
    """Of one set."""

    def sources(self, labeled: Labeled) -> list[int | None]:
        """For every set of these labels the set of the last fit that it may begin with."""
        found: list[int | None] = []
        for kept in labeled.sets.kept:
            left_out = labeled.rows[~kept]
            allowed = [place for place, seen in enumerate(self.seen) if not np.isin(left_out, seen).any()]
            found.append(allowed[0] if allowed else None)
        return found

    def starts(self, kernel: str, classes: np.ndarray, labeled: Labeled) -> dict[int, np.ndarray]:
        """theta of the columns that begin where the last fit ended, by their place."""
        if kernel not in self.thetas:
            return {}
        theta, found = self.thetas[kernel], {}
        untrained = set(self.untrained[kernel].tolist())
        for place, source in enumerate(self.sources(labeled)):
            if source is not None:
                first, last = place * labeled.sets.n_columns, source * self.n_columns
                for own, before in self._same_columns(classes):
                    if last + before not in untrained:
                        found[first + own] = theta[:, last + before]
        return found

    def _same_columns(self, classes: np.ndarray) -> list[tuple[int, int]]:
        """(column of a set now, column of a set in the last fit) that tell the same class from the others."""
        if len(classes) == 2 or len(self.classes) == 2:
            # one column for two classes
            return [(0, 0)] if np.array_equal(classes, self.classes) else []
        common = np.intersect1d(classes, self.classes, return_indices=True)
        return list(zip(common[1].tolist(), common[2].tolist(), strict=True))


def remembered(
    members: list[Member], classes: np.ndarray, labeled: Labeled, before: LastMembers | None
) -> LastMembers | None:
    """What the next refit may begin with; None where there are no S3VMs."""
    models = {one.view.title: one.semi_supervised for one in members if one.semi_supervised is not None}
    if not models:
        return None
    sources = [None] * len(labeled.sets.kept) if before is None else before.sources(labeled)
    seen = []
    for kept, source in zip(labeled.sets.kept, sources, strict=True):
        earlier = before.seen[source] if before is not None and source is not None else np.empty(0, dtype=np.intp)
        seen.append(np.union1d(labeled.rows[kept], earlier))
    thetas = {title: model.theta for title, model in models.items()}
    untrained = {title: model.untrained for title, model in models.items()}
    return LastMembers(classes, tuple(seen), thetas, untrained, labeled.sets.n_columns)
