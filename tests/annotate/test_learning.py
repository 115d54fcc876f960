"""The rows as numbers, the model of them, and what it says after a fit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from semisvm.annotate.learning import Workbench
from semisvm.annotate.messages import LearningTask, RankedRows
from semisvm.annotate.one_class import LEAST_LABELS, one_class_sentence
from semisvm.annotate.request import AnnotateRequest
from semisvm.annotate.space import nearest, twin_groups, two_directions
from semisvm.estimators import S3VM
from semisvm.estimators.positive_share import LEAST_ROWS
from semisvm.suggest import suggest_first_labels

from .conftest import clouds


def bench(frame, tmp_path, **options):
    return Workbench(frame, AnnotateRequest(tmp_path / "t.csv", "kind", new=True), **options)


def task(rows, codes, n_rows, drawn=(), given=None, version=1):
    rows = np.array(rows)
    unseen = np.ones(n_rows, dtype=bool)
    unseen[rows] = False
    return LearningTask(
        version, len(rows), rows, np.array(codes), np.isin(rows, drawn), np.ones(len(rows), dtype=bool), unseen
    )  # fmt: skip


def test_a_fit_guesses_every_row_and_suggests_rows_without_a_label(tmp_path):
    frame, truth = clouds()
    one = bench(frame, tmp_path)
    rows = [0, 1, 2, 3]
    learned = one.learn(task(rows, [7, 2, 7, 2], len(frame), version=5))
    assert (learned.version, learned.n_labels) == (5, 4)
    assert (np.where(truth == "left", 7, 2) == learned.codes).all()
    assert learned.confidence.min() >= 0.5
    assert not set(learned.suggested) & set(rows)
    assert learned.gain is None
    assert learned.doubts == []


def test_gain_and_changes_are_counted_against_twenty_labels_earlier(tmp_path):
    frame, truth = clouds(80)
    codes = (truth == "right").astype(int)
    one = bench(frame, tmp_path)
    rows = np.arange(0, 80, 2)  # wrong labels first: half of the left ones are said to be right
    wrong = codes.copy()
    wrong[frame["a"] > 0] = 0
    wrong[frame["a"] <= 0] = 1
    first = one.learn(task(range(10), wrong[:10], 80))
    assert first.gain is None
    second = one.learn(task(range(30), codes[:30], 80, version=2))
    assert 0.3 < second.gain <= 1.0
    assert second.changed == 50
    third = one.learn(task(range(50), codes[:50], 80, version=3))
    assert (third.gain, third.changed) == (0.0, 0)
    assert len(rows) == 40


def test_a_label_that_is_wrong_is_doubted(tmp_path):
    frame, truth = clouds()
    codes = (truth == "right").astype(int)
    codes[4] = 1 - codes[4]
    learned = bench(frame, tmp_path).learn(task(range(24), codes[:24], len(frame)))
    assert [one.row for one in learned.doubts] == [4]
    assert (learned.doubts[0].code, learned.doubts[0].instead) == (codes[4], 1 - codes[4])


def test_a_table_of_many_rows_is_learned_from_a_draw_and_guessed_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("semisvm.annotate.learning.POOL", 50)
    monkeypatch.setattr("semisvm.annotate.learning.CHUNK", 64)
    frame, truth = clouds(300)
    one = bench(frame, tmp_path)
    assert len(one.ready().pool) == 50
    learned = one.learn(task([0, 1, 2, 3], [0, 1, 0, 1], 300))
    assert one.model.transduction_.shape[0] <= 54
    assert ((truth == "right").astype(int) == learned.codes).all()


def test_a_table_with_very_many_labels_is_learned_from_some_of_them(tmp_path, monkeypatch):
    monkeypatch.setattr("semisvm.annotate.learning.MOST_GIVEN", 30)
    frame, truth = clouds(100)
    one = bench(frame, tmp_path)
    one.learn(task(range(90), (truth == "right").astype(int)[:90], 100))
    assert one.model.report_.n_labeled == 30


def test_spread_rows_are_typical_and_cover_the_table():
    frame, truth = clouds(200)
    X = np.vstack([frame.to_numpy(), [[500.0, 500.0, 500.0]]])
    rows = suggest_first_labels(X, 10)
    assert len(set(rows.tolist())) == 10
    assert set(truth[rows[:2]]) == {"left", "right"}
    assert 200 not in rows[:3].tolist(), "an outlier is no typical row"
    sparse = suggest_first_labels(sp.random(300, 1000, density=0.01, format="csr", random_state=0), 5)
    assert len(set(sparse.tolist())) == 5


def test_first_labels_of_few_different_rows_are_these():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 30, axis=0)
    assert suggest_first_labels(X, 5).tolist() == [0, 30]
    assert suggest_first_labels(sp.csr_array(np.eye(40, 400)[[0] * 20 + [1] * 20]), 5).tolist() == [0, 20]
    with pytest.raises(ValueError, match="k"):
        suggest_first_labels(X, 0)


def test_twins_have_the_same_cells_blanks_too():
    frame = pd.DataFrame({"a": ["1", "1", "2", None, None, "1"], "b": ["x", "x", "x", "y", "y", "z"]})
    groups = twin_groups(frame)
    assert groups[0] == groups[1]
    assert groups[3] == groups[4]
    assert len(np.unique(groups)) == 4
    assert len(np.unique(twin_groups(pd.DataFrame({"a": [[1, 2], [1, 2], [2, 1]]}, dtype=object)))) == 2


def test_the_same_hash_alone_makes_no_twins(monkeypatch):
    monkeypatch.setattr(pd.util, "hash_pandas_object", lambda frame, index: pd.Series(np.zeros(len(frame), np.uint64)))
    assert len(np.unique(twin_groups(pd.DataFrame({"a": ["1", "2", "1", "3"]})))) == 4 - 1


def test_nearest_rows_come_in_order():
    space = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    assert [row for row, _ in nearest(space, 0, np.array([1, 2, 3]), 2)] == [2, 3]
    assert nearest(sp.csr_array(space), 0, np.array([1, 2]), 5)[0] == (2, pytest.approx(1.0))
    assert nearest(space, 0, np.zeros(0, dtype=int), 2) == []


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_every_row_has_a_place_on_the_map(columns, rng):
    places = two_directions(rng.normal(size=(50, columns)), np.arange(40))
    assert places.shape == (50, 2)
    assert np.abs(places).max() <= 1.08
    assert np.isfinite(places).all()


def test_the_same_rows_are_fitted_again_and_drawn_labels_are_named(tmp_path, monkeypatch):
    calls = []

    class Watched(S3VM):
        def fit(self, X, y, sample_weight=None, *, drawn=None):
            calls.append(("fit", np.flatnonzero(drawn).tolist()))
            return super().fit(X, y, sample_weight, drawn=drawn)

        def refit(self, y, sample_weight=None, *, drawn=None):
            calls.append(("refit", np.flatnonzero(drawn).tolist()))
            return super().refit(y, sample_weight, drawn=drawn)

    monkeypatch.setattr("semisvm.annotate.learning.S3VM", Watched)
    frame, truth = clouds(60)
    codes = (truth == "right").astype(int)
    one = bench(frame, tmp_path)
    learned = one.learn(task([2, 3, 4, 5], codes[[2, 3, 4, 5]], 60, drawn=[3]))
    assert learned.estimate is None
    rows = list(range(24))
    learned = one.learn(task(rows, codes[rows], 60, drawn=rows[4:]))
    assert calls == [("fit", [3]), ("refit", rows[4:])]
    assert learned.estimate.n == 20
    assert learned.estimate.low <= learned.estimate.error <= learned.estimate.high


def test_labels_of_one_class_rank_every_row(tmp_path):
    frame, truth = clouds(120)
    lefts = np.flatnonzero(truth == "left")
    given = task(lefts[:12], [3] * 12, len(frame))
    ranked = bench(frame, tmp_path).learn(replace(given, classes=("a", "b", "c", "left")))
    assert isinstance(ranked, RankedRows)
    assert len(ranked.score) == len(frame)
    rest = np.setdiff1d(np.arange(len(frame)), lefts[:12])
    top = rest[np.argsort(-ranked.score[rest])][:20]
    assert np.mean(truth[top] == "left") > 0.9
    assert ranked.suggested[:20] == top.tolist()
    assert ranked.label == "left"
    assert 0 < ranked.prior_interval[0] <= ranked.prior <= ranked.prior_interval[1] < 1
    taken, shares = zip(*ranked.recall, strict=True)
    assert list(taken) == sorted(taken)
    assert list(shares) == sorted(shares)
    assert shares[-1] > 0.8
    low, high = ranked.prior_interval
    assert ranked.gives_classes == (high - low <= 0.1)


def test_a_share_that_is_given_gives_classes(tmp_path):
    frame, truth = clouds(120)
    lefts = np.flatnonzero(truth == "left")
    request = AnnotateRequest(tmp_path / "t.csv", "kind", new=True, ratio=0.25)
    given = replace(task(lefts[:12], [0] * 12, len(frame)), classes=("left",))
    ranked = Workbench(frame, request).learn(given)
    assert (ranked.prior, ranked.prior_interval, ranked.gives_classes) == (0.25, (0.25, 0.25), True)
    assert np.count_nonzero(ranked.score[given.open] > 0) == round(0.25 * given.open.sum())
    assert "25% of the others are left, as was said." in one_class_sentence(ranked)


@pytest.mark.parametrize("ratio", [0.0, 1.0, -0.1, float("nan")])
def test_a_share_is_between_none_and_all(tmp_path, ratio):
    (tmp_path / "t.csv").write_text("a,kind\n1,\n")
    with pytest.raises(ValueError, match=r"--ratio .* was given: a share between 0 and 1 is needed\."):
        AnnotateRequest(tmp_path / "t.csv", "kind", ratio=ratio).check_places()


def test_as_many_labels_as_an_estimate_needs():
    assert LEAST_LABELS == LEAST_ROWS
