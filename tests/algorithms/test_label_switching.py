"""Label switching: it only goes down, and it ends where the positives are the largest scores."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from semisvm.algorithms import DualRetraining, LabelSwitching, PrimalRetraining, run
from semisvm.algorithms.growing_weight import GrowingWeight
from semisvm.algorithms.label_switching import switched
from semisvm.algorithms.retraining import expected
from semisvm.balance import ExactCount, NoBalance
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Fixed, Hinge, SquaredHinge, SymmetricHinge, SymmetricSquaredHinge
from semisvm.objective import ArrayScores
from semisvm.optim import UNLIMITED, KernelNewton, NewtonCG
from semisvm.schedules import AnnealedWeight
from semisvm.spaces import Full, Linear
from tests.problems import problem_on, two_blobs
from tests.reference.enumeration import enumerated_optimum

STAGES = AnnealedWeight((1e-3, 1e-2, 0.1, 1.0), start=False)
AT_ONCE = AnnealedWeight((1.0,), start=False)


def blobs(k=1, hinge=False, space=None, n=60, seed=1):
    X, y = two_blobs(n=n, k=k, seed=seed)
    losses = (Hinge(), SymmetricHinge()) if hinge else (SquaredHinge(), SymmetricSquaredHinge())
    space = Full(RBF(0.2), Points.of(X)) if space is None else space(X)
    return problem_on(space, y, labeled_loss=losses[0], unlabeled_loss=losses[1])


def half(problem):
    return ExactCount(np.full(problem.n_columns, 0.5))


def trainer(problem):
    return DualRetraining(1e-6) if isinstance(problem.labeled_loss, Hinge) else PrimalRetraining(KernelNewton(1e-9))


def followed(problem, *, n_switches=None, schedule=STAGES, balance=None, retraining=None):
    """All candidates of a run."""
    seen = []
    retraining = retraining or trainer(problem)
    algorithm = LabelSwitching(balance or half(problem), retraining, retraining, schedule, n_switches)
    run(algorithm, problem, max_iter=10_000, watch=lambda _, candidate: seen.append(candidate))
    return seen


class Counted(PrimalRetraining):
    """Notes the weight of the unlabeled points at every training."""

    def train(self, problem, labels, last, budget):
        self.minimizer.noted.append(float(problem.weights[problem.unlabeled].max()))
        return super().train(problem, labels, last, budget)


class Noting(KernelNewton):
    def __init__(self, tol):
        super().__init__(tol)
        object.__setattr__(self, "noted", [])


@pytest.mark.parametrize("schedule", [STAGES, GrowingWeight(1e-3)], ids=["given weights", "growing weight"])
def test_the_last_stage_alone_is_trained_precisely(schedule):
    problem = blobs()
    rough, precise = Noting(1e-2), Noting(1e-9)
    run(LabelSwitching(half(problem), Counted(precise), Counted(rough), schedule), problem, max_iter=10_000)
    full = float(problem.weights[problem.unlabeled].max())
    assert precise.noted
    assert set(precise.noted) == {full}
    assert rough.noted[0] == 0.0
    assert 0 < max(rough.noted) < full


@pytest.mark.parametrize("hinge", [False, True])
@pytest.mark.parametrize("n_switches", [1, 3, None])
def test_the_objective_falls_with_every_training_of_a_stage(n_switches, hinge):
    for seed in range(4):
        seen = followed(blobs(hinge=hinge, seed=seed), n_switches=n_switches)
        for before, after in pairwise(seen):
            if before.stage == after.stage:
                assert after.value[0] < before.value[0] + (1e-5 if hinge else 0.0)
    assert any(before.stage == after.stage for before, after in pairwise(seen))


@pytest.mark.parametrize("hinge", [False, True])
@pytest.mark.parametrize("n_switches", [1, None])
def test_it_ends_where_the_positives_are_the_largest_scores(n_switches, hinge):
    problem = blobs(hinge=hinge, k=3)
    last = followed(problem, n_switches=n_switches)[-1]
    np.testing.assert_array_equal(last.labels, ArrayScores(last.point.scores[problem.unlabeled]).top(np.full(3, 25)))


def test_the_last_stage_is_trained_at_the_full_weight():
    problem = blobs()
    last = followed(problem)[-1]
    decided = problem.replace(unlabeled_loss=Fixed(SquaredHinge(), last.labels))
    assert last.facts["weight"] == 1.0
    assert last.value[0] == pytest.approx(decided.objective().value(last.point)[0], rel=1e-12)
    assert decided.objective().evaluate(last.point).stationarity[0] < 1e-8


def test_a_single_switch_changes_one_pair_and_keeps_the_count():
    labels = np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]])
    scores = ArrayScores(np.array([[3.0], [-2.0], [-1.0], [2.0], [1.0], [-3.0]]))
    balance = ExactCount(np.array([0.5]))
    one = switched(labels, scores, balance, 1)
    np.testing.assert_array_equal(one.ravel(), [1, -1, 1, 1, -1, -1])
    np.testing.assert_array_equal(labels.ravel(), [1, 1, 1, -1, -1, -1])
    np.testing.assert_array_equal(switched(labels, scores, balance, None).ravel(), [1, -1, -1, 1, 1, -1])
    np.testing.assert_array_equal(switched(labels, scores, balance, 7), switched(labels, scores, balance, None))


def test_the_switches_of_a_stage_are_counted():
    """Pair by pair: two labels with every training but the first of a stage."""
    seen = followed(blobs(seed=3), n_switches=1)
    assert len(seen) > 5
    for before, after in pairwise(seen):
        same = before.stage == after.stage
        assert after.facts["switches"] == (before.facts["switches"] + 2 if same else 0)


def test_equal_scores_never_switch():
    labels = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    assert switched(labels, ArrayScores(np.zeros((4, 1))), ExactCount(np.array([0.5])), None) is labels


def test_without_a_count_labels_end_as_signs():
    problem = blobs()
    for n_switches in (1, None):
        last = followed(problem, n_switches=n_switches, balance=NoBalance())[-1]
        np.testing.assert_array_equal(last.labels > 0, last.point.scores[problem.unlabeled] > 0)


def test_columns_are_separate_problems():
    problem = blobs(k=3)
    together = followed(problem, n_switches=1)[-1]
    for column in range(3):
        alone = followed(problem.columns(np.array([column])), n_switches=1)[-1]
        assert together.value[column] == pytest.approx(alone.value[0], rel=1e-9)
        np.testing.assert_array_equal(together.labels[:, column], alone.labels[:, 0])


@pytest.mark.parametrize("hinge", [False, True])
def test_sparse_rows_dense_rows_and_their_kernel_agree(hinge):
    X, _ = two_blobs()
    dense, sparse = Linear(X), Linear(sp.csr_array(X))
    values = []
    for space in (dense, sparse):
        problem = blobs(hinge=hinge, space=lambda _, space=space: space)
        retraining = DualRetraining(1e-6) if hinge else PrimalRetraining(NewtonCG(1e-9))
        values.append(followed(problem, retraining=retraining)[-1].value[0])
    assert values[0] == pytest.approx(values[1], rel=1e-5)


def test_dual_and_primal_training_of_the_squared_hinge_agree():
    problem = blobs(k=2)
    dual = followed(problem, retraining=DualRetraining(1e-7))[-1]
    primal = followed(problem)[-1]
    np.testing.assert_allclose(dual.value, primal.value, rtol=1e-6)
    np.testing.assert_array_equal(dual.labels, primal.labels)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("features", [True, False])
def test_a_hinge_trained_again_with_larger_weights_ends_where_a_fresh_one_does(features, free):
    problem = blobs(k=2, hinge=True, space=Linear if features else None)
    if not free:
        problem = problem.replace(bias=np.zeros(2))
    labels = half(problem).assign(ArrayScores(np.random.default_rng(0).normal(size=(len(problem.unlabeled), 2))))
    light = problem.weights.copy()
    light[problem.unlabeled] *= 0.1
    retraining = DualRetraining(1e-8)
    first = retraining.train(problem.replace(weights=light), labels, retraining.begin(problem, None), UNLIMITED)
    again = retraining.train(problem, labels, first, UNLIMITED)
    fresh = retraining.train(problem, labels, retraining.begin(problem, None), UNLIMITED)
    np.testing.assert_allclose(again.value, fresh.value, rtol=1e-7)
    np.testing.assert_allclose(again.point.scores, fresh.point.scores, atol=1e-5)


@pytest.mark.parametrize("free", [True, False])
def test_the_expected_variables_are_those_of_the_solution(free):
    """At a solution the scores of the hinge say where its variables are, but for those at the corner, which stay."""
    problem = blobs(k=2, hinge=True)
    if not free:
        problem = problem.replace(bias=np.zeros(2))
    labels = half(problem).assign(ArrayScores(np.random.default_rng(0).normal(size=(len(problem.unlabeled), 2))))
    retraining = DualRetraining(1e-8)
    trained = retraining.train(problem, labels, retraining.begin(problem, None), UNLIMITED)
    y = problem.y.copy()
    y[problem.unlabeled] = labels
    again = expected(y, problem.weights, trained, 1e-8, free_bias=free)
    np.testing.assert_allclose(again, trained.dual.a, atol=1e-6)
    # with other weights they stay in the box and sum to zero
    other = expected(y, 3.0 * problem.weights, trained, 1e-8, free_bias=free)
    assert np.all(y * other >= 0)
    assert np.all(y * other <= 3.0 * problem.weights)
    assert np.abs(other - again).max() > 0.1
    if free:
        np.testing.assert_allclose(other.sum(axis=0), 0.0, atol=1e-9)


def test_never_below_the_enumerated_optimum():
    for seed in range(5):
        problem = blobs(n=18, seed=seed)
        best, _ = enumerated_optimum(problem.space.gram(), problem.weights[:, 0], problem.y[:, 0], 4)
        found = followed(problem, schedule=AT_ONCE)[-1].value[0]
        assert found >= best - 1e-8 * best


# ---------------------------------------------------------------- weights that grow faster where labels stay


def factors(schedule, switches):
    """The factors of a schedule, given the switches at each weight."""
    stages = schedule.stages(blobs())
    found = [next(stages)[0]["weight"]]
    for count in switches:
        try:
            found.append(stages.send(count)[0]["weight"])
        except StopIteration:
            break
    return np.array(found)


def test_the_growth_is_squared_where_labels_stay_and_small_again_where_they_do_not():
    quiet = factors(GrowingWeight(1e-5, growth=2.0, largest=30.0), [0] * 20)
    np.testing.assert_allclose(quiet[1:-1] / quiet[:-2], [4.0, 16.0, 30.0, 30.0])
    assert quiet[-1] == 1.0
    u = len(blobs().unlabeled)
    busy = factors(GrowingWeight(0.1, growth=1.5, few=0.02), [u // 2] * 20)
    np.testing.assert_allclose(busy[:-1], 0.1 * 1.5 ** np.arange(6))
    assert busy[-1] == 1.0
    few, many = int(0.2 * u), int(0.2 * u) + 1
    np.testing.assert_allclose(factors(GrowingWeight(1e-3, growth=2.0, few=0.2), [few, many]), [1e-3, 4e-3, 8e-3])


def test_growing_weights_train_at_the_full_weight_last_and_end_settled():
    problem = blobs(seed=3)
    seen = followed(problem, schedule=GrowingWeight())
    last = seen[-1]
    assert last.facts["weight"] == 1.0
    assert len({candidate.stage for candidate in seen}) < 20
    scores = ArrayScores(last.point.scores[problem.unlabeled])
    np.testing.assert_array_equal(last.labels, half(problem).assign(scores))
