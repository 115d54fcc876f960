"""Small problems for tests: labeled and unlabeled points in a space, with weights."""

import numpy as np

from semisvm.losses import Gaussian, SquaredHinge
from semisvm.objective import Problem

N_LABELED = 10


def two_blobs(n=60, d=5, k=1, shift=1.2, seed=1):
    """(X, y) with y of k columns of +-1: clouds on either side of the origin, labels shuffled after column 0."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, d)) + shift * y[:, None] / np.sqrt(d)
    columns = [y] + [np.where(rng.random(n) < 0.5, 1.0, -1.0) for _ in range(k - 1)]
    return X, np.stack(columns, axis=1)


def problem_on(space, y, *, labeled_loss=None, unlabeled_loss=None, C=2.0, C_star=0.5, bias=None, graph=None, rng=None):
    """The first ten points labeled, the rest not; weights vary from point to point where rng is given."""
    n, k = y.shape
    weights = np.full((n, k), C_star)
    weights[:N_LABELED] = C
    if rng is not None:
        weights *= rng.uniform(0.5, 2.0, size=(n, k))
    signs = y.copy()
    signs[N_LABELED:] = 0.0
    return Problem(
        space=space,
        y=signs,
        labeled=np.arange(N_LABELED),
        unlabeled=np.arange(N_LABELED, n),
        labeled_loss=labeled_loss or SquaredHinge(),
        unlabeled_loss=unlabeled_loss or Gaussian(3.0),
        weights=weights,
        bias=bias,
        graph=graph,
    )
