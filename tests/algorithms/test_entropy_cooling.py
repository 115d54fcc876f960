"""The search for the next temperature."""

import numpy as np
import pytest

from semisvm.algorithms.entropy_cooling import NARROW, EntropyCooling, _crossing
from semisvm.losses import Annealed, Hinge
from semisvm.spaces import Linear
from tests.problems import N_LABELED, problem_on, two_blobs


@pytest.mark.parametrize("root", [-4.2, 0.0, 1.7])
def test_a_straight_line_crosses_where_its_chord_does(root):
    asked = []

    def excess(x):
        asked.append(x)
        return 2.0 * (x - root)

    found = _crossing(excess, (-6.0, excess(-6.0)), (3.0, excess(3.0)))
    assert root <= found <= root + NARROW
    # the ends, the chord, and the other side of it
    assert len(asked) <= 4


def test_it_cools_to_the_end_where_no_temperature_loses_too_much_entropy():
    """One unlabeled row has at most log 2 to lose, which is the step."""
    X, y = two_blobs(n=N_LABELED + 1)
    problem = problem_on(Linear(X), y, unlabeled_loss=Annealed(Hinge(), 1.0, None))
    stages = EntropyCooling(step=1.0, lowest=1e-3).stages(problem)
    (first, stage) = next(stages)
    point = stage.objective().point(np.full((X.shape[1], 1), 0.1), np.zeros(1))
    (second, _) = stages.send(point)
    assert first["temperature"] > 1
    assert second["temperature"] == pytest.approx(1e-3, rel=1e-12)
