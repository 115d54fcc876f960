"""Kernel rows for the box QP: their precision follows from the tolerance."""

import numpy as np
import pytest

from semisvm.algorithms.kernel_rows import cached_rows
from semisvm.optim.box_qp import FLOAT32_TOL


@pytest.mark.parametrize(("tol", "single"), [(FLOAT32_TOL, True), (0.99 * FLOAT32_TOL, False)])
def test_rows_are_kept_in_the_precision_that_the_tolerance_needs(tol, single):
    K = np.eye(4) + 0.5
    assert cached_rows(lambda index: K[index], 4, tol).single == single
