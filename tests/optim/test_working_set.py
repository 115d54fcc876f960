"""The memory of a working set, how exactly it is solved, and when a problem is given up."""

from types import SimpleNamespace

import numpy as np
import pytest

from semisvm.optim import decomposition
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.decomposition import FRUITLESS, PANELS, ColumnState, Stop, WorkingSet


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


def noisy_svm():
    """A solver of an SVM on labels without a pattern, in working sets."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    y = np.where(rng.random(400) < 0.5, -1.0, 1.0)
    return lambda: solve_box_qp(lambda index: K[index], np.ones(400), y, np.minimum(0, y), np.maximum(0, y), tol=1e-5).a


def test_memory_of_working_sets_is_allocated_once():
    solve = noisy_svm()
    first, allocated = solve(), PANELS.n_allocated
    for _ in range(5):
        assert np.array_equal(solve(), first)
    assert PANELS.n_allocated == allocated


def test_a_working_set_is_solved_to_a_part_of_the_violation(monkeypatch):
    asked, before = [], []
    real_advance, real_solve = decomposition.advance, decomposition.solve_block

    def advance(column, new, matrix, stop):
        before.append(column.violation)
        real_advance(column, new, matrix, stop)

    def solve_block(*given):
        asked.append(given[8])
        return real_solve(*given)

    monkeypatch.setattr(decomposition, "advance", advance)
    monkeypatch.setattr(decomposition, "solve_block", solve_block)
    noisy_svm()()
    assert len(asked) == len(before) > 3
    # a set that is solved for long is wasted where others are worse; one that is hardly solved is looked at again
    assert np.all(np.array(asked) <= np.maximum(0.5 * np.array(before), 1e-5))
    assert np.all(np.array(asked)[np.array(before) > 0.1] > 1e-4)
    assert min(asked) > 1e-7


@pytest.mark.parametrize(("since", "goes_on"), [(0, True), (FRUITLESS + 1, False)])
def test_a_problem_is_given_up_after_steps_without_progress_and_not_after_many_steps(since, goes_on):
    n, steps = 4, 10 * FRUITLESS
    nought = np.zeros(n)
    column = ColumnState(nought, np.ones(n), nought, nought, nought, nought.copy(), np.ones(n), equality=False)
    column.violation = column.least = 1.0
    column.taken[0], column.least_at = steps, steps - since
    stop = Stop(tol=1e-3, max_steps=2 * steps, deadline=np.inf)
    assert column.open(stop, SimpleNamespace(largest=1.0)) == goes_on


def test_no_variable_joins_the_first_set_twice():
    """The worst variables, and those that the start leaves free; some are both."""
    n = 30
    start, nought = np.full(n, 0.5), np.zeros(n)
    gradient = np.linspace(-1.0, 1.0, n)
    column = ColumnState(nought, np.ones(n), nought, nought, nought, start, gradient, equality=True)
    column.certify()
    chosen = decomposition.choose(column, 1e-3, n, decomposition.scattered(n), np.ones(n, dtype=bool))
    assert len(chosen) > 2
    assert len(set(chosen)) == len(chosen)
