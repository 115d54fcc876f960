"""The site: sphinx-build -W docs docs/_build/html, or `make docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from site_pages import cli_reference, docstrings, estimator_pages  # noqa: E402

import semisvm  # noqa: E402

MEASURED = ("large_tables", "benchmarks", "scale", "papers/report")

project = "semisvm"
author = copyright = "The semisvm developers"
release = version = semisvm.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "auto_examples/*.py", "auto_examples/*.ipynb", "README.md"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "code"
highlight_language = "text"
pygments_style = "sphinx"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# pages of the repository link to files that are no pages of the site
suppress_warnings = ["myst.xref_missing", "myst.header", "config.cache"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "semisvm"
html_show_sourcelink = False
# pages without pages below them have no sidebar
html_sidebars = {page.stem: [] for page in HERE.glob("*.md") if page.stem != "measured"}
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 3,
    "secondary_sidebar_items": ["page-toc"],
    "search_bar_text": "Search",
}

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "ignore_pattern": r"three_fits",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "thumbnail_size": (560, 392),
    "plot_gallery": "True",
    # what an expression returns is for readers of the code, not of the page
    "capture_repr": (),
    "within_subsection_order": "FileNameSortKey",
}


def measured_pages(app, docname, source):
    """Pages that measurements write are listed where they are there."""
    if docname == "measured":
        found = [one for one in MEASURED if (HERE / f"{one}.md").is_file()]
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(found) + "\n```\n"


def setup(app):
    app.connect("source-read", measured_pages)
    # before napoleon, which turns sections into lists
    app.connect("autodoc-process-docstring", docstrings.formulas_as_blocks, priority=400)
    # before sources are looked for: pages that are made of the code itself
    made = HERE / "generated"
    cli_reference.write(made / "command_line.md")
    estimator_pages.write(made / "estimators")
