"""A few of the generated broken files with every run of the tests; thousands are run by hand."""

import numpy as np
import pytest

from tests.fuzz import files
from tests.fuzz.kept_cells import same_lines

CASES = 60


@pytest.mark.parametrize("first", range(0, CASES, 10))
def test_every_cell_is_kept_or_one_line_says_why_not(first, tmp_path, monkeypatch):
    for seed in range(first, first + 10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        monkeypatch.chdir(folder)
        case = files.draw(np.random.default_rng(seed))
        assert case.check() in ("labeled", "refused", "nothing to fill"), case


def test_lost_cells_are_found(tmp_path, monkeypatch):
    """The checks can fail: a cell, a line end and a byte order mark that are gone are noticed."""
    monkeypatch.chdir(tmp_path)
    table = b"\xef\xbb\xbfa,kind\r\n1,x\r\n\r\n2,\r\n"
    made = b"\xef\xbb\xbfa,kind,kind_predicted,kind_confidence,kind_suggest\r\n1,x,x,1,\r\n\r\n2,,y,0.9,1\r\n"
    same_lines(table, made, "csv")
    for broken in (
        made.replace(b"2,,y", b",,y"), made.replace(b"\r\n\r\n", b"\r\n"), made[3:],
        made.replace(b"1,x,x", b"1,z,x"), made.replace(b"\r", b""), made.replace(b"2,,y,0.9,1", b"2,,y"),
    ):  # fmt: skip
        with pytest.raises(AssertionError):
            same_lines(table, broken, "csv")
