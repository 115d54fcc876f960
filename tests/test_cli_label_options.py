"""The options of `semisvm label` that say what to fill in, and its words for thresholds and reasons."""

import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import euclidean_distances

from semisvm import S3VM
from semisvm.cli import labeling
from semisvm.cli.explaining import Reasons
from semisvm.cli.precision import thresholds
from semisvm.cli.ratios import shares_of
from semisvm.cli.request import Request
from semisvm.cli.sampling import gather
from semisvm.estimators.default.average_kernel import kernel_of
from semisvm.estimators.default.views import rank_for
from tests.two_clouds import QUICK, labeled, write_two_clouds


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Writes t.csv into the current folder."""
    monkeypatch.chdir(tmp_path)
    return partial(write_two_clouds, tmp_path)


# ---------------------------------------------------------------- options


def test_a_page_never_replaces_a_table(call, table, tmp_path):
    table(["cat", "dog"])
    (tmp_path / "link.csv").symlink_to(tmp_path / "t.csv")
    before = (tmp_path / "t.csv").read_bytes()
    for words, message in {
        ("--report", "t.csv"): "--report t.csv is the table that is read: name another file, TABLE.html for instance.",
        ("--report", "./t.csv"): "--report t.csv is the table that is read",
        ("--report", "link.csv"): "--report link.csv is the table that is read",
        ("--out", "o.csv", "--report", "o.csv"): "--report o.csv is the table that is written",
        ("--report", "other.parquet"): "--report other.parquet ends as a table does: name an .html file.",
    }.items():
        result = call("label", "t.csv", "--label", "kind", *QUICK, *words)
        assert result.exit_code == 1
        assert result.stderr.startswith(message)
    assert (tmp_path / "t.csv").read_bytes() == before
    assert sorted(os.listdir()) == ["link.csv", "t.csv"]


def test_a_folder_that_is_read_is_not_written_to(call, table, tmp_path):
    (tmp_path / "parts").mkdir()
    table(["cat", "dog"], name="parts/one.parquet")
    result = call("label", "parts", "--label", "kind", *QUICK, "--out", "parts/o.parquet")
    assert result.stderr == "parts/o.parquet lies in the folder that is read: name a place outside of parts.\n"
    assert os.listdir("parts") == ["one.parquet"]


def test_probabilities_explanations_and_suggestions(call, table):
    table(["cat", "dog", "cat", "dog"])
    shown, out = labeled(call, "--probabilities", "--explain", "--suggest", "3")
    assert sorted(out["kind_suggest"].dropna()) == [1, 2, 3]
    shares = out[["kind_probability_cat", "kind_probability_dog"]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-3)
    np.testing.assert_allclose(shares.max(axis=1)[4:], out["kind_confidence"][4:], atol=1e-9)
    assert out["kind_because"].isna().tolist() == [True] * 4 + [False] * 36
    # even rows are near the cats of the first and third row
    assert set(out["kind_because"][4::2].str.split(";").str[0]) <= {"near 1, 3 (cat)", "near 3, 1 (cat)"}
    assert set(out["kind_because"][4::2].str.split("; ").str[1]) <= {"next 2, 4 (dog)", "next 4, 2 (dog)"}
    shown, out = labeled(call, "--suggest", "0", "--id", "b", "--explain")
    assert out["kind_suggest"].isna().all()
    assert "label next" not in shown
    assert str(out["b"][0]) in " ".join(out["kind_because"][4:])


def test_rows_below_a_confidence_stay_blank(call, table):
    table(["cat", "dog", "cat", "dog"])
    _, every = labeled(call)
    limit = float(every["kind_confidence"][4:].median())
    shown, out = labeled(call, "--min-confidence", str(limit))
    left = out["kind_predicted"].isna()
    assert left.sum() == (every["kind_confidence"] < limit).sum() > 0
    assert out["kind_origin"][left].isna().all()
    assert f"{36 - left.sum()} rows filled and {left.sum()} left blank" in shown
    page = Path("t.labeled.html").read_text()
    assert f"<dt>left blank</dt><dd>{left.sum()}</dd>" in page


def test_what_an_earlier_run_said_of_a_label_stays(call, table):
    table(["cat", "dog", "cat", "dog"])
    labeled(call, "--suggest", "2")
    frame = pd.read_csv("t.labeled.csv", dtype=str)
    asked = frame["kind_suggest"].notna()
    frame.loc[asked, "kind"] = "cat"
    frame.loc[0, "kind_origin"] = "drawn"
    frame.to_csv("t.csv", index=False)
    _, out = labeled(call, "--probabilities")
    assert out["kind_origin"][0] == "drawn"
    assert out["kind_origin"][1] == "given"
    assert (out["kind_origin"][asked] == "suggested").all()
    # columns of the earlier run are not learned from
    shown = json.loads(call("label", "t.labeled.csv", "--label", "kind", *QUICK, "--json").stdout)
    assert [column["name"] for column in shown["columns"]] == ["a", "b"]


def test_columns_are_dropped_and_misspelt_ones_guessed(call, table):
    table(["cat", "dog", "cat", "dog"])
    shown = json.loads(call("label", "t.csv", "--label", "kind", *QUICK, "--drop", "b", "--json").stdout)
    assert [column["name"] for column in shown["columns"]] == ["a"]
    result = call("label", "t.csv", "--label", "Knid")
    assert result.stderr == "t.csv has no column 'Knid' (--label), did you mean 'kind'? Its columns are a, b, kind.\n"


def test_shares_reach_the_model(call, table, monkeypatch):
    table(["cat", "dog", "cat", "dog"])
    shown = json.loads(
        call("label", "t.csv", "--label", "kind", "--method", "gradient", "--ratio", "dog=0.2", "--json").stdout
    )
    assert shown["expected"] == [0.8, 0.2]
    assert "ratio=0.2" in shown["python"]


@pytest.mark.parametrize(
    ("text", "classes", "shares"),
    [
        ("0.3", ["a", "b"], 0.3),
        ("a=0.3", ["a", "b"], 0.7),
        ("a=0.2,c=0.5,b=0.3", ["a", "b", "c"], [0.2, 0.3, 0.5]),
        ("1=0.25", [0, 1], 0.25),
    ],
)
def test_shares_as_people_write_them(text, classes, shares):
    assert shares_of(text, classes) == pytest.approx(shares)


@pytest.mark.parametrize("word", ["estimated", "labeled", "uniform"])
def test_words_for_shares_are_handed_on(word):
    assert shares_of(word, ["a", "b", "c"]) == word


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.5", "--ratio 1.5 was given: a share between 0 and 1"),
        ("half", "--ratio half was given"),
        ("0.3", "--ratio 0.3 is one number and there are 3 classes: write a=0.2,b=0.5 and so on"),
        ("x=0.3", "--ratio names the class 'x' and the classes are a, b, c"),
        ("a=0.3", "--ratio says nothing of b, c: all classes but one are needed"),
        ("a=0.3,b=0.3,c=0.3", "adds up to 0.9: shares that add up to 1 are needed"),
        ("a=0.3,a=0.3", "names the class 'a' twice"),
        ("a=0.5,b=0.5", "--ratio a=0.5,b=0.5 leaves nothing for 'c', which has a label: a share above 0"),
    ],
)
def test_shares_that_are_none(text, message):
    with pytest.raises(ValueError, match=message):
        shares_of(text, ["a", "b", "c"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--min-confidence", "2"), "--min-confidence 2 was given: a share between 0 and 1 is needed.\n"),
        (("--min-precision", "0"), "--min-precision 0 was given: a share between 0 and 1 is needed.\n"),
        (("--sample", "0"), "--sample 0 was given: a number of rows is needed.\n"),
        (("--time-limit", "0"), "--time-limit 0 was given: a number of seconds is needed.\n"),
        (("--suggest", "-1"), "--suggest -1 was given: a number of rows, or 0 for none, is needed.\n"),
        (("--embed", "missing"), "--embed missing is not a folder: name one that holds a model; none is downloaded.\n"),
    ],
)
def test_options_that_cannot_be_meant(call, table, words, message):
    table(["cat", "dog"])
    result = call("label", "t.csv", "--label", "kind", *words)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", message)


def test_methods_for_few_rows_learn_from_few(call, table):
    table(["cat", "dog", "cat", "dog"], n=400)
    request = Request(Path("t.csv"), "kind", "sdp")
    assert len(gather(request).rows) == 80
    assert (request.seconds, replace(request, time_limit=5.0).seconds, replace(request, method="auto").seconds) == (
        60,
        5,
        None,
    )
    table(["cat", "dog"] * 40, n=400)
    result = call("label", "t.csv", "--label", "kind", "--method", "branch-and-bound")
    assert result.stderr == (
        "80 rows are labeled and method branch-and-bound learns from 60 rows at most: take --method gradient, or "
        "auto.\n"
    )


# ---------------------------------------------------------------- precision, explanations, words


def test_thresholds_are_the_least_that_are_precise_enough():
    random = np.random.default_rng(0)
    n = 4000
    # the chance of being right is the confidence itself: from t on, (1 + t) / 2 are
    confidence = random.uniform(0.5, 1.0, n)
    guess = random.integers(0, 2, n)
    codes = np.where(random.random(n) < confidence, guess, 1 - guess)
    P = np.where(np.arange(2) == guess[:, None], confidence[:, None], 1 - confidence[:, None])
    found = thresholds(P, codes, P, 0.9)
    np.testing.assert_allclose(found, 0.8, atol=0.04)
    assert (thresholds(P, codes, P, 0.95) > found).all()
    # probabilities that claim too much are seen through: the same rows stay
    claimed = np.where(np.arange(2) == guess[:, None], (1 + confidence[:, None]) / 2, (1 - confidence[:, None]) / 2)
    np.testing.assert_allclose(thresholds(claimed, codes, claimed, 0.9), 0.9, atol=0.04)


def test_few_labels_promise_little():
    rows = np.array([[0.9, 0.1], [0.95, 0.05], [0.3, 0.7]])
    few = np.array([[0.9, 0.1], [0.3, 0.7], [np.nan, np.nan]])
    assert np.isinf(thresholds(few, np.array([0, 1, 1]), rows, 0.95)).all()
    assert np.isinf(thresholds(np.full((3, 2), np.nan), np.array([0, 1, 0]), rows, 0.95)).all()
    # many that were right promise more; a class that is never guessed is never filled in
    many = thresholds(np.tile([[0.9, 0.1]], (200, 1)), np.zeros(200, dtype=int), rows[:2], 0.9)
    assert many.tolist() == [0.9, np.inf]


def test_rows_that_are_not_precise_enough_stay_blank(table, monkeypatch):
    """With evidence made up: cats are always right, dogs half of the time."""
    table(["cat", "dog"] * 50, n=120)
    request = Request(Path("t.csv"), "kind", "supervised", min_precision=0.9)
    sample = gather(request)
    P = np.tile([[0.95, 0.05], [0.4, 0.6]], (50, 1))
    rows = np.flatnonzero(sample.codes >= 0)
    codes = sample.codes.copy()
    codes[rows[1::4]] = 0  # half of the dogs are wrong
    evidence = SimpleNamespace(probabilities=P, rows=rows)
    classifier = SimpleNamespace(evidence_=evidence, predict_proba=lambda X: P[: len(X)])
    changed = replace(sample, codes=codes)
    limits, said = labeling.least_confidence(request, changed, classifier, np.zeros((120, 1)))
    assert limits.tolist() == [0.95, np.inf]
    assert said == ("Confidence from which 90% are expected to be right: cat: 95%, dog: never. The rest stays blank.",)


def test_reasons_of_a_method_by_name_are_in_standard_deviations():
    X = np.array([[0.0, 0.0], [1000.0, 0.0], [0.0, 1.0], *3 * [[400.0, 0.0]]])
    codes = np.array([0, 0, 1, -1, -1, -1])
    kernel = kernel_of(S3VM(method="supervised").fit(X, codes))
    reasons = Reasons.of(kernel, X, codes, list("pqrstu"), ["x", "y"])
    shown = reasons.texts(X[3:4], np.array([0]), np.array([[0.7, 0.3]]))
    assert shown == ["near p, q (x); next r (y)"]


def test_reasons_of_the_default_are_near_by_the_kernel_that_it_averages_over():
    random = np.random.default_rng(0)
    # a chain of rows and a cloud beside it
    X = np.vstack([np.column_stack([np.arange(60) / 10, np.zeros(60)]), random.normal([1.5, 2.0], 0.05, size=(20, 2))])
    codes = np.full(80, -1)
    codes[[0, 59, 60, 61]] = 0, 0, 0, 1
    model = S3VM().fit(X, codes)
    kernel, weights = kernel_of(model), {one.kernel: one.weight for one in model.report_.kernels}
    views = [view for view in model._kept.kernels.views if weights.get(view.title, 0) > 0]
    Z = np.hstack([np.sqrt(weights[view.title]) * view.leading(rank_for(view)).Z for view in views])
    np.testing.assert_allclose(euclidean_distances(kernel.features(X)), euclidean_distances(Z), atol=1e-3)
    reasons = Reasons.of(kernel, X, codes, [str(row) for row in range(80)], ["x", "y"])
    distance = euclidean_distances(kernel.features(X[30:31]), kernel.features(X[codes == 0]))[0]
    names = np.array(["0", "59", "60"])[np.argsort(distance)]
    assert reasons.texts(X[30:31], np.array([0]), np.array([[0.7, 0.3]])) == [
        f"near {', '.join(names)} (x); next 61 (y)"
    ]


def test_our_own_marker_of_blank_rows_is_not_talked_about(call, table):
    """More labels than blanks, and a class that is 1: a user of Python would be asked whether -1 is a class."""
    table(["cat", "dog"] * 15)
    shown, _ = labeled(call)
    assert "-1" not in shown


def test_precision_needs_labels_that_were_left_out(call, table):
    table(["cat", "dog"] * 10)
    result = call("label", "t.csv", "--label", "kind", *QUICK, "--min-precision", "0.9")
    assert result.exit_code == 1
    assert result.stderr == (
        "--min-precision asks for predictions of labels that were left out, and --method supervised makes none: take "
        "--method auto, or --min-confidence.\n"
    )
    assert os.listdir() == ["t.csv"]
