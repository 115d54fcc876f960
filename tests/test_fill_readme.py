"""The marked places of the README hold what the recorded pages say."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("fill_readme", ROOT / "docs" / "fill_readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_place_gets_the_first_table_below_its_heading(script, tmp_path):
    (tmp_path / "p.md").write_text(
        "# A\n\n| no |\n\n## Figures\n\ntext\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| later |\n\n# C\n"
    )
    text = "x\n<!-- from p.md: Figures -->\n| old |\n<!-- end -->\ny\n"
    new, missing = script.filled(text, tmp_path)
    assert new == "x\n<!-- from p.md: Figures -->\n| a | b |\n|---|---|\n| 1 | 2 |\n<!-- end -->\ny\n"
    assert missing == []
    assert script.filled(new, tmp_path)[0] == new


@pytest.mark.parametrize("place", ["p.md: Nothing", "none.md: Figures", "p.md: Empty"])
def test_a_place_without_a_record_stays_and_is_named(script, tmp_path, place):
    (tmp_path / "p.md").write_text("# Empty\n\nno table\n\n# Figures\n\n| a |\n")
    text = f"<!-- from {place} -->\nheld\n<!-- end -->\n"
    assert script.filled(text, tmp_path) == (text, [place])


def test_the_places_of_the_readme_are_well_formed(script):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(script.PLACE.findall(text)) == text.count("<!-- from ") == text.count("<!-- end -->") == 3
