"""Which labels `semisvm label` writes: rows that were trained on keep what the method itself gave them."""

import numpy as np
import pandas as pd

from semisvm.cli import labeling
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
