"""Frames, notebooks and the prompt: text is refused with a way out, types and names are kept, reports can be shown."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import semisvm
from semisvm import S3VM, SupervisedSVM
from semisvm.plots import plot_decision_boundary

ROWS = np.random.default_rng(0).normal(size=(12, 2)) + 4 * (np.arange(12) % 2)[:, None]


@pytest.mark.parametrize(
    ("X", "where"),
    [
        (pd.DataFrame({"n": 1.0, "color": ["red"] * 6}), "'red' in column 'color'"),
        (pd.DataFrame({"n": 1.0, "color": pd.Categorical(["red"] * 6)}), "'red' in column 'color'"),
        (pl.DataFrame({"n": [1.0] * 6, "color": ["red"] * 6}), "'red' in column 'color'"),
        (np.array([["1", "red"]] * 6), "'red' in column 1"),
        (np.array([["x" * 99, 1.0]] * 6, dtype=object), f"'{'x' * 40}...' in column 0"),
    ],
)
def test_text_in_rows_is_refused_with_the_way_to_numbers(X, where):
    with pytest.raises(ValueError) as refused:
        SupervisedSVM().fit(X, [0, 1, -1] * 2)
    assert str(refused.value) == (
        f"X holds text ({where}) and numbers are needed: semisvm.tables.TablePreparation makes numbers of the columns "
        "of a table."
    )


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (pd.Series([0, 1, pd.NA] * 4, dtype="Int8"), "int8"),
        (pd.Series([2**60 + 1, 2**60 + 3, pd.NA] * 4, dtype="Int64"), "int64"),
        (pd.Series(pd.Categorical([3, 5, None] * 4)), "int64"),
        (pl.Series([1, 2, None] * 4, dtype=pl.Int16), "int16"),
        (pl.Series([1, 2, None] * 4, dtype=pl.UInt8), "uint8"),
    ],
)
def test_whole_numbers_stay_whole_where_some_are_missing(labels, dtype):
    model = SupervisedSVM().fit(ROWS, labels)
    assert model.classes_.dtype == dtype
    assert model.classes_.tolist() == sorted(set(labels.to_list()[:2]))
    assert model.predict(ROWS).dtype == dtype


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_boundary_keeps_the_names_of_a_frame(frame, recwarn):
    pytest.importorskip("matplotlib").use("Agg")
    X = frame({"tall": ROWS[:, 0], "wide": ROWS[:, 1]})
    y = np.where(np.arange(12) < 6, np.arange(12) % 2, -1)
    ax = plot_decision_boundary(SupervisedSVM().fit(X, y), X, y, resolution=10)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("tall", "wide")
    assert not [one for one in recwarn if "feature names" in str(one.message)]


def test_the_package_shows_what_it_offers_and_nothing_else():
    assert dir(semisvm) == sorted(semisvm.__all__)
    assert not [name for name in dir(semisvm) if name.startswith("_") and name != "__version__"]


def test_a_report_can_be_shown_in_a_notebook():
    y = np.where(np.arange(12) < 6, np.array(["<a>", "b"])[np.arange(12) % 2], None)
    report = S3VM(method="gradient").fit(ROWS, y).report_
    shown = report._repr_html_()
    assert shown.startswith("<p><b>")
    assert "<a>" not in shown
    assert "&lt;a&gt;" in shown
    assert shown.count("<pre>") == shown.count("</pre>") == 1
