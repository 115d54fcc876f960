"""Every way to write labels, and every misunderstanding worth a sentence."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from semisvm.estimators.labels import read_labels

FORMS = {
    "integers, -1": [0, 1, -1, 1, -1],
    "floats, NaN": [0.0, 1.0, np.nan, 1.0, -1.0],
    "text, None": ["a", "b", None, "b", None],
    "text, -1": ["a", "b", -1, "b", -1],
    "objects, NaN": np.array(["a", "b", np.nan, "b", None], dtype=object),
    "objects, -1": np.array(["a", "b", -1, "b", -1], dtype=object),
    "pandas.NA": pd.Series(["a", "b", pd.NA, "b", pd.NA], dtype="string"),
    "pandas categorical": pd.Series(pd.Categorical(["a", "b", None, "b", None])),
    "pandas Int64": pd.Series([0, 1, None, 1, -1], dtype="Int64"),
    "booleans in objects": np.array([False, True, None, True, None], dtype=object),
}


@pytest.mark.filterwarnings("ignore:2 rows with label -1")
@pytest.mark.filterwarnings("ignore:1 rows with label -1 are taken as unlabeled")
@pytest.mark.parametrize("y", FORMS.values(), ids=FORMS)
def test_unlabeled_rows_are_found_in_any_form(y):
    labels = read_labels(y)
    assert_array_equal(labels.codes, [0, 1, -1, 1, -1])
    assert_array_equal(labels.labeled, [0, 1, 3])
    assert_array_equal(labels.unlabeled, [2, 4])


def test_the_marker_is_a_parameter():
    assert_array_equal(read_labels([0, 1, 2, 0], unlabeled=0).codes, [-1, 0, 1, -1])
    assert_array_equal(read_labels(["x", "?", "y"], unlabeled="?").codes, [0, -1, 1])
    assert_array_equal(read_labels([-1, 1, -1], unlabeled=None).codes, [0, 1, 0])


def test_signs_are_one_column_for_two_classes_and_one_each_beyond():
    assert_array_equal(read_labels([0, 1, None]).signs(), [[-1], [1], [0]])
    assert_array_equal(read_labels([0, 2, 1, None]).signs(), [[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [0, 0, 0]])


@pytest.mark.parametrize(
    ("y", "unlabeled", "text"),
    [
        ([-1, -1, -1], -1, "None of the 3 rows is labeled"),
        ([1, -1, 1, -1], -1, "y has 1 class.*2 rows equal unlabeled=-1.*-1/\\+1"),
        ([2, 2, None], -1, "y has 1 class.*label some rows of another class"),
        ([0.0, np.nan], None, "y contains NaN in 1 rows while unlabeled=None"),
        (np.eye(3), -1, "y has 3 columns .* one column of labels is needed"),
        ([0.5, 1.5, 2.7], -1, "Unknown label type"),
    ],
)
def test_refusals(y, unlabeled, text):
    with pytest.raises(ValueError, match=text):
        read_labels(y, unlabeled)


def test_text_and_numbers_do_not_mix_as_classes():
    with pytest.raises(TypeError, match="y mixes text and numbers as classes"):
        read_labels(np.array(["a", 1, None], dtype=object))


def test_few_minus_ones_beside_plus_ones_are_asked_about():
    with pytest.warns(UserWarning, match="2 rows with label -1 are taken as unlabeled, fewer than the 5 labeled rows"):
        read_labels([1, 1, 0, 2, 1, -1, -1])


def test_many_minus_ones_and_missing_values_are_not(recwarn):
    read_labels([1, 0, 1, None])
    read_labels([1, 0, -1, -1, -1])
    read_labels([2, 0, 3, -1])
    assert not recwarn
