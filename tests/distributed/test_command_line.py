"""`semisvm label` and `fit` on a folder of Parquet files, here and on a cluster."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from semisvm.cli import application
from semisvm.cli.all_rows import learned
from semisvm.cli.labeling import label_table
from semisvm.cli.places import Cluster
from semisvm.cli.sampling import Request, gather
from semisvm.estimators import S3VM, PositiveUnlabeledSVM
from semisvm.spaces.chunked import chunked
from tests.spaces.test_chunked_fits import TRUTH, X, Y

pd = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")


@pytest.fixture
def folder(tmp_path):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    frame["kind"] = pd.array([None if y < 0 else "ab"[y] for y in Y], dtype="string")
    where = tmp_path / "rows"
    where.mkdir()
    for place, start in enumerate(range(0, len(X), 120)):
        frame[start : start + 120].to_parquet(where / f"{place}.parquet")
    return where


def labeled(path):
    return pd.read_parquet(path)["kind_predicted"].to_numpy()


def run(*words):
    done = CliRunner().invoke(application(), [str(word) for word in words])
    assert done.exit_code == 0, done.output


def test_a_folder_is_one_table_here_and_on_a_cluster(folder, client):
    run("label", folder, "--label", "kind", "--method", "gradient", "--json")
    here = labeled(folder.with_name("rows.labeled.parquet"))
    assert len(here) == len(X)
    assert np.mean(here == np.array(["a", "b"])[TRUTH]) > 0.9
    address = client.scheduler_info()["address"]
    there = folder.with_name("there.parquet")
    run("label", folder, "--label", "kind", "--method", "gradient", "--scheduler", address, "--out", there, "--json")
    assert np.array_equal(labeled(there), here)


def test_labels_of_one_class_rank_a_folder_here_and_on_a_cluster(folder, client, monkeypatch):
    for path in folder.glob("*.parquet"):
        frame = pd.read_parquet(path)
        frame.loc[frame["kind"] == "a", "kind"] = None
        frame.to_parquet(path)
    words = ("label", folder, "--label", "kind", "--ratio", "b=0.5", "--json")
    run(*words)
    here = pd.read_parquet(folder.with_name("rows.labeled.parquet"))
    assert np.mean(here["kind_predicted"] == np.array(["not b", "b"])[TRUTH]) > 0.8
    there = folder.with_name("there.parquet")
    # workers are other processes: nothing is learned in this one
    monkeypatch.setattr(PositiveUnlabeledSVM, "fit", None)
    run(*words, "--scheduler", client.scheduler_info()["address"], "--out", there)
    assert np.array_equal(pd.read_parquet(there)["kind_score"], here["kind_score"])


def test_fit_learns_on_a_cluster(folder, client, tmp_path):
    model = tmp_path / "model.skops"
    address = client.scheduler_info()["address"]
    run("fit", folder, "--label", "kind", "--method", "supervised", "--out", model, "--scheduler", address, "--json")
    assert model.exists()


def test_all_rows_are_learned_from_where_the_method_is_a_sum_over_rows(folder, client, tmp_path):
    request = Request(folder, "kind", "quasi-newton", sample=40)
    with Cluster(client.scheduler_info()["address"]) as there:
        story = label_table(request, tmp_path / "out.parquet", None, place=there)
    assert story.notes[-1] == "The rows were learned from in 3 blocks on the workers of the cluster."
    assert (story.n_trained, story.n_rows) == (300, 300)
    found = labeled(tmp_path / "out.parquet")
    assert np.mean(found == np.array(["a", "b"])[TRUTH]) > 0.9
    # the same estimator on the same rows, here
    preparation = request.preparation(["kind"]).fit(gather(request).rows)
    table = pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])
    rows = chunked(preparation.transform(table).astype(np.float32))
    here = S3VM(method="quasi-newton", random_state=0).fit(rows, Y)
    assert np.mean(found == np.array(["a", "b"])[here.transduction_]) >= 0.99


def test_the_default_names_a_method_for_rows_on_a_cluster(client):
    with pytest.raises(ValueError, match=r'S3VM\(\) was given with 300 rows .* S3VM\(method="gradient"\)'):
        S3VM().fit(da.from_array(X, chunks=(100, -1)), Y)


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("laplacian-rls", r"method laplacian-rls is not a sum over rows \(annealing, cccp-squared"),
        ("gradient", "is not a Parquet file"),
    ],
)
def test_why_a_cluster_learns_from_a_sample_is_said(folder, client, tmp_path, method, why):
    table = folder
    if method == "gradient":
        table = tmp_path / "rows.csv"
        pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))]).to_csv(table, index=False)
    request = Request(table, "kind", method, sample=40)
    with Cluster(client.scheduler_info()["address"]) as there:
        trained = learned(request, gather(request), there)
    assert re.search(f"^The cluster was not asked to learn from all rows: .*{why}", trained.notes[-1])


def test_an_address_without_a_scheduler_is_reported_in_a_sentence():
    with pytest.raises(ValueError, match="no scheduler answers there"):
        Cluster("unknown://x")


def test_a_folder_without_tables_is_refused_in_a_sentence(tmp_path):
    from semisvm.tables import table_file

    with pytest.raises(FileNotFoundError, match=r"is a folder without \.parquet files"):
        next(iter(table_file(tmp_path).chunks()))
