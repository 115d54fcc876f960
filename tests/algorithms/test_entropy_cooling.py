"""The search for the next temperature."""

import pytest

from semisvm.algorithms.entropy_cooling import NARROW, _crossing


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
