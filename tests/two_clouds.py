"""A small table of two clouds for tests of `semisvm label`."""

import numpy as np
import pandas as pd

QUICK = ("--method", "supervised")


def write_two_clouds(folder, labels, n=40, name="t.csv"):
    """Write a table with these labels, blank below them, and two clouds; return it."""
    random = np.random.default_rng(0)
    truth = np.arange(n) % 2
    frame = pd.DataFrame(random.normal(size=(n, 2)) + 6 * truth[:, None], columns=["a", "b"]).round(4)
    frame["kind"] = [*labels, *[None] * (n - len(labels))]
    if name.endswith("csv"):
        frame.to_csv(folder / name, index=False)
    else:
        frame.to_parquet(folder / name)
    return frame


def labeled(call, *words):
    """What `semisvm label t.csv` prints, and the table that it writes."""
    result = call("label", "t.csv", "--label", "kind", *QUICK, *words)
    assert result.exit_code == 0, result.stderr
    return result.stdout, pd.read_csv("t.labeled.csv")
