"""The example that fits three times, on fewer rows."""

import runpy
from pathlib import Path

from numpy.testing import assert_allclose

EXAMPLE = Path(__file__).parents[2] / "examples" / "three_fits.py"


def test_three_fits_end_at_one_objective(client):
    objectives = runpy.run_path(str(EXAMPLE))["three_fits"](1200, 4, client)
    assert list(objectives) == ["in memory", "in chunks", "on a cluster"]
    assert_allclose(list(objectives.values()), objectives["in memory"], rtol=1e-6)
