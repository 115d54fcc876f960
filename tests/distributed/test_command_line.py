"""`semisvm label` and `fit` on a folder of Parquet files, here and on a cluster."""

import numpy as np
import pytest
from typer.testing import CliRunner

from semisvm.cli import application
from tests.spaces.test_chunked_fits import TRUTH, X, Y

pd = pytest.importorskip("pandas")


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


def test_fit_learns_on_a_cluster(folder, client, tmp_path):
    model = tmp_path / "model.skops"
    address = client.scheduler_info()["address"]
    run("fit", folder, "--label", "kind", "--method", "supervised", "--out", model, "--scheduler", address, "--json")
    assert model.exists()


def test_an_address_without_a_scheduler_is_told_of_in_a_sentence():
    from semisvm.cli.places import Cluster

    with pytest.raises(ValueError, match="no scheduler answers there"):
        Cluster("nowhere://x")


def test_a_folder_without_tables_is_refused_in_a_sentence(tmp_path):
    from semisvm.tables import table_file

    with pytest.raises(FileNotFoundError, match=r"is a folder without \.parquet files"):
        next(iter(table_file(tmp_path).chunks()))
