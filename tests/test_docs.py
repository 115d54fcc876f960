"""Docs that keep up: every public name is described, every code block of the README runs."""

import inspect
import re
import tomllib
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


HOME = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Homepage"]
RAW = HOME.replace("github.com", "raw.githubusercontent.com")


def test_the_readme_fits_on_a_screen_and_shows_how_to_begin():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 70
    for part in ("pip install", "make demo", "make test"):
        assert part in text, part


def test_links_of_the_readme_are_absolute_and_lead_to_files_of_the_tree():
    """A package index shows the README without the tree."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    assert len(targets) > 5
    for target in targets:
        beginning = f"{HOME}/blob/main/" if target.startswith(HOME) else f"{RAW}/main/"
        assert target.startswith(beginning), target
        assert (ROOT / target.removeprefix(beginning).partition("#")[0]).is_file(), target


def test_every_picture_is_shown_and_can_be_read():
    """Pictures are those of pages and of the README, and are what their names say."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (ROOT / "docs" / "_static").glob("*.*g"):
        assert picture.name in text, picture.name
        begin = picture.read_bytes()[:400]
        assert begin.startswith(b"\x89PNG") if picture.suffix == ".png" else b"<svg" in begin, picture.name


def test_every_picture_is_made_by_a_command():
    """All but the map of the package, which is drawn by hand."""
    commands = re.findall(
        r"\$\(BIN\)/python (docs/\w+\.py)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M
    )
    text = "".join((ROOT / one).read_text(encoding="utf-8") for one in commands)
    for picture in (ROOT / "docs" / "_static").glob("*.*g"):
        name = re.sub(r"^(wild|annotate)-.*", r"\1-", picture.stem)
        assert picture.name == "map.svg" or name in text, picture.name


def test_pictures_load_nothing_from_the_network():
    for picture in (ROOT / "docs" / "_static").glob("*.svg"):
        assert not re.search(r"(?:url\(|href=)[\"']?https?:", picture.read_text(encoding="utf-8")), picture.name


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_programs_of_the_gallery_that_pages_name_are_there(page):
    for name in re.findall(r"\(auto_examples/(plot_\w+)\)", page.read_text(encoding="utf-8")):
        assert (ROOT / "examples" / f"{name}.py").is_file(), name


def test_every_section_of_the_guide_links_to_a_program_of_the_gallery():
    text = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.M)[1:]
    assert len(sections) > 10
    for section in sections:
        assert "(auto_examples/plot_" in section, section.splitlines()[0]


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


def anchors(page):
    """Addresses of the headings of a page, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda p: str(p.relative_to(ROOT)))
def test_links_to_headings_lead_to_headings(page):
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        assert anchor in anchors(page.parent / target if target else page), f"{target}#{anchor}"


def test_every_page_of_the_site_is_listed_once():
    """Pages that measurements write are listed by docs/conf.py."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"```\{toctree\}\n(?::[^\n]*\n)*\n([^`]*)```", text)
    listed = " ".join(trees).split()
    assert sorted(listed) == sorted(set(listed))
    pages = {one.stem for one in (ROOT / "docs").glob("*.md")} - {"index", "benchmarks", "large_tables"}
    assert pages <= set(listed), pages - set(listed)
