"""Rows of sets without published splits: some classes, standardised columns, and sets with a test part of their own."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import datasets
from semisvm_papers import tasks
from semisvm_papers.records import Record
from semisvm_papers.tasks import DrawnSplits, Folds, OwnTestRows


def toy(n_train=30):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(3.0, 2.0, size=40), np.ones(40)])
    return datasets.Dataset("toy", X, np.arange(40) % 4, np.array(list("abcd")), "a toy", "none", n_train=n_train)


@pytest.fixture(autouse=True)
def loader(monkeypatch):
    monkeypatch.setattr(datasets, "load_toy", toy, raising=False)
    tasks._loaded.cache_clear()
    yield
    tasks._loaded.cache_clear()


def test_some_classes_standardised():
    task = next(DrawnSplits("load_toy", n_labeled=4, only=["d", "b"], standardised=True).tasks())
    assert len(task.y) == 20
    assert_allclose(task.X[:, 0].mean(), 0.0, atol=1e-12)
    assert_allclose(task.X[:, 0].std(), 1.0)
    assert_allclose(task.X[:, 1], 0.0)


@pytest.mark.parametrize("positive", [None, 2])
def test_labeled_and_unlabeled_rows_come_from_the_training_part(positive):
    source = OwnTestRows("load_toy", n_labeled=6, n_unlabeled=9, positive=positive)
    first, second = islice(source.tasks(), 2)
    for task in (first, second):
        assert len(task.labeled) == 6
        assert len(task.unlabeled) == 9
        assert task.training.max() < 30
        assert np.array_equal(task.scored_rows, np.arange(30, 40))
        assert set(task.y) == ({0, 1} if positive == 2 else {0, 1, 2, 3})
    assert not np.array_equal(first.labeled, second.labeled)
    again = next(source.tasks())
    assert np.array_equal(again.labeled, first.labeled)
    assert np.array_equal(again.unlabeled, first.unlabeled)


@pytest.mark.parametrize("n_unlabeled", [4, 10, 17])
def test_unlabeled_rows_come_from_the_test_part_first(n_unlabeled):
    first, second = islice(OwnTestRows("load_toy", n_labeled=6, n_unlabeled=n_unlabeled, test_first=True).tasks(), 2)
    for task in (first, second):
        assert len(task.unlabeled) == n_unlabeled
        assert np.sum(task.unlabeled >= 30) == min(n_unlabeled, 10)
        assert task.labeled.max() < 30
        assert not np.isin(task.labeled, task.unlabeled).any()
        assert_array_equal(task.scored_rows, np.arange(30, 40))
        assert_array_equal(task.training, np.union1d(task.labeled, task.unlabeled))
    without = islice(OwnTestRows("load_toy", n_labeled=6, n_unlabeled=0).tasks(), 2)
    for task, bare in zip((first, second), without, strict=True):
        assert_array_equal(task.labeled, bare.labeled)


def test_rows_less_the_mean_of_the_training_part_and_of_length_one():
    def rows(**changes):
        return next(OwnTestRows("load_toy", n_labeled=6, n_unlabeled=9, **changes).tasks()).X

    moved = toy().X - toy().X[:30].mean(axis=0)
    assert_allclose(rows(centred=True), moved)
    assert_allclose(rows(centred=True, unit_rows=True), moved / np.linalg.norm(moved, axis=1, keepdims=True))
    assert_array_equal(rows(), toy().X)


def test_a_set_without_a_test_part_is_refused():
    source = OwnTestRows("load_toy", n_labeled=6, n_unlabeled=9, arguments={"n_train": None})
    with pytest.raises(ValueError, match='toy has no test part of its own: use splits = "folds"'):
        next(source.tasks())


def test_four_folds_hold_a_quarter_of_every_class_each_and_are_drawn_anew_after_the_fourth():
    tasks = list(islice(Folds("load_toy", n_labeled=6).tasks(), 8))
    for task in tasks:
        # 40 rows of four classes: a quarter of 10 rows is 2
        assert_array_equal(np.bincount(task.y[task.test]), [2, 2, 2, 2])
        for drawn in (task.labeled, task.validation):
            assert len(drawn) == 6
            assert set(task.y[drawn]) == {0, 1, 2, 3}
        parts = np.concatenate([task.labeled, task.unlabeled, task.validation, task.test])
        assert_array_equal(np.sort(parts), np.arange(40))
    for shuffle in (tasks[:4], tasks[4:]):
        assert len(np.unique(np.concatenate([task.test for task in shuffle]))) == 32
    assert not np.array_equal(tasks[0].test, tasks[4].test)
    assert_array_equal(tasks[3].labeled, list(islice(Folds("load_toy", n_labeled=6).tasks(), 4))[3].labeled)


def test_halves_are_made_of_classes_that_all_have_labels():
    whole, halves = (next(Folds("load_toy", n_labeled=6, halves=halves).tasks()) for halves in (False, True))
    assert_array_equal(halves.y, whole.y // 2)
    assert_array_equal(halves.labeled, whole.labeled)


def test_folds_are_in_double_precision(monkeypatch):
    monkeypatch.setattr(datasets, "load_toy", lambda: replace(toy(), X=toy().X.astype(np.float32)))
    assert next(Folds("load_toy", n_labeled=6).tasks()).X.dtype == np.float64


def test_accuracy_is_what_the_error_leaves():
    record = Record("t", "d", "m", 0, 0, 12.5, 1.0, None, None, None, {}, "today")
    assert record.accuracy_pct == 87.5
    assert Record("t", "d", "m", 0, 0, None, 1.0, None, None, None, {}, "today", "failed").accuracy_pct is None
