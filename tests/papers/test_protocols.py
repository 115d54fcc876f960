"""Each protocol against what can be worked out by hand."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from semisvm import CCCPS3VM, BranchAndBoundS3VM, LaplacianSVM, SupervisedSVM, s3vm_objective
from semisvm.datasets import hide_labels
from semisvm.optim import conjugate_gradient
from semisvm.optim.breakpoint_search import exact_step
from semisvm_papers.grids import ChosenByAllLabels
from semisvm_papers.held_out import BiasedHeldOut, FewerUnlabeled, HeldOut, HeldOutOfAll
from semisvm_papers.protocols import (
    Followed,
    Inductive,
    LabeledAlone,
    Pairwise,
    PartlyLabeled,
    Retrained,
    Sensitivity,
    Sweep,
    Transductive,
)
from semisvm_papers.protocols.pairwise import pairs_of
from semisvm_papers.protocols.reading import take_protocol
from semisvm_papers.protocols.scoring import macro_error_pct
from semisvm_papers.sources import source_of
from semisvm_papers.tasks import FreshDraws, Task

MOONS = FreshDraws("make_two_moons", labeled=[0, 1], arguments={"n": 40, "nuisance": 0})
G50C = FreshDraws("make_g50c", labeled=range(20), arguments={"n_samples": 80, "n_features": 5})


class Predetermined(ClassifierMixin, BaseEstimator):
    """Errs where it should: the first `wrong` rows of those it is asked for."""

    def __init__(self, gamma=1.0, C=1.0, C_unlabeled="equal", ratio=None, wrong=0):
        self.gamma = gamma
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.ratio = ratio
        self.wrong = wrong

    def fit(self, X, y):
        self.objective_, self.n_iter_ = np.array([self.C]), 1
        self.transduction_ = self.predict(X)
        return self

    def predict(self, X):
        truth = X[:, 0].astype(int)
        truth[: self.wrong] = 1 - truth[: self.wrong]
        return truth


def plain_task(n=20, **more):
    y = np.arange(n) % 2
    return Task(y[:, None].astype(float), y, np.arange(2), **more)


def test_macro_error_is_the_mean_over_classes():
    assert macro_error_pct(np.array([0, 0, 0, 0]), np.array([0, 0, 0, 1])) == 50


def test_transductive_measures_certificates():
    task = next(MOONS.tasks())
    outcome = Transductive().measure(lambda: BranchAndBoundS3VM(C=10, gamma=2.0, time_limit=300), task, 0)
    facts = outcome.measures
    assert facts["certified"] == 1.0
    assert facts["lower_bound"] <= facts["upper_bound"] == pytest.approx(outcome.objective)
    assert facts["gap"] <= 1e-6
    assert facts["n_unlabeled"] == 38


class Remembers(Predetermined):
    """Keeps the rows and labels of its last fit."""

    rows: np.ndarray
    labels: np.ndarray

    def fit(self, X, y):
        type(self).rows, type(self).labels = X[:, 1], y
        return super().fit(X, y)


def test_training_sees_the_test_rows_in_the_place_of_the_unlabeled_ones():
    y = np.arange(20) % 2
    task = Task(np.column_stack([y, np.arange(20)]).astype(float), y, np.arange(2), test=np.arange(15, 20), scored="T")
    outcome = Transductive(sees="test").measure(lambda: Remembers(wrong=3), task, 0)
    assert_array_equal(Remembers.rows, [0, 1, 15, 16, 17, 18, 19])
    assert_array_equal(Remembers.labels, [0, 1, -1, -1, -1, -1, -1])
    # of the three wrong rows two are labeled ones, which are not scored
    assert outcome.error_pct == 20
    assert outcome.measures["n_unlabeled"] == 5
    with pytest.raises(ValueError, match="sees = 'all' is not known"):
        Transductive(sees="all")


def test_inductive_measures_every_part():
    task = plain_task(20, test=np.arange(15, 20), scored="T")
    measures = Inductive().measure(lambda: Predetermined(wrong=1), task, 0).measures
    # training rows 0 to 14, of which 0 is labeled; one of five test rows is wrong
    assert measures["error_U_pct"] == 0
    assert measures["error_T_pct"] == 20
    assert measures["difference_pct"] == 20
    assert "error_V_pct" not in measures


@pytest.mark.parametrize("n_classes", [2, 3])
def test_line_searches_are_counted_by_the_pieces_that_they_cross(n_classes, monkeypatch):
    task = three_classes()
    if n_classes == 2:
        task = Task(task.X[:30], task.y[:30], np.array([0, 1, 2, 15, 16, 17]))
    counted = []

    def step_of(line):
        size = exact_step(line)
        knots = line.breakpoints()
        counted.extend((1 + np.sum((knots > 0) & (knots < size), axis=0))[size > 0].tolist())
        return size

    monkeypatch.setattr(conjugate_gradient, "exact_step", step_of)
    task = replace(task, test=task.unlabeled[:5], scored="T")
    outcome = Inductive(counts_line_searches=True).measure(lambda: LaplacianSVM(solver="pcg", gamma_A=1e-4), task, 0)
    assert max(counted) > 1
    assert outcome.measures["line_search_iterations"] == pytest.approx(np.mean(counted))
    without = Inductive().measure(lambda: LaplacianSVM(solver="pcg", gamma_A=1e-4), task, 0)
    assert "line_search_iterations" not in without.measures
    assert without.error_pct == outcome.error_pct


def test_validation_rows_are_scored_unless_they_are_what_is_left():
    stops_by = plain_task(20, validation=np.array([18, 19]), test=np.arange(15, 18), scored="T")
    left = plain_task(20, validation=np.arange(5, 15), test=np.arange(15, 20), scored="T")
    assert Inductive().measure(lambda: Predetermined(wrong=1), stops_by, 0).measures["error_V_pct"] == 50
    assert "error_V_pct" not in Inductive().measure(lambda: Predetermined(wrong=1), left, 0).measures


def test_labeled_rows_alone_are_seen_by_nearest_neighbors():
    task = next(G50C.tasks())
    outcome = LabeledAlone().measure(lambda: KNeighborsClassifier(1), task, 0)
    nearest = KNeighborsClassifier(1).fit(task.X[:20], task.y[:20]).predict(task.X[20:])
    assert outcome.error_pct == 100 * np.mean(nearest != task.y[20:])


def test_retrained_objective_is_that_of_the_labels():
    task = next(G50C.tasks())
    outcome = Retrained().measure(lambda: CCCPS3VM(loss="squared_hinge", C=2, C_unlabeled="equal", gamma=0.1), task, 0)
    partial = hide_labels(task.y, task.labeled)
    model = CCCPS3VM(loss="squared_hinge", C=2, C_unlabeled="equal", gamma=0.1).fit(task.X, partial)
    expected = s3vm_objective(task.X, partial, model.transduction_, C=2, C_unlabeled="equal", gamma=0.1)
    assert outcome.objective == pytest.approx(expected)
    assert outcome.measures["own_objective"] == pytest.approx(float(np.mean(model.objective_)))


def three_classes():
    random = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 15)
    X = np.eye(3)[y] * 2 + random.normal(size=(45, 3))
    return Task(X, y, np.array([0, 1, 15, 16, 30, 31]))


def test_each_machine_labels_as_many_rows_as_its_class_has():
    task = three_classes()
    model = {"kernel": "rbf", "gamma": 0.3, "C": 2.0}
    outcome = Retrained(assign="count").measure(lambda: SupervisedSVM(loss="squared_hinge", **model), task, 0)
    partial = hide_labels(task.y, task.labeled)
    svm = SupervisedSVM(loss="squared_hinge", **model).fit(task.X[task.labeled], task.y[task.labeled])
    errors, objectives = [], []
    for one in range(3):
        labels = (task.y == one).astype(int)
        scores = svm.decision_function(task.X[task.unlabeled])[:, one]
        labels[task.unlabeled] = (scores >= np.sort(scores)[::-1][12]).astype(int)
        errors.append(100 * np.mean(labels[task.unlabeled] != (task.y == one)[task.unlabeled]))
        given = np.where(partial >= 0, (partial == one).astype(int), -1)
        objectives.append(s3vm_objective(task.X, given, labels, C_unlabeled="equal", **model))
    assert outcome.measures["machine_error_pct"] == pytest.approx(np.mean(errors))
    assert outcome.measures["machine_objective"] == pytest.approx(np.mean(objectives))
    assert outcome.measures["machine_objective"] != pytest.approx(outcome.objective)


def test_two_classes_have_one_reading():
    task = next(G50C.tasks())
    outcome = Retrained("count").measure(lambda: SupervisedSVM(loss="squared_hinge", C=2, gamma=0.1), task, 0)
    assert outcome.measures["machine_objective"] == pytest.approx(outcome.objective)
    assert outcome.measures["machine_error_pct"] == pytest.approx(outcome.error_pct)


@pytest.mark.filterwarnings("ignore:30 rows with label -1 are taken as unlabeled")
def test_partly_labeled_solutions_end_at_the_true_one():
    task = next(G50C.tasks())
    outcomes = [
        PartlyLabeled(share).measure(lambda: SupervisedSVM(C=2, gamma=0.1), task, 0) for share in (0.0, 0.5, 1.0)
    ]
    assert outcomes[2].error_pct == 0
    assert outcomes[1].error_pct <= outcomes[0].error_pct
    true = s3vm_objective(task.X, hide_labels(task.y, task.labeled), task.y, C=2, C_unlabeled="equal", gamma=0.1)
    assert outcomes[2].objective == pytest.approx(true)
    assert outcomes[2].measures["machine_objective"] == pytest.approx(true)
    assert [one.measures["machine_error_pct"] for one in outcomes] == [one.error_pct for one in outcomes]


def test_pairs_keep_the_labels_of_their_two_classes():
    y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    task = Task(np.arange(9.0)[:, None], y, np.array([0, 1, 2, 4]))
    pairs = list(pairs_of(task))
    assert [pair.X.ravel().tolist() for pair in pairs] == [[0, 1, 3, 4, 6, 7], [0, 2, 3, 5, 6, 8], [1, 2, 4, 5, 7, 8]]
    assert_array_equal(pairs[0].labeled, [0, 1, 3])
    assert_array_equal(pairs[2].y, [0, 1, 0, 1, 0, 1])


def test_pairwise_errors_are_averaged_and_ratios_are_those_of_the_pairs():
    seen = []

    class Spy(Predetermined):
        def fit(self, X, y):
            seen.append(self.ratio)
            return super().fit(X, y)

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    y = np.array([0, 1, 2] + [0] * 3 + [1] * 1 + [2] * 6)
    task = Task(np.zeros((13, 1)), y, np.arange(3))
    outcome = Pairwise().measure(lambda: Spy(ratio=task.true_ratio()), task, 0)
    assert_allclose(seen, [1 / 4, 6 / 9, 6 / 7])
    assert_allclose(outcome.measures["pair_errors_pct"], [25, 600 / 9, 600 / 7])
    assert outcome.error_pct == pytest.approx(np.mean([25, 600 / 9, 600 / 7]))


def test_sensitivity_tries_27_settings_around_the_given_one():
    seen = []

    class Spy(Predetermined):
        def fit(self, X, y):
            seen.append((self.gamma, self.C, self.C_unlabeled))
            # the default has 4 wrong rows of 18, the narrowest kernel none
            self.wrong = 0 if self.gamma == 4.0 else 6
            return super().fit(X, y)

    outcome = Sensitivity().measure(lambda: Spy(gamma=1.0, C=2.0), plain_task(), 0)
    assert len(set(seen)) == 27
    assert {gamma for gamma, _, _ in seen} == {4.0, 1.0, 0.25}
    assert_allclose(sorted({C for _, C, _ in seen}), [0.2, 2, 20])
    assert all(any(np.isclose(weight / C, share) for share in (0.01, 0.1, 1)) for _, C, weight in seen)
    assert outcome.error_pct == pytest.approx(400 / 18)
    assert outcome.measures["gain_pct"] == 100
    assert outcome.measures["spread_pct"] == pytest.approx(np.std(outcome.measures["errors_pct"]))


def test_a_sweep_gives_a_curve():
    outcome = Sweep("wrong", [2, 11]).measure(Predetermined, plain_task(), 0)
    assert outcome.measures["swept"] == [2, 11]
    assert outcome.measures["errors_pct"] == [0, 50]
    assert outcome.error_pct == 50
    assert len(outcome.measures["times"]) == 2
    with pytest.raises(ValueError, match="values of C is empty and at least one value is needed"):
        Sweep("C", [])


@pytest.mark.filterwarnings("ignore:LaplacianSVM stopped at max_iter=12")
def test_a_run_is_followed_iteration_by_iteration():
    task = next(HeldOut(G50C, 0.25).tasks())
    build = lambda: LaplacianSVM(gamma=0.1, max_iter=12, tol=1e-14)  # noqa: E731
    outcome = Followed(stops_early=False).measure(build, task, 0)
    curves = outcome.measures
    assert curves["iteration"] == list(range(1, 13))
    assert np.all(np.diff(curves["objective_curve"]) <= 1e-12)
    assert curves["objective_curve"][-1] == pytest.approx(outcome.objective)
    assert curves["error_T_curve"][-1] == outcome.error_pct
    assert curves["error_U_curve"][-1] == outcome.measures["error_U_pct"]
    for name in ("gradient", "preconditioned", "mixed"):
        assert len(curves[f"{name}_curve"]) == 12


def test_a_followed_run_may_stop_early():
    task = next(G50C.tasks())
    outcome = Followed().measure(lambda: LaplacianSVM(gamma=0.1), task, 0)
    assert len(outcome.measures["iteration"]) == outcome.n_iter < 100


def test_parameters_by_all_labels_look_at_labels_no_method_sees():
    task = next(G50C.tasks())
    seen = []

    class Spy(Predetermined):
        def fit(self, X, y):
            seen.append((self.gamma, (y >= 0).sum()))
            return super().fit(X, y)

    ChosenByAllLabels({"gamma": [1e4, 0.1]}).measure(Spy, task, 0)
    assert seen == [(0.1, 20)]


def test_held_out_rows_are_a_share_of_the_unlabeled_ones():
    first, second = islice(HeldOut(G50C, 0.25).tasks(), 2)
    assert (len(first.test), len(first.unlabeled), first.scored) == (15, 45, "T")
    assert set(first.test) != set(second.test)
    assert not set(first.test) & set(first.labeled)


def test_half_of_all_rows_is_held_out_and_none_of_the_labeled_ones():
    first, second = islice(HeldOutOfAll(G50C, 0.5).tasks(), 2)
    assert (len(first.labeled), len(first.unlabeled), len(first.test), first.scored) == (20, 20, 40, "T")
    assert set(first.test) != set(second.test)
    assert not set(first.test) & set(first.labeled)
    with pytest.raises(ValueError, match=r"held_out_of_all = 0\.9 was given, which are 72 rows, but only 60"):
        next(HeldOutOfAll(G50C, 0.9).tasks())


def test_biased_rows_lie_along_a_direction_of_a_known_angle():
    for task in islice(BiasedHeldOut(G50C, 0.25).tasks(), 5):
        line = task.X[task.y == 1].mean(axis=0) - task.X[task.y == 0].mean(axis=0)
        gap = task.X[task.test].mean(axis=0) - task.X[task.unlabeled].mean(axis=0)
        cosine = abs(gap @ line) / np.linalg.norm(gap) / np.linalg.norm(line)
        assert 0 <= task.facts["angle"] <= 90
        # the gap between the parts follows the direction of the bias, up to the scatter of 60 rows
        assert abs(np.degrees(np.arccos(cosine)) - task.facts["angle"]) < 35


def test_fewer_unlabeled_rows_are_nested():
    few, more = (next(FewerUnlabeled(G50C, n).tasks()) for n in (10, 30))
    assert (len(few.labeled), len(few.unlabeled), len(more.unlabeled)) == (20, 10, 30)
    assert {tuple(row) for row in few.X} <= {tuple(row) for row in more.X}
    with pytest.raises(ValueError, match="keep_unlabeled = 100 was given, but only 60 rows are unlabeled: give fewer"):
        next(FewerUnlabeled(G50C, 100).tasks())


def test_sources_are_changed_by_entries():
    data = {"load": "make_g50c", "splits": "fresh", "labeled": range(20), "arguments": {"n_samples": 80}}
    task = next(source_of({**data, "keep_unlabeled": 40, "held_out": 0.25}).tasks())
    assert (len(task.unlabeled), len(task.test)) == (30, 10)
    assert source_of({**data, "held_out": 0.25}).load == "make_g50c"


def test_protocols_are_read_with_what_they_repeat():
    entry = {"protocol": "pairwise", "each": {"protocol": "transductive", "assign": "count"}, "method": "SVM"}
    assert take_protocol(entry) == Pairwise(Transductive("count"))
    assert entry == {"method": "SVM"}
    with pytest.raises(ValueError, match="protocol 'magic' is not known: use one of transductive, inductive"):
        take_protocol({"protocol": "magic"})
