"""Kinds of columns, and their cells as numbers."""

import datetime

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from semisvm.tables import blank_cells, column_of
from semisvm.tables.columns import as_list


def column(*cells, **how):
    series = pd.Series(list(cells), name="c", dtype=object)
    return column_of(series, **how), series


KINDS = {
    "numeric": ("1", "2.5", "-3e2", ""),
    "boolean": ("yes", "No", "", "yes"),
    "date": ("2024-01-31", "2023-12-01 10:30", "NA", "2024-05-05"),
    "categorical": ("red", "blue", "red", "blue", "red", "blue", "red", ""),
    "embedding": ("[1, 2]", "[3.5, 4]", "", "[0, 0]"),
    "text": ("a cat sat on mats", "the dog ran off home", "one more long cat line", "and a dog line here"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_are_found_from_cells(kind):
    found, series = column(*KINDS[kind])
    assert found.kind == kind
    numbers = found.numbers(series)
    numbers = numbers if isinstance(numbers, np.ndarray) else numbers.toarray()
    assert len(numbers) == len(series)
    assert np.isfinite(numbers).all()
    assert numbers.any()


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["", "NA", "?"], "every cell is blank"),
        (["7", "7", "7"], "every cell is the same"),
        (["red", "red", "red"], "every cell is the same"),
        (["4", "5", "6", "7"], "it counts the rows"),
        (["Ada", "Bob", "Cleo", "Dan"], "nearly every cell is different, as names and identifiers are"),
    ],
)
def test_columns_that_say_nothing_are_left_out_and_it_is_said_why(cells, why):
    found, series = column(*cells)
    assert (found.kind, found.description) == ("left out", why)
    assert found.numbers(series).shape == (len(cells), 0)


def test_missing_numbers_become_the_median_and_are_marked():
    found, series = column("1", "", "5", "n/a", "9")
    assert found.n_missing == 2
    assert found.description == "blanks become the median, 5, and are marked"
    np.testing.assert_array_equal(found.numbers(series), [[1, 0], [5, 1], [5, 0], [5, 1], [9, 0]])
    # what was never seen in training is missing, too
    np.testing.assert_array_equal(found.numbers(pd.Series(["many", "inf"])), [[5, 1], [5, 1]])


def test_strings_of_numbers_are_read_alike_whatever_stands_between():
    plain = pd.Series(["1.5", "", "-2e3", "0.1"], dtype="str")
    odd = pd.Series(["1.5", "n/a", " -2e3 ", "0.1"], dtype="str")
    found = column_of(plain.rename("c"))
    np.testing.assert_array_equal(found.numbers(plain), [[1.5, 0], [0.1, 1], [-2000, 0], [0.1, 0]])
    np.testing.assert_array_equal(found.numbers(odd), found.numbers(plain))


def test_booleans_dates_categories_and_lists():
    found, series = column("true", "F", "", "t")
    np.testing.assert_array_equal(found.numbers(series)[:, 0], [1, 0, 0.5, 1])
    found, series = column("01.02.1970", "28.02.1970", "11.01.1970")
    np.testing.assert_allclose(found.numbers(series)[:, 0], [31, 58, 10])
    # a Thursday and the next are at the same turn of the week
    week = found.numbers(pd.Series(["01.01.1970", "08.01.1970"]))[:, 3:]
    np.testing.assert_allclose(week[0], week[1], atol=1e-12)
    found, _ = column("a", "b", "a", "b", "a", "b", "a", "a")
    np.testing.assert_array_equal(found.numbers(pd.Series(["b", "new", None, "a"])), [[0, 1], [0, 0], [0, 0], [1, 0]])
    found, series = column([1.0, 2.0], None, np.array([3.0, 6.0]))
    np.testing.assert_array_equal(found.numbers(series), [[1, 2], [2, 4], [3, 6]])


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pd.Series(pd.to_datetime(["2024-01-01", None, "2024-03-05"])), "date"),
        (pd.Series(pd.to_datetime(["2024-01-01", "2024-03-05"], utc=True)), "date"),
        (pd.Series([datetime.date(2024, 1, 1), None, datetime.date(2024, 3, 5)]), "date"),
        (pd.Series(["a", "b", None, "b", "a", "b", "a", "b"], dtype="category"), "categorical"),
        (pd.Series([True, False, None], dtype=object), "boolean"),
        (pd.Series([1, None, 5], dtype="Int64"), "numeric"),
        (pd.Series([2024, 2021, 2023]), "numeric"),
    ],
)
def test_columns_of_known_types(cells, kind):
    found = column_of(cells.rename("c"))
    assert found.kind == kind
    assert found.n_missing == cells.isna().sum()
    assert np.isfinite(found.numbers(cells)).all()


def test_lists_of_unequal_lengths_are_no_embedding():
    assert column("[1, 2]", "[1]")[0].kind != "embedding"


def test_a_column_may_be_said_to_be_text():
    found, series = column("good", "bad", "good", text=True)
    assert found.kind == "text"
    assert found.numbers(series).shape == (3, 2)


@pytest.mark.parametrize("dtype", ["float64", "Int64", "object"])
def test_blank_cells_of_every_type(dtype):
    assert blank_cells(pd.Series([1, None, 3], dtype=dtype)).tolist() == [False, True, False]
    assert blank_cells(pd.Series([], dtype=dtype)).tolist() == []
    assert blank_cells(pd.Series(["", " ", "NA", "x"])).tolist() == [True, True, False, False]
    assert blank_cells(pd.Series([True, False])).tolist() == [False, False]


def test_decimal_commas_are_read_where_they_cannot_be_thousands():
    found, series = column("3,5", "-12", "0,25e1", "")
    assert (found.kind, found.description) == (
        "numeric",
        "blanks become the median, 2.5, and are marked, read with a decimal comma",
    )
    np.testing.assert_allclose(found.numbers(series)[:, 0], [3.5, -12, 2.5, 2.5])
    assert column("1,234", "5,678", "999,000", "1,234", "5,678", "1,234", "1,234", "5,678")[0].kind == "categorical"
    assert column("1,234", "0,5")[0].kind == "numeric"


def test_a_cell_of_brackets_without_end_is_no_list():
    assert as_list("[" * 100_000) is None
    assert_array_equal(as_list("[1, 2.5]"), [1, 2.5])


class Unprintable(np.ndarray):
    """A list that must not be written out as text."""

    def __str__(self):
        raise AssertionError("the numbers of a list were written out")


def test_lists_are_not_written_out_to_see_whether_they_are_blank():
    cells = [np.arange(3.0).view(Unprintable), None, np.ones(3).view(Unprintable), [], ""]
    assert blank_cells(pd.Series(cells, dtype=object)).tolist() == [False, True, False, False, True]
    assert column(cells[0], None, cells[2])[0].kind == "embedding"


def test_embeddings_keep_single_precision_beside_blank_cells():
    single = [np.array(one, dtype=np.float32) for one in ([1, 2], [3, 6])]
    found, series = column(single[0], None, single[1])
    numbers = found.numbers(series)
    assert numbers.dtype == np.float32
    assert_array_equal(numbers, [[1, 2], [2, 4], [3, 6]])
    # beside a list in double precision, and of no rows, they are in double precision
    assert found.numbers(pd.Series([single[0], [0.1, 0.2]], dtype=object)).dtype == np.float64
    assert found.numbers(series[:0]).shape == (0, 2)


def test_the_mean_of_large_lists_is_a_number():
    found, _ = column([1e308, 1.0], [1e308, 3.0], [1e308, 2.0])
    np.testing.assert_allclose(found.mean, [1e308, 2.0])
