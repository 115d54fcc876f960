"""What is known of the rows before any label is read: prepared rows and the leading features of every kernel.

A refit with other labels begins here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.estimators.default.preparation import Preparation, preparations
from semisvm.estimators.default.views import GRAPHS, View, kernel_views, rank_for


@dataclass(frozen=True, eq=False)
class LabelFreeKernels:
    preparations: tuple[Preparation, ...]
    rows: Any
    """Rows of the first preparation, dense or csr."""
    views: tuple[View, ...]
    graphs: bool
    """Whether kernels along neighbor graphs are among them."""

    @classmethod
    def of(cls, X: Any, seed: Any, *, graphs: bool) -> "LabelFreeKernels":
        prepared = preparations(X)
        views = kernel_views(X, prepared, seed, GRAPHS if graphs else ())
        return cls(prepared, prepared[0].apply(X), tuple(view.leading(rank_for(view)) for view in views), graphs)

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.rows)

    @property
    def n_bytes(self) -> int:
        """What is held between two fits."""
        rows = self.rows.data.nbytes + self.rows.indices.nbytes if self.sparse else self.rows.nbytes
        turns = {id(view.features): view.features.A for view in self.views}
        of_features = sum(A.nbytes for A in turns.values() if A is not None)
        return rows + of_features + sum(view.Z.nbytes + view.directions.nbytes for view in self.views)


def features_at(view: View, rows: np.ndarray) -> np.ndarray:
    """Features of some rows, in double precision."""
    return np.ascontiguousarray(view.Z[rows], dtype=np.float64)
