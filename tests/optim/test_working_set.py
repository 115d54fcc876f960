"""The memory of a working set."""

import numpy as np

from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.decomposition import PANELS, WorkingSet


def test_a_first_set_of_many_variables_leaves_room_to_grow():
    working = WorkingSet(largest=2048)
    working.extend(np.arange(900), single=False)
    rows = working.rows[:900].copy()
    working.filled[:900] = 900
    working.extend(np.arange(900, 1035), single=False)
    # the rows stay where they are, and what is filled of them is not filled again
    np.testing.assert_array_equal(working.rows[:900], rows)
    assert np.all(working.filled[:900] == 900)
    assert working.width >= 1035


def test_no_row_is_wider_than_the_largest_set():
    working = WorkingSet(largest=1000)
    working.extend(np.arange(900), single=True)
    assert working.width == 1000


def test_memory_of_working_sets_is_allocated_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    y = np.where(rng.random(400) < 0.5, -1.0, 1.0)

    def solve():
        return solve_box_qp(lambda index: K[index], np.ones(400), y, np.minimum(0, y), np.maximum(0, y), tol=1e-5).a

    first, allocated = solve(), PANELS.n_allocated
    for _ in range(5):
        assert np.array_equal(solve(), first)
    assert PANELS.n_allocated == allocated
