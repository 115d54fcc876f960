"""Where two ways must lead to one place, they do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse as sp
from sklearn.svm import SVC

from semisvm import SupervisedSVM
from semisvm.algorithms import DualHinge, LinearDual, Minimize, run
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF, LinearKernel
from semisvm.losses import Fixed, Hinge, SquaredHinge, Zero
from semisvm.optim import UNLIMITED, KernelNewton, NewtonCG
from semisvm.spaces import Centered, Full, Linear, cholesky_map, deform, eigen_map, random_landmarks, reduced_set
from tests.problems import problem_on, two_blobs

X, Y = two_blobs(k=2)
POINTS = Points.of(X)
FULL = Full(RBF(0.3), POINTS)


def solve(problem, minimizer=None):
    return run(Minimize(minimizer or KernelNewton(1e-11)), problem, max_iter=1000).candidate


def convex(space, **changes):
    return problem_on(space, Y, unlabeled_loss=Fixed(SquaredHinge(), Y[10:]), **changes)


def test_graph_term_is_the_deformed_kernel():
    term = Graph(n_neighbors=5, power=2).term(POINTS, 0.7, full_kernel=True)
    bias = np.zeros(2)
    by_term = solve(convex(FULL, graph=term, bias=bias), NewtonCG(1e-12))
    by_kernel = solve(convex(deform(FULL, term), bias=bias))
    assert_allclose(by_term.value, by_kernel.value, rtol=1e-10)
    assert_allclose(by_term.point.outputs, by_kernel.point.outputs, atol=1e-8)


def test_graph_term_on_features_is_the_deformed_features():
    term = Graph(n_neighbors=5).term(POINTS, 0.7, full_kernel=False)
    base = reduced_set(RBF(0.3), POINTS, random_landmarks(POINTS, 20, 0))
    by_term, by_features = solve(convex(base, graph=term), NewtonCG(1e-12)), solve(convex(deform(base, term)))
    assert_allclose(by_term.value, by_features.value, rtol=1e-10)


def test_deformed_gram_is_the_inverse_formula():
    term = Graph(n_neighbors=5, power=2).term(POINTS, 0.7, full_kernel=True)
    K = FULL.gram()
    expected = np.linalg.inv(np.linalg.inv(K) + term.dense())
    assert_allclose(deform(FULL, term).gram(), expected, atol=1e-8)


@pytest.mark.parametrize("bias", [None, np.array([0.1, -0.2])], ids=["free", "held"])
def test_full_is_reduced_with_all_points_is_its_factors(bias):
    expected = solve(convex(FULL, bias=bias))
    for space in (reduced_set(RBF(0.3), POINTS, POINTS), eigen_map(FULL), cholesky_map(FULL)):
        found = solve(convex(space, bias=bias))
        assert_allclose(found.value, expected.value, rtol=1e-8)
        assert_allclose(found.point.scores, expected.point.scores, atol=1e-5)


def test_linear_primal_is_the_linear_kernel():
    for centered in (False, True):
        spaces = [Linear(X), Linear(sp.csr_array(X)), Full(LinearKernel(), POINTS)]
        if centered:
            spaces = [Centered(s, np.arange(10, 60)) for s in spaces]
        dense, sparse, kernel = (
            solve(convex(s), m) for s, m in zip(spaces, [NewtonCG(1e-11), NewtonCG(1e-11), None], strict=True)
        )
        assert_allclose(dense.value, kernel.value, rtol=1e-10)
        assert_allclose(sparse.value, kernel.value, rtol=1e-10)
        assert_allclose(dense.point.scores, kernel.point.scores, atol=1e-6)


def test_primal_squared_hinge_is_the_dual_with_a_ridge():
    from semisvm.optim.box_qp import solve_box_qp

    y, c = Y[:, 0], np.full(60, 2.0)
    problem = problem_on(FULL, Y[:, :1], C=2.0, C_star=2.0, unlabeled_loss=Fixed(SquaredHinge(), Y[10:, :1]))
    primal = solve(problem)
    # min 1/2 a'(K + diag(1/2c))a - y'a over y a >= 0, 1'a = 0
    far = 1e6
    lo, hi = np.where(y > 0, 0, -far), np.where(y > 0, far, 0)
    dual = solve_box_qp(FULL.gram(), FULL.norms(), y, lo, hi, equality=True, ridge=1 / (2 * c), tol=1e-10)
    assert_allclose(-dual.objective, primal.value[0], rtol=1e-8)
    assert_allclose(dual.a, primal.point.theta[:, 0], atol=1e-6)
    assert_allclose(dual.bias, primal.point.bias[0], atol=1e-6)


@pytest.mark.parametrize("k", [1, 2])
def test_hinge_in_the_dual_is_scikit_learns_svc(k):
    problem = problem_on(FULL, Y[:, :k], labeled_loss=Hinge(), unlabeled_loss=Zero()).replace(
        labeled=np.arange(60), unlabeled=np.empty(0, dtype=int), y=Y[:, :k], weights=np.full((60, k), 2.0)
    )
    found = run(DualHinge(1e-6), problem, max_iter=10).candidate
    for column in range(k):
        svc = SVC(C=2.0, gamma=0.3, tol=1e-6).fit(X, Y[:, column])
        assert_allclose(found.point.scores[:, column], svc.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_supervised_hinge_is_scikit_learns_svc(kernel):
    y = (Y[:, 0] > 0).astype(int)
    ours = SupervisedSVM(loss="hinge", kernel=kernel, gamma=0.3, C=1.5, tol=1e-6).fit(X, y)
    theirs = SVC(kernel=kernel, gamma=0.3, C=1.5, tol=1e-6).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_one_vs_rest_is_one_problem_per_class():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    rows = X + np.eye(3, 5)[y]
    for loss in ("squared_hinge", "hinge"):
        together = SupervisedSVM(loss=loss, tol=1e-8).fit(rows, y).decision_function(rows)
        for c in range(3):
            alone = SupervisedSVM(loss=loss, tol=1e-8).fit(rows, (y == c).astype(int)).decision_function(rows)
            assert_allclose(together[:, c], alone, atol=1e-5)


@pytest.mark.parametrize("rows", [X, sp.csr_array(X), X.astype(np.float32)], ids=["dense", "sparse", "float32"])
@pytest.mark.parametrize("bias", [None, np.array([0.1, -0.2])], ids=["free", "held"])
def test_linear_dual_descent_ends_where_newton_does(rows, bias):
    everyone = np.arange(60)
    problem = problem_on(Linear(rows), Y, bias=bias, unlabeled_loss=Zero()).replace(
        labeled=everyone,
        unlabeled=everyone[:0],
        y=Y,
        weights=np.where(everyone % 7 == 0, 0.0, 2.0)[:, None] * np.ones(2),
    )
    expected, found = solve(problem, NewtonCG(1e-10)), run(LinearDual(1e-6), problem, max_iter=50)
    assert found.n_iter <= 8
    # the passes come near
    objective = problem.objective()
    near, start = (objective.evaluate(one) for one in (LinearDual(1e-6)._near(problem, UNLIMITED), objective.start()))
    assert np.all(near.value - expected.value <= 0.01 * (start.value - expected.value))
    assert_allclose(found.candidate.value, expected.value, rtol=1e-6)
