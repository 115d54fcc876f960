"""The semidefinite relaxation bounds the problem it relaxes, and the low-rank form is the same relaxation."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

from semisvm import SDPRelaxationS3VM
from semisvm.algorithms import PrimalRetraining, SDPRelaxation, run, sdp_relaxation
from semisvm.algorithms.child_process import call_in_child
from semisvm.algorithms.label_matrix import LabelColumn, LabelMatrixProblem, LeadingEigenvector
from semisvm.algorithms.low_rank_relaxation import LowRankSolver
from semisvm.algorithms.sdp_relaxation import ConicSolver
from semisvm.balance import ExactCount
from semisvm.optim import UNLIMITED, KernelNewton
from tests.algorithms.test_branch_and_bound import random_problem
from tests.reference.enumeration import enumerated_optimum, svm_minimum


def relaxation(seed, counted, n=8):
    problem, count = random_problem(seed, n=n)
    K = problem.space.gram() + 1.0
    return LabelMatrixProblem(K, problem.weights[:, 0], problem.y[:, 0], count if counted else None)


def optimum(relaxed):
    """Of the problem that is relaxed: the bias is part of the function."""
    return enumerated_optimum(relaxed.K, relaxed.weights, relaxed.y, relaxed.n_positive, bias=0.0)[0]


def test_at_the_labels_themselves_the_relaxed_objective_is_the_cost():
    relaxed = relaxation(1, counted=True)
    y = np.where(relaxed.y == 0, np.where(np.arange(8) % 2 == 0, 1.0, -1.0), relaxed.y)
    column = np.concatenate([[1.0], y[relaxed.open]])
    value = relaxed.inner_maximum(np.outer(column, column)).value
    assert value == pytest.approx(svm_minimum(relaxed.K, relaxed.weights, y, bias=0.0), rel=1e-8)


@pytest.mark.parametrize("counted", [True, False])
def test_the_bound_of_the_conic_program_is_below_the_optimum(counted):
    pytest.importorskip("cvxpy")
    for seed in range(6):
        relaxed = relaxation(seed, counted)
        found = ConicSolver().solve(relaxed, UNLIMITED)
        best = optimum(relaxed)
        assert 0 < found.bound <= best + 1e-9 * best
        np.testing.assert_allclose(np.diag(found.M), 1.0, atol=1e-5)
        if counted:
            np.testing.assert_allclose(found.M @ relaxed.balance_vector, 0.0, atol=1e-3)


@pytest.mark.parametrize("counted", [True, False])
def test_the_low_rank_form_reaches_the_conic_value(counted):
    pytest.importorskip("cvxpy")
    for seed in (0, 3, 5):
        relaxed = relaxation(seed, counted)
        conic = ConicSolver().solve(relaxed, UNLIMITED)
        low_rank = LowRankSolver().solve(relaxed, UNLIMITED)
        assert low_rank.bound == pytest.approx(conic.bound, rel=1e-3)
        assert relaxed.inner_maximum(low_rank.M).value == pytest.approx(conic.bound, rel=1e-3)


def test_the_low_rank_bound_needs_no_faith_in_the_descent():
    for seed in range(6):
        relaxed = relaxation(seed, counted=seed % 2 == 0)
        stopped = LowRankSolver(n_rounds=1, n_steps=2).solve(relaxed, UNLIMITED)
        assert stopped.bound <= optimum(relaxed) + 1e-9


def test_scs_agrees_with_clarabel():
    pytest.importorskip("scs")
    relaxed = relaxation(0, counted=False)
    one, other = (ConicSolver(name).solve(relaxed, UNLIMITED).bound for name in ("CLARABEL", "SCS"))
    assert one == pytest.approx(other, rel=1e-2)


def test_rounding_a_sure_matrix_gives_its_labels_back(rng):
    """Whichever sign the eigenvector is found with."""
    for _ in range(12):
        y = np.append(1.0, np.where(rng.random(4) < 0.5, 1.0, -1.0))
        for rounding in (LabelColumn(), LeadingEigenvector()):
            np.testing.assert_array_equal(np.sign(rounding.scores(np.outer(y, y))), y[1:])


@pytest.mark.parametrize("solver", [ConicSolver(), LowRankSolver()])
def test_the_candidate_keeps_the_count_and_is_trained_with_its_labels(solver):
    if isinstance(solver, ConicSolver):
        pytest.importorskip("cvxpy")
    problem, count = random_problem(3, n=9)
    balance = ExactCount(np.array([count / len(problem.unlabeled)]))
    retraining = PrimalRetraining(KernelNewton(1e-9))
    algorithm = SDPRelaxation(solver, LabelColumn(), balance, retraining, np.array([count]))
    candidate = run(algorithm, problem, max_iter=10).candidate
    y = problem.y[:, 0].copy()
    y[problem.unlabeled] = candidate.labels[:, 0]
    assert np.sum(candidate.labels > 0) == count
    assert candidate.value[0] == pytest.approx(svm_minimum(problem.space.gram(), problem.weights[:, 0], y), rel=1e-7)
    assert candidate.facts["relaxation_bound"][0] > 0


def test_without_cvxpy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r'pip install "semisvm\[sdp\]", or set rank=6'):
        ConicSolver().solve(relaxation(0, counted=False), UNLIMITED)


def test_more_rows_than_memory_are_refused_before_they_are_taken(monkeypatch):
    pytest.importorskip("cvxpy")
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", "100000")
    relaxed = relaxation(0, counted=True)
    with pytest.raises(
        MemoryError,
        match=r"The semidefinite program of 8 rows, by an interior-point solver, needs 144 KiB .*: set rank=6",
    ):
        ConicSolver("CLARABEL").solve(relaxed, UNLIMITED)


def test_ctrl_c_ends_a_program_of_many_rows(monkeypatch):
    pytest.importorskip("cvxpy")
    sent = []

    def press():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def pressed_soon(*arguments, **settings):
        threading.Timer(0.5, press).start()
        return call_in_child(*arguments, **settings)

    monkeypatch.setattr(sdp_relaxation, "call_in_child", pressed_soon)
    X, y = np.random.default_rng(0).normal(size=(70, 4)), np.where(np.arange(70) < 20, np.arange(70) % 2, -1)
    model = SDPRelaxationS3VM()
    with pytest.warns(UserWarning, match="interrupted after"), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert time.monotonic() - sent[0] < 1.0
    assert np.isfinite(model.decision_function(X)).all()


def test_a_child_gives_what_this_process_gives(monkeypatch):
    pytest.importorskip("cvxpy")
    relaxed = relaxation(0, counted=True)
    here = ConicSolver().solve(relaxed, UNLIMITED)
    monkeypatch.setattr(sdp_relaxation, "ROWS_OF_A_MOMENT", 0)
    there = ConicSolver().solve(relaxed, UNLIMITED)
    np.testing.assert_allclose(there.M, here.M, atol=1e-9)
    assert there.bound == pytest.approx(here.bound, rel=1e-9)


def test_a_count_that_leaves_no_interior_is_solved(monkeypatch):
    pytest.importorskip("cvxpy")
    monkeypatch.setattr(sdp_relaxation, "ROWS_OF_A_MOMENT", 40)
    truth = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 4)) + 2.0 * truth[:, None]
    model = SDPRelaxationS3VM(C=10.0, gamma="median", ratio=0.5).fit(X, np.where(np.arange(40) < 20, truth, -1))
    assert model.status_ == "converged"
    assert np.isfinite(model.relaxation_bound_).all()
    assert np.sum(model.transduction_[20:] == 1) == 10


def test_a_solver_that_fails_is_a_sentence(monkeypatch):
    cvxpy = pytest.importorskip("cvxpy")

    def fails(*_, **__):
        raise cvxpy.SolverError("Solver 'CLARABEL' failed.")

    monkeypatch.setattr(cvxpy.Problem, "solve", fails)
    with pytest.raises(RuntimeError, match=r"^CLARABEL ended with 'solver_error' and a solution is needed: try .*\.$"):
        ConicSolver().solve(relaxation(0, counted=False), UNLIMITED)
