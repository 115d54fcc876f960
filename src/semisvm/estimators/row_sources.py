"""Estimators on rows that are not in one array: in chunks on disk, or in blocks on a cluster.

Everything else in an estimator deals with vectors of one number per row, which are ordinary arrays.
"""

from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from semisvm.geometry.anchors import AnchorGraph
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel, LinearKernel
from semisvm.spaces import Predictor, random_landmarks
from semisvm.spaces.chunked.graph_features import with_graph
from semisvm.spaces.chunked.opening import chunked
from semisvm.spaces.chunked.row_source import RowSource, row_source

__all__ = [
    "AnchorGraph",
    "RowSource",
    "anchored_space",
    "by_blocks",
    "points_of",
    "read_source",
    "refuse_pairs",
    "row_source",
    "scores_at",
    "space_of",
]


def by_blocks(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of rows, computed block by block where the rows are not in one array."""

    @wraps(method)
    def answer(self: Any, X: Any, *args: Any, **settings: Any) -> Any:
        source = row_source(X)
        if source is None:
            return method(self, X, *args, **settings)
        check_is_fitted(self)
        read_source(self, source, reset=False)
        return source.answers(partial(_answer, _light(self), method.__name__, args, settings))

    return answer


def _light(model: Any) -> Any:
    """The model without its results for the training rows: smaller to send."""
    light = copy(model)
    for name in ("transduction_", "path_"):
        vars(light).pop(name, None)
    return light


def _answer(model: Any, name: str, args: tuple, settings: dict, block: Any) -> np.ndarray:
    """A method given by its name: the decorated function could not be pickled."""
    return getattr(model, name)(block, *args, **settings)


def read_source(model: BaseEstimator, source: RowSource, *, reset: bool) -> RowSource:
    """The source, once its columns are known to be those of the model."""
    names = source.feature_names
    if reset:
        model.n_features_in_ = source.n_features
        if names is not None:
            model.feature_names_in_ = np.asarray(names, dtype=object)
        return source
    if source.n_features != model.n_features_in_:
        raise ValueError(
            f"X has {source.n_features} features, but {type(model).__name__} is expecting {model.n_features_in_} "
            "features as input."
        )
    return source


def points_of(X: Any) -> Any:
    """What spaces are made of: the rows of a matrix as points, or the source as it is."""
    return X if isinstance(X, RowSource) else Points.of(X)


def space_of(source: RowSource, kernel: Kernel, n_components: int | None, random_state: Any) -> Any:
    """Linear functions, or functions of landmarks drawn as they are from rows in memory."""
    if isinstance(kernel, LinearKernel):
        return source.linear()
    if n_components is None:
        refuse_pairs(source, f"kernel={kernel!r}", 'set n_components=500, or kernel="linear"')
    landmarks = random_landmarks(source, n_components, random_state)  # type: ignore[arg-type]
    return source.on_landmarks(kernel, landmarks)


def anchored_space(
    points: Any, kernel: Kernel, n_components: int | None, graph: AnchorGraph, scale: float, random_state: Any
) -> Any:
    """The space whose metric carries an anchor graph, `scale` times; rows in memory are visited in chunks, too."""
    if n_components is None and not isinstance(kernel, LinearKernel):
        raise ValueError(
            f"graph={graph!r} was given with kernel={kernel!r}, and an anchor graph needs linear functions or landmarks"
            ': set n_components=500, or kernel="linear", or use graph=Graph().'
        )
    source = points if isinstance(points, RowSource) else chunked(points.X)
    features = space_of(source, kernel, n_components, random_state).features
    return source.space(with_graph(graph, source, features, scale))


def refuse_pairs(points: Any, given: str, instead: str) -> None:
    """Refuse what looks at all pairs of rows, where rows are never held whole."""
    if isinstance(points, RowSource):
        raise ValueError(
            f"{given} was given with {len(points):,} rows that are never held whole, and it needs all pairs of rows: "
            f"{instead}."
        )


def scores_at(predictor: Predictor, points: Any, rows: np.ndarray) -> np.ndarray:
    """Scores of some of the points."""
    if isinstance(points, RowSource):
        return np.asarray(points.answers(predictor.scores))[rows]
    return predictor.scores(points.take(rows).X)
