"""Kernel rows for the box QP: their precision follows from the tolerance."""

import numpy as np
import pytest

from semisvm.algorithms import kernel_rows
from semisvm.algorithms.kernel_rows import KernelRows, cached_rows, earlier
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.optim.box_qp import FLOAT32_TOL
from semisvm.optim.row_cache import RowCache
from semisvm.spaces import Full
from tests.problems import two_blobs


@pytest.mark.parametrize(("tol", "single"), [(FLOAT32_TOL, True), (0.99 * FLOAT32_TOL, False)])
def test_rows_are_kept_in_the_precision_that_the_tolerance_needs(tol, single):
    K = np.eye(4) + 0.5
    assert cached_rows(lambda index: K[index], 4, tol).single == single


@pytest.mark.parametrize(("small", "kind"), [(20, np.ndarray), (19, RowCache)])
def test_rows_are_computed_once_and_the_matrix_of_few_points_is_kept_whole(small, kind, monkeypatch):
    monkeypatch.setattr(kernel_rows, "SMALL", small)
    space = Full(RBF(0.2), Points.of(two_blobs(20)[0]))
    rows = KernelRows(1e-6)
    first = rows.of(space)
    assert isinstance(first, kind)
    assert rows.of(space) is first


def test_a_solve_that_begins_at_zero_has_no_earlier_result():
    a = np.zeros((4, 2))
    assert earlier(a, a) is None
    a[1, 0] = 0.5
    assert earlier(a, 2 * a).a is a
