"""Mean S3VM: the reduced dual, the searches for the means, the final machine, and the paper's propositions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from semisvm.algorithms import Alternating, CuttingPlanes, LinearizedOracle, MeansThenSVM, SortOracle, final_hinge
from semisvm.algorithms.label_means import MeanProducts, MeansDual
from semisvm.algorithms.mean_s3vm import first_assignment, largest
from semisvm.algorithms.mixed_means import Mixture, reduced_direction
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Hinge, TwoSidedHinge, Zero
from semisvm.memory import LIMIT_VARIABLE
from semisvm.objective import Problem, products
from semisvm.optim.budget import UNLIMITED
from semisvm.spaces import Full, Linear, random_landmarks, reduced_set
from tests.problems import two_blobs
from tests.reference import mean_s3vm as reference

C1, C2, L = 5.0, 0.4, 8


def task(n=30, seed=1, gamma=0.3):
    X, y = two_blobs(n, seed=seed)
    space = Full(RBF(gamma), Points.of(X))
    products = MeanProducts(space, np.arange(L), np.arange(L, n))
    dual = MeansDual(products.inner, np.arange(L), y[:L, 0], np.full(L, C1), C2, None, 1e-10)
    return space, products, dual, y[:, 0]


def some_assignment(rng, u, count):
    d = np.zeros(u)
    d[rng.permutation(u)[:count]] = 1.0
    return d


def solve(dual, means):
    return dual.solve(means.plus[dual.labeled], means.minus[dual.labeled], means.squares)


# ---------------------------------------------------------------- the dual for given means


def test_products_are_those_of_the_means(rng):
    space, products, _, _ = task()
    K = space.gram()
    for count in (3, 11, 20):
        d = some_assignment(rng, 22, count)
        means = products.means(d)
        v, w = np.concatenate([np.zeros(L), d / count]), np.concatenate([np.zeros(L), (1 - d) / (22 - count)])
        assert_allclose(means.plus, K @ v, atol=1e-12)
        assert_allclose(means.minus, K @ w, atol=1e-12)
        assert_allclose(means.squares, [v @ K @ v, v @ K @ w, w @ K @ w], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_reduced_dual_equals_the_interior_point_with_both_equalities(seed, rng):
    space, products, dual, y = task(seed=seed)
    d = some_assignment(np.random.default_rng(seed), 22, 9)
    means = products.means(d)
    solution = solve(dual, means)
    assert_allclose(solution.value, reference.dual(space.gram(), y[:L], d, C1, C2), rtol=1e-8)
    value, scores = reference.primal(space.gram(), y[:L], d, C1, C2)
    outputs = products.of_labeled(solution.a) + solution.shares[0] * means.plus + solution.shares[1] * means.minus
    assert_allclose(outputs + solution.bias, scores, atol=1e-5)
    # the gap between primal and dual closes
    w_plus, w_minus = d @ outputs[L:] / d.sum(), (1 - d) @ outputs[L:] / (1 - d).sum()
    assert_allclose(dual.primal(outputs[:L], (w_plus, w_minus), solution), solution.value, rtol=1e-7)
    assert_allclose(value, solution.value, rtol=1e-7)
    assert_allclose(
        solution.square, outputs[:L] @ solution.a + solution.shares[0] * w_plus + solution.shares[1] * w_minus
    )
    # multipliers: sum to zero with the signs, and the means' add up to C2
    assert abs(solution.a.sum() + solution.r) < 1e-9
    assert_allclose(solution.shares[0] - solution.shares[1], C2)


def test_a_held_bias_leaves_out_the_equality():
    _, products, dual, _ = task()
    means = products.means(some_assignment(np.random.default_rng(0), 22, 9))
    free = solve(dual, means)
    held = solve(MeansDual(dual.K, dual.labeled, dual.y, dual.C1, C2, free.bias, 1e-10), means)
    assert_allclose(held.value, free.value, rtol=1e-7)
    assert held.bias == free.bias
    other = solve(MeansDual(dual.K, dual.labeled, dual.y, dual.C1, C2, free.bias + 0.3, 1e-10), means)
    assert other.value > free.value + 1e-4


# ---------------------------------------------------------------- searching for the means


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gamma", [0.05, 0.3])
def test_alternating_never_rises_and_keeps_the_count(seed, gamma):
    _, products, dual, _ = task(60, seed, gamma)
    counts = []
    real = products.means

    def counted(d):
        counts.append(d.sum())
        return real(d)

    products.means = counted
    values = [step.value for step in Alternating().steps(dual, products, 20)]
    assert np.all(np.diff(values) <= 1e-8)
    assert set(counts) == {20.0}


@pytest.mark.parametrize("seed", range(3))
def test_mixture_equals_the_quadratically_constrained_program(seed):
    space, products, dual, y = task(seed=seed)
    rng = np.random.default_rng(seed)
    assignments = [some_assignment(rng, 22, 9) for _ in range(4)]
    mixture = Mixture(dual, products, [products.means(d) for d in assignments])
    mixture.minimize(1e-9)
    assert_allclose(mixture.mu.sum(), 1.0, atol=1e-12)
    assert np.all(mixture.mu >= 0)
    assert_allclose(mixture.solution.value, reference.mixture_dual(space.gram(), y[:L], assignments, C1, C2), rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1.0])
def test_a_mixture_is_minimized_to_the_gap_that_is_asked_for(scale):
    """Relative to J, which is as small as the weights are."""
    _, products, dual, _ = task(seed=1)
    dual = MeansDual(dual.K, dual.labeled, dual.y, scale * dual.C1, scale * C2, None, 1e-12)
    rng = np.random.default_rng(1)
    mixture = Mixture(dual, products, [products.means(some_assignment(rng, 22, 9)) for _ in range(4)])
    mixture.minimize(1e-6)
    q = mixture.charges(mixture.solution)
    assert 0.5 * (q.max() - mixture.mu @ q) <= 1e-6 * abs(mixture.solution.value)


def test_two_assignments_that_mirror_each_other_weigh_alike():
    """J is smallest between them: the step ends there, and not at the assignment ahead."""
    X = np.array(
        [[1.0, 0.7], [1.0, -0.7], [-1.0, 0.7], [-1.0, -0.7], [0.5, 1.0], [-0.5, 1.0], [0.5, -1.0], [-0.5, -1.0]]
    )
    products = MeanProducts(Full(RBF(0.3), Points.of(X)), np.arange(4), np.arange(4, 8))
    dual = MeansDual(products.inner, np.arange(4), np.array([1.0, 1.0, -1.0, -1.0]), np.full(4, C1), 2.0, None, 1e-10)
    up = np.array([1.0, 1.0, 0.0, 0.0])
    mixture = Mixture(dual, products, [products.means(up), products.means(1 - up)], np.array([0.9, 0.1]))
    mixture._to_the_boundary(reduced_direction(mixture.mu, mixture.charges(mixture.solution)))
    assert_allclose(mixture.mu, 0.5, atol=0.05)


def test_a_new_assignment_joins_with_a_small_weight(rng):
    _, products, dual, _ = task()
    first, cut = (products.means(some_assignment(rng, 22, 9)) for _ in range(2))
    joined = Mixture(dual, products, [first]).with_cut(cut)
    assert_allclose(joined.mu, [0.99, 0.01])
    assert_allclose(joined.solution.value, solve(dual, first).value, rtol=0.05)


def test_the_outputs_of_a_mixture_are_those_of_its_weighted_means(rng):
    space, products, dual, _ = task()
    assignments, mu = [some_assignment(rng, 22, count) for count in (6, 13)], np.array([0.3, 0.7])
    mixture = Mixture(dual, products, [products.means(d) for d in assignments], mu)
    # w = sum_L a_i phi_i + sum_t mu_t (s+ m+_t + s- m-_t), as weights of all points
    w = np.zeros(30)
    w[:L] = mixture.solution.a
    for m, d in zip(mu, assignments, strict=True):
        w[L:] += m * (mixture.solution.shares[0] * d / d.sum() + mixture.solution.shares[1] * (1 - d) / (1 - d).sum())
    assert_allclose(mixture.outputs(), space.gram() @ w, atol=1e-12)


def test_the_reduced_direction_leaves_out_only_what_would_go_below_zero():
    mu, q = np.array([0.6, 0.4, 0.0, 0.0]), np.array([1.0, 0.4, 0.2, 1.5])
    # half of q_t - q_0: down from .4, not below 0, up from 0; the largest weight pays
    assert_allclose(reduced_direction(mu, q), [0.05, -0.3, 0.0, 0.25])


def test_one_assignment_alone_is_its_own_mixture(rng):
    _, products, dual, _ = task()
    means = products.means(some_assignment(rng, 22, 9))
    mixture = Mixture(dual, products, [means])
    mixture.minimize(1e-6)
    assert_allclose(mixture.solution.value, solve(dual, means).value, rtol=1e-9)
    # q of a known assignment is no more than that of the mixture
    assert abs(mixture.violation(means)) < 1e-9


@pytest.mark.parametrize("oracle", [SortOracle(), LinearizedOracle()])
def test_cutting_planes_fall_and_add_violated_assignments(oracle):
    _, products, dual, _ = task(60, gamma=0.02)
    values = [step.value for step in CuttingPlanes(oracle).steps(dual, products, 26)]
    assert np.all(np.diff(values) <= 1e-4 * np.abs(values[0]))


def test_the_fuller_oracle_finds_no_less():
    for seed in range(5):
        _, products, dual, _ = task(60, seed, 0.02)
        mixture = Mixture(dual, products, [products.means(largest(products.of_labeled(dual.y)[L:], 26))])
        found = []
        for oracle in (SortOracle(), LinearizedOracle()):
            d = oracle.assign(mixture.solution, products, 26)
            assert d.sum() == 26
            found.append(mixture.violation(products.means(d)))
        assert found[1] >= found[0] - 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_tiny_problems_are_never_below_the_enumerated_optimum(seed):
    space, products, dual, y = task(L + 6, seed)
    best = reference.exhaustive(space.gram(), y[:L], 3, C1, C2)
    *_, last = Alternating().steps(dual, products, 3)
    assert last.value >= best - 1e-6
    assert last.value <= best + 0.3 * abs(best) + 0.1


# ---------------------------------------------------------------- the paper's propositions


@given(st.floats(-5, 5), st.sampled_from([-1.0, 1.0]))
def test_the_loss_with_known_means(z, y):
    """Proposition 2, its corollaries and Figure 1: the hinge, unless a point is far on the wrong side."""
    score = np.array([z])
    # min xi + p with xi >= 1 - z, p >= 1 + z, both >= 0, less the 1 they share: max(1, |z|)
    loss = float(TwoSidedHinge().value(score)[0] - 1 - y * z)
    hinge = float(Hinge().value(y * score)[0])
    if y * z >= 0 or abs(z) <= 1:
        assert_allclose(loss, hinge, atol=1e-12)
    else:
        assert_allclose(loss, -2 * y * z, atol=1e-12)
    assert loss <= 2 * hinge + 1e-12


# ---------------------------------------------------------------- the whole method


def problem_on(space, y, C_star=C2):
    n, k = y.shape
    weights = np.full((n, k), C_star)
    weights[:L] = C1
    signs = y.copy()
    signs[L:] = 0.0
    return Problem(space, signs, np.arange(L), np.arange(L, n), Hinge(), Zero(), weights)


def test_the_final_machine_is_trained_on_everything():
    X, y = two_blobs(80)
    problem = problem_on(Full(RBF(0.2), Points.of(X)), y)
    (candidate,) = MeansThenSVM(Alternating(), np.array([36]), 1e-8).iterate(problem, None, UNLIMITED)
    fresh = problem.objective().point(candidate.point.theta, candidate.point.bias)
    assert_allclose(candidate.point.outputs, fresh.outputs, atol=1e-7)
    assert candidate.stationarity < 1e-8
    assert candidate.facts["assignments"] >= 1
    from sklearn.svm import SVC

    labels = np.where(candidate.point.theta[:, 0] >= 0, 1, -1)
    labels[:L] = y[:L, 0]
    used = np.abs(candidate.point.theta[:, 0]) > 0
    weights = problem.weights[:, 0]
    peer = SVC(C=1.0, gamma=0.2, tol=1e-8).fit(X[used], labels[used], sample_weight=weights[used])
    assert_allclose(peer.decision_function(X), candidate.point.scores[:, 0], atol=1e-4)


@pytest.mark.parametrize("rows", ["dense", "sparse", "landmarks"])
def test_training_on_rows_equals_training_on_kernel_rows(rows, monkeypatch):
    X, y = two_blobs(150, k=2)
    if rows == "sparse":
        space = Linear(sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)))
    elif rows == "dense":
        space = Linear(X)
    else:
        points = Points.of(X)
        space = reduced_set(RBF(0.3), points, random_landmarks(points, 20, 0))
    problem = problem_on(space, y)
    labels = np.where(y[L:] > 0, 1.0, -1.0)
    by_kernel = final_hinge.train_hinge(problem, labels, 1e-6, UNLIMITED)
    monkeypatch.setattr(products, "MANY", 10)
    by_rows = final_hinge.train_hinge(problem, labels, 1e-6, UNLIMITED)
    assert np.all(by_rows.stationarity < 1e-6)
    assert_allclose(by_rows.value, by_kernel.value, rtol=1e-6)
    assert_allclose(by_rows.point.scores, by_kernel.point.scores, atol=2e-4)
    held = problem.replace(bias=by_kernel.point.bias)
    assert_allclose(final_hinge.train_hinge(held, labels, 1e-6, UNLIMITED).value, by_kernel.value, rtol=1e-5)


def test_the_means_need_no_square_matrix(monkeypatch):
    X, y = two_blobs(5000)
    space = Full(RBF(0.2), Points.of(X.astype(np.float32)))
    monkeypatch.setenv(LIMIT_VARIABLE, str(40 * 2**20))
    products = MeanProducts(space, np.arange(L), np.arange(L, 5000))
    dual = MeansDual(products.inner, np.arange(L), y[:L, 0], np.full(L, C1), C2, None, 1e-6)
    steps = list(Alternating().steps(dual, products, 2400))
    assert steps
    assert "matrix" not in space.__dict__


def test_the_first_assignment_weighs_both_classes_alike_however_many_labels_they_have():
    """One label above, four to the left: by the class means (0, 1) and (-1, 0) the row (0, 2) is the positive one."""
    X = np.array([[0.0, 1.0], [-1, 0], [-1, 0], [-1, 0], [-1, 0], [1.0, 0.5], [0.0, 2.0]])
    y = np.array([1.0, -1, -1, -1, -1])
    products = MeanProducts(Linear(X), np.arange(5), np.array([5, 6]))
    dual = MeansDual(products.inner, np.arange(5), y, np.full(5, 100.0), 0.1, None, 1e-10)
    # (x_+ - mean x_-)'x = x_1 + x_2: 1.5 and 2; without weights 4 x_1 + x_2: 4.5 and 2
    assert first_assignment(dual, products, 1).tolist() == [0.0, 1.0]
