"""`semisvm label` on labels of one class: all rows are ranked, and get a class where their share is known."""

import json

import numpy as np
import pandas as pd
import pytest

from semisvm.cli import one_class


def payments(n=300, n_labeled=25, share=0.2, seed=0, label="fraud"):
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < share
    frame = pd.DataFrame(
        {
            "name": [f"row {k}" for k in range(n)],
            "amount": 100 * (rng.normal(size=n) + 4 * fraud),
            "hour": rng.normal(size=n) + 3 * fraud,
            "kind": pd.Series([None] * n, dtype=object),
        }
    )
    frame.loc[np.flatnonzero(fraud)[:n_labeled], "kind"] = label
    return frame, fraud


@pytest.fixture
def table(tmp_path):
    def write(**settings):
        frame, fraud = payments(**settings)
        frame.to_csv(tmp_path / "t.csv", index=False)
        return frame, fraud

    return write


def test_rows_are_ranked_and_classified_where_the_share_is_given(call, table, tmp_path):
    frame, fraud = table()
    result = call("label", "t.csv", "--label", "kind", "--id", "name", "--ratio", "fraud=0.15", "--suggest", "4")
    assert result.exit_code == 0, result.stderr
    assert "All 25 labels are fraud: the other rows are ranked by them." in result.stdout
    assert "15.0% of the 275 other rows are fraud, as was said." in result.stdout
    labeled = pd.read_csv(tmp_path / "t.labeled.csv")
    given = frame["kind"].notna().to_numpy()
    assert (labeled["kind_predicted"][given] == "fraud").all()
    assert set(labeled["kind_predicted"]) == {"fraud", "not fraud"}
    assert np.mean((labeled["kind_predicted"] == "fraud") != fraud) < 0.05
    assert ((labeled["kind_score"] > 0) == (labeled["kind_predicted"] == "fraud"))[~given].all()
    assert labeled["kind_origin"].tolist() == ["given" if one else "filled" for one in given]
    top = labeled[~given].sort_values("kind_score", ascending=False)["name"].head(4)
    assert f"look at next: rows {', '.join(top)}" in result.stdout


def test_an_uncertain_share_gives_scores_alone(call, table, tmp_path, monkeypatch):
    table()
    monkeypatch.setattr(one_class, "NARROW_INTERVAL", 0.0)
    shown = json.loads(call("label", "t.csv", "--label", "kind", "--json").stdout)
    assert not shown["predicted"]
    assert shown["prior_interval"][0] < shown["prior"] < shown["prior_interval"][1]
    labeled = pd.read_csv(tmp_path / "t.labeled.csv")
    assert "kind_predicted" not in labeled
    assert set(labeled["kind_origin"]) == {"given", "ranked"}


def test_a_share_that_is_certain_enough_gives_classes(call, table, tmp_path, monkeypatch):
    _, fraud = table(n=600, n_labeled=60)
    monkeypatch.setattr(one_class, "NARROW_INTERVAL", 1.0)
    shown = json.loads(call("label", "t.csv", "--label", "kind", "--json").stdout)
    assert shown["predicted"]
    assert not shown["prior_given"]
    labeled = pd.read_csv(tmp_path / "t.labeled.csv")
    assert shown["n_positive"] == np.count_nonzero((labeled["kind_predicted"] == "fraud") & labeled["kind"].isna())
    assert shown["prior"] == pytest.approx(fraud[labeled["kind"].isna()].mean(), abs=0.08)


def test_the_page_shows_recall_and_what_cannot_be_known(call, table, tmp_path):
    table()
    shown = json.loads(call("label", "t.csv", "--label", "kind", "--ratio", "0.15", "--json").stdout)
    taken, shares = zip(*shown["recall"], strict=True)
    assert list(taken) == sorted(taken)
    assert list(shares) == sorted(shares)
    assert shares[-1] > 0.9
    assert [one["prior"] for one in shown["sensitivity"]] == pytest.approx([0.075, 0.15, 0.3])
    page = (tmp_path / "t.labeled.html").read_text()
    assert "<h2>Recall against rows taken</h2>" in page
    assert "<h2>What cannot be known</h2>" in page
    assert "No row is known not to be fraud" in page
    assert f'<td class="n">{shown["sensitivity"][2]["n_positive"]:,}</td>' in page


def test_labels_in_the_page_are_text(call, table, tmp_path):
    table(label="<b>")
    assert call("label", "t.csv", "--label", "kind", "--ratio", "0.15").exit_code == 0
    page = (tmp_path / "t.labeled.html").read_text()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def test_numbers_stay_numbers(call, table, tmp_path):
    table(label=1)
    assert call("label", "t.csv", "--label", "kind", "--ratio", "1=0.15").exit_code == 0
    assert set(pd.read_csv(tmp_path / "t.labeled.csv")["kind_predicted"]) == {0, 1}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("--explain",), "--explain was given and all labels of column 'kind' are of one class"),
        (("--min-confidence", "0.9"), "--min-confidence was given and all labels"),
        (("--folds", "3"), "--folds was given and all labels"),
        (("--ratio", "uniform"), "--ratio uniform was given and labels of one class do not say it"),
        (("--ratio", "1.5"), "--ratio 1.5 was given: a share between 0 and 1"),
        (("--method", "gradient"), "holds one class only, 'fraud': labels of at least two are needed"),
    ],
)
def test_what_is_refused(call, table, tmp_path, words, shown):
    table()
    result = call("label", "t.csv", "--label", "kind", *words)
    assert result.exit_code == 1
    assert shown in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "t.labeled.csv").exists()


def test_four_labels_are_too_few(call, table):
    table(n_labeled=4)
    result = call("label", "t.csv", "--label", "kind")
    assert "labels of at least two are needed, or five of one for semisvm label" in result.stderr
