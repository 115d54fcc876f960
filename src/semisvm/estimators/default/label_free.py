"""What is known about the rows before any label is read: prepared rows and kernels, with the leading features of each.

A refit with other labels starts from here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.estimators.default.graph_kernels import GRAPHS
from semisvm.estimators.default.preparation import Preparation, preparations, prepared
from semisvm.estimators.default.views import WIDE_RBF, KernelView, View, kernel_views, rank_for
from semisvm.estimators.progress import tell_share
from semisvm.geometry.kernels import Kernel

OF_THE_WORK = 0.5
"""Share of a fit that is spent here, roughly."""


@dataclass(frozen=True, eq=False)
class LabelFreeKernels:
    preparations: tuple[Preparation, ...]
    rows: Any
    """Rows of the first preparation, dense or csr."""
    views: tuple[KernelView, ...]
    graphs: bool
    """Whether kernels along neighbor graphs are among them."""
    _leading: dict[int, View] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any, seed: Any, *, graphs: bool) -> "LabelFreeKernels":
        every = preparations(X)
        views: list[KernelView] = []
        for place, preparation in enumerate(every, start=1):
            views += kernel_views(X, (preparation,), seed, GRAPHS if graphs else ())
            tell_share(OF_THE_WORK * place / len(every))
        return cls(every, prepared(every[0], X), tuple(views), graphs)

    def leading(self, place: int) -> View:
        """The leading features of a kernel on all rows, found when it is first asked for."""
        if place not in self._leading:
            view = self.views[place]
            self._leading[place] = view.leading(rank_for(view))
        return self._leading[place]

    @property
    def median_kernel(self) -> Kernel:
        """The rbf kernel of the median width on the first preparation."""
        wide = (view.features.kernel for view in self.views if view.name == WIDE_RBF)
        return next(kernel for kernel in wide if kernel is not None)

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.rows)

    @property
    def n_bytes(self) -> int:
        """What is held between two fits."""
        held = {id(array): array.nbytes for array in _arrays(self)}
        return sum(held.values())


def _arrays(part: Any) -> Iterator[np.ndarray]:
    """All arrays that a value holds, some of them several times."""
    if isinstance(part, np.ndarray):
        yield part if part.base is None or not isinstance(part.base, np.ndarray) else part.base
    elif sp.issparse(part):
        yield from (part.data, part.indices, part.indptr)
    elif isinstance(part, dict):
        for value in part.values():
            yield from _arrays(value)
    elif isinstance(part, tuple | list):
        for value in part:
            yield from _arrays(value)
    elif is_dataclass(part):
        for one in fields(part):
            yield from _arrays(getattr(part, one.name))
