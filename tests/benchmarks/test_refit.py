"""The benchmark of refits: its figures, with and without another build; and the growth of every method."""

import sys

import numpy as np
import pytest

from benchmarks import growth, refit

TINY = refit.RefitTask(120, 2, 20, fit=0.5, refit=0.15)


def test_fits_of_another_build_are_the_unit_where_there_is_one(monkeypatch):
    monkeypatch.setenv("SEMISVM_BENCH_DRAWS", "1")
    monkeypatch.delenv(refit.BASE, raising=False)
    own = list(refit.figures((TINY,)))
    assert [(one.method, one.unit, one.bar) for one in own] == [
        ("refit", "own fits", None),
        ("refit, warm start", "own fits", None),
        ("refit, warm start", "% of the rows differ", 0.5),
    ]
    # one draw of a tiny table tells the order of magnitude alone
    assert 0.0 < own[0].value < 5.0
    # this very build in place of another one: a fit takes about as long
    monkeypatch.setenv(refit.BASE, sys.executable)
    figures = {(one.method, one.unit): one for one in refit.figures((TINY,))}
    fit = figures["fit", "fits of the other build"]
    assert fit.bar == 0.5
    assert 0.2 < fit.value < 5.0
    assert figures["refit", "fits of the other build"].bar == 0.15


def test_labels_are_drawn_and_others_hidden():
    X, y = TINY.rows()
    labels = TINY.labels(y, 0)
    assert X.shape == (120, 50)
    assert np.count_nonzero(labels >= 0) == 20
    np.testing.assert_array_equal(labels[labels >= 0], y[labels >= 0])


@pytest.mark.parametrize("form", growth.FORMS)
def test_growth_takes_every_method(form, monkeypatch):
    settings, bar, methods = growth.FORMS[form]
    small = {**settings, "n_components": 20} if "n_components" in settings else settings
    monkeypatch.setattr(growth, "FORMS", {form: (small, bar, methods)})
    monkeypatch.setattr(growth, "WARM_UP", 60)
    found = list(growth.figures((60, 120)))
    assert [one.method for one in found] == [f"{name}, {form}" for name in methods]
    assert all(one.bar == bar and list(one.points) == ["60", "120"] for one in found)
