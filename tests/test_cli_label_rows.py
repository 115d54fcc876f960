"""Which labels `semisvm label` writes: rows that were trained on keep what the method itself gave them."""

import numpy as np
import pandas as pd

from semisvm.cli import labeling, request
from tests.test_cli_label import blobs


def test_rows_that_were_trained_on_keep_their_transduction(call, tmp_path, monkeypatch):
    frame, truth = blobs()
    frame.to_csv(tmp_path / "t.csv", index=False)
    predict = labeling.Model.predict

    def the_other_class(self, rows):
        codes, P = predict(self, rows)
        return 1 - codes, P

    monkeypatch.setattr(labeling.Model, "predict", the_other_class)
    result = call("label", "t.csv", "--label", "kind", "--method", "gradient", "--id", "name")
    assert result.exit_code == 0, result.stderr
    assert np.array_equal(pd.read_csv(tmp_path / "t.labeled.csv")["kind_predicted"], truth)


def test_it_says_how_many_rows_it_was_trained_on_where_the_table_has_more(call, tmp_path, monkeypatch):
    frame, _ = blobs()
    frame.to_csv(tmp_path / "t.csv", index=False)
    n_labeled = int(frame["kind"].notna().sum())
    every = call("label", "t.csv", "--label", "kind", "--id", "name")
    assert f"trained on {len(frame):,} rows" in every.output
    assert "drawn at random" not in every.output
    monkeypatch.setattr(request, "ALL_ROWS", 50)
    some = call("label", "t.csv", "--label", "kind", "--id", "name")
    assert some.exit_code == 0, some.stderr
    assert f"trained on {n_labeled + 50} rows" in some.output
    said = f"{n_labeled} labeled rows and 50 of the {len(frame) - n_labeled:,} others, drawn at random"
    assert said in " ".join((some.output + (tmp_path / "t.labeled.html").read_text(encoding="utf-8")).split())
