"""Docs that keep up: every public name is described, every code block of the README runs."""

import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import semisvm

ROOT = Path(__file__).parent.parent
MADE = {"_build", "generated", "auto_examples"}
"""Folders of docs that the build of the site writes."""
PAGES = [
    ROOT / "README.md",
    *sorted(one for one in (ROOT / "docs").rglob("*.md") if not MADE & set(one.relative_to(ROOT).parts)),
]
PUBLIC = [name for name in semisvm.__all__ if not name.startswith("__")]
GRAPHS = {"Graph", "AnchorGraph"}
ESTIMATORS = [name for name in PUBLIC if inspect.isclass(getattr(semisvm, name)) and name not in GRAPHS]


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in ESTIMATORS])
def test_every_public_name_that_has_no_page_of_its_own_is_in_the_docs(name):
    assert any(re.search(rf"\b{name}\b", page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring_of_its_own(name):
    thing = getattr(semisvm, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) and issubclass(thing, BaseEstimator):
        assert not thing.__doc__.startswith(f"{name}("), "the docstring is the one that dataclass generates"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_shows_its_formula(name):
    above = re.split(r"\n[A-Z]\w+\n---", inspect.getdoc(getattr(semisvm, name)))[0]
    assert re.search(r"\n\n    \S.*[=+-] ", above)


def test_every_estimator_has_a_page_of_the_site(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from site_pages import estimator_pages

    shown = [one.name for one in estimator_pages.every_shown()]
    assert sorted(shown) == sorted(ESTIMATORS)
    assert "GradientS3VM\nContinuationS3VM" in "\n".join(shown), "pages keep their order"
    monkeypatch.setattr(estimator_pages, "CHOSEN", estimator_pages.CHOSEN[1:])
    assert estimator_pages.every_shown()[-1] == estimator_pages.Shown("S3VM", {}), "one that is not named has a page"


def test_the_reference_of_the_command_line_names_every_option(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import typer.main
    from site_pages import cli_reference

    from semisvm.cli import application

    text = "\n".join(cli_reference.page(typer.main.get_command(application())))
    for part in (
        "## semisvm label", "semisvm label TABLE --label LABEL [options]", "| `--method METHOD` |", "Default: `auto`.",
        "## semisvm papers run", "## semisvm data path", "| `[NAMES...]` |",
    ):  # fmt: skip
        assert part in text, part


def test_the_readme_shows_both_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_code_blocks_run(page, monkeypatch, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if Path(target).parts[0] not in MADE:
            assert (page.parent / target).exists(), target
