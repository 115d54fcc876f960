"""The table behind the defaults of `PositiveUnlabeledSVM`."""

import numpy as np

from benchmarks import positive_defaults


def test_every_risk_is_judged_on_the_hidden_rows(monkeypatch, rng):
    X = np.concatenate([rng.normal(-2, 1, size=(60, 2)), rng.normal(2, 1, size=(60, 2))])
    positive = np.arange(120) >= 60
    monkeypatch.setattr(positive_defaults, "TUNING_SETS", {"blobs": lambda: (X, positive)})
    (run,) = positive_defaults.runs_of("blobs", 0, done=set())
    assert (run.data, run.positives, run.draw) == ("blobs", 20, 0)
    assert set(run.precision) == set(run.errors)
    assert len(run.errors) == len(positive_defaults.RISKS) * len(positive_defaults.CS)
    assert run.errors["nonnegative, 10"] < 10 < 90 < run.precision["nonnegative, 10"]
    assert not list(positive_defaults.runs_of("blobs", 0, done={("blobs", size, 0) for size in (20, 50, 200)}))
    mean = f"{run.precision['biased, 1']:.1f} / {run.errors['biased, 1']:.1f}"
    assert f"| biased, 1 | {mean} |" in positive_defaults.show([run])
