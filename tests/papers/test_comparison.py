"""Other packages on the splits of the default table."""

from pathlib import Path

import numpy as np
import pytest

from semisvm.datasets import hide_labels, make_two_moons
from semisvm_papers import comparison
from semisvm_papers.default_table_figures import MethodScore

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", comparison.PEERS)
def test_every_peer_labels_every_row(name):
    if "learning" in name:
        pytest.importorskip("graphlearning")
    X, y = make_two_moons(80, noise=0.05, nuisance=0, random_state=0)
    labels = comparison.PEERS[name](X, hide_labels(y, np.arange(40)))
    assert labels.shape == y.shape
    assert np.mean(labels != y) < 0.15


def test_the_table_has_the_sets_that_every_method_was_measured_on(tmp_path):
    first, second = (row.name for row in comparison.REPORTED[:2])
    names = comparison.NAMES
    table = {(first, name): MethodScore(10.0 + k, 1.0, 3) for k, name in enumerate(names)}
    table |= {(second, name): MethodScore(1.0, 1.0, 3) for name in names[1:]}
    shown = comparison.markdown(table)
    assert f"| {first} | 3 | 10.0 | 11.0 |" in shown
    assert second not in shown
    assert "| **mean rank** | | **1.0** | **2.0** |" in shown
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- comparison -->\nold\n<!-- end -->\nb\n")
    comparison.write_into(page, shown)
    assert page.read_text() == f"a\n<!-- comparison -->\n{shown}<!-- end -->\nb\n"


def test_the_page_shows_the_records_of_today():
    """The records of both files; nothing is run."""
    table = comparison.recorded(ROOT / "papers" / "default_table.jsonl", ROOT / "papers" / "comparison.jsonl")
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    assert comparison.markdown(table) in page, "run  python -m semisvm_papers.comparison --page docs/comparison.md"
