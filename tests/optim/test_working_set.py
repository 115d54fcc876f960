"""The memory of a working set."""

import numpy as np

from semisvm.optim.decomposition import WorkingSet


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
