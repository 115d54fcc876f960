"""The page: self-contained, well formed, and it says what happened."""

import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
import scipy.sparse as sp

from semisvm.cli.map_of_rows import in_the_plane
from semisvm.report import DoubtedLabel, Fold, Map, Story, Suggestion, page

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Outline(HTMLParser):
    """Checks that tags close in order and counts them."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def story():
    random = np.random.default_rng(0)
    given = np.array([0, 1, -1, -1, -1])
    codes = np.array([0, 1, 0, 1, 1])
    sure = np.full(5, 0.75)
    drawn = Map(random.normal(size=(5, 2)), given, codes[[0, 1, 2, 3, 2]], codes, sure, sure, sure, 2 * sure)
    return Story(
        table="t <x>.csv", out="o.csv", label="kind", method="gradient", n_rows=1005, n_labeled=2, n_trained=1005,
        classes=("<cat>", "dog"), given=(1, 1), expected=(0.5, 0.5),
        expected_shares_within=((0.2, 0.8), (0.3, 0.7)), obtained=(400, 603),
        confidences=(0, 0, 0, 0, 0, 1, 2, 1000, 0, 0), mean_confidence=0.75,
        columns=(("a", "numeric", "as it is", 3), ("name", "left out", "it counts the rows", 0)),
        verdict="Expect 10 % of the cells to be <wrong>.", n_changed=17, n_judged=40, expected_error=0.1,
        expected_interval=(0.04, 0.2), baselines={"labels alone": 0.225}, said=("Blank in 'kind': 'NA' (3).",),
        doubts=(DoubtedLabel("12", "dog", "<cat>", 0.04, (("a", "9.5"),)),), kernels=(("rbf", 1.0),),
        path=({"stage": 0, "objective": 3.0, "changed": None}, {"stage": 1, "objective": 2.5, "changed": 4}),
        notes=("One note.",), suggestions=(Suggestion(1, "77", "dog", 0.51, (("a", "3.5"),)),), map=drawn, seconds=1.0,
        folds=(Fold("supervised", 0.3, 0.07), Fold("gradient", 0.125, 0.05)),
    )  # fmt: skip


def test_the_page_is_well_formed_and_needs_no_network(story):
    text = page(story)
    outline = Outline(text)
    assert outline.open == []
    assert not re.search(r"https?://|src=|@import|url\(|<script", text)
    # five rows before and after, and two stages
    assert outline.tags.count("circle") == 12
    assert "prefers-color-scheme: dark" in text
    assert ("lang", "en") in outline.attributes
    # every drawing has a name, every region that scrolls can be reached by keyboard
    assert outline.tags.count("svg") == sum(name == "role" and value == "img" for name, value in outline.attributes)
    assert text.count('class="scroll') == len(re.findall(r'class="scroll[^"]*" tabindex="0"', text)) > 0
    # every label that is written is tied to what it ticks, and every link of the page leads to a part of it
    assert outline.tags.count("input") == outline.tags.count("label") == 4
    for target in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{target}"' in text


def test_what_happened_is_said(story):
    text = page(story)
    for part in (
        "<dt>rows filled</dt><dd>1,003</dd>", "<dt>mean confidence</dt><dd>75%</dd>",
        "Expect 10 % of the cells to be &lt;wrong&gt;.", "on 40 labels", "22.5%", "10.0%", "4% to 20%", "60.1%",
        "<dt>wrong, expected</dt><dd>10%</dd>", "Blank in &#x27;kind&#x27;", "Given labels that look wrong",
        "<td>12</td>",
        ">confidence</text>", ">share of rows</text>", ">objective</text>",
        "± 5.0%", "12.5%",
        "differ in 1 of the 3 unlabeled rows shown", "it counts the rows", "One note.",
        "S3VM(method=&#x27;gradient&#x27;", "<td>77</td>", "2.5 to 3", "objective 2.5, 4 labels changed",
    ):  # fmt: skip
        assert part in text, part


def test_every_kernel_of_the_average_shows_its_stages(story):
    path = tuple(
        {"kernel": name, "share": share, "weight": weight, "objective": 10.0 * k + share, "changed": 7 - 3 * k}
        for name, share in (("rbf <1>", 0.75), ("linear", 0.25))
        for k, weight in enumerate((0.25, 1.0))
    )
    text = page(replace(story, method="auto", kernels=(("rbf <1>", 0.75), ("linear", 0.25)), path=path))
    Outline(text)
    assert text.count('aria-label="Objective and changed labels of every stage"') == 2
    for part in (
        "<figcaption>75.0% rbf &lt;1&gt;</figcaption>", "stage 1: objective 10.75, 4 labels changed",
        "stage 0: objective 0.25, 7 labels changed", '<td class="n">10.8</td><td class="n">11</td>',
    ):  # fmt: skip
        assert part in text, part


def test_names_of_the_table_are_escaped(story):
    text = page(story)
    assert "<cat>" not in text
    assert "&lt;cat&gt;" in text
    assert "t &lt;x&gt;.csv" in text


def test_a_story_without_a_map_or_judged_labels_still_makes_a_page(story):
    bare = replace(story, map=None, suggestions=(), doubts=(), method="auto", expected_error=None)
    text = page(bare)
    Outline(text)
    assert "circle" not in Outline(text).tags
    assert "each predicted without itself" not in text
    assert "look wrong" not in text
    assert "Kernels of the average" in text


def test_where_cells_were_left_blank_both_errors_are_shown(story):
    text = page(
        replace(story, n_left=3, expected_error=0.04, expected_interval=(0.01, 0.09), expected_error_of_all=0.125)
    )
    assert re.search(r"this model, all cells</td><td[^>]*>12.5%", text)
    assert re.search(r"this model, the cells filled</td><td[^>]*>4.0%</td><td[^>]*>1% to 9%", text)
    assert "this model, all cells" not in page(story)


def test_options_in_notes_are_not_broken_at_their_hyphens(story):
    text = page(replace(story, said=("Blank: 'a' & b (--keep VALUE makes a class of one).",)))
    assert '&amp; b (<span class="option">--keep VALUE</span> makes' in text


def test_a_few_odd_rows_do_not_take_the_frame(story):
    random = np.random.default_rng(0)
    n = 400
    points = np.vstack([random.normal(size=(n - 2, 2)), [[1e6, 0.0], [-1e6, 1e6]]])
    codes, sure = np.zeros(n, dtype=int), np.full(n, 0.75)
    drawn = Map(points, np.full(n, -1), codes, codes, sure, sure, sure, sure)
    text = page(replace(story, map=drawn))
    across = np.array([float(x) for x in re.findall(r'<circle class="c0" cx="([\d.]+)"', text)])[:n]
    assert np.ptp(np.sort(across)[10:-10]) > 150
    assert across.min() >= 0
    assert across.max() <= 340


def test_rows_that_lie_on_each_other_are_fainter(story):
    n = 50
    points = np.vstack([np.zeros((n - 1, 2)), [[5.0, 5.0]]])
    codes, sure = np.zeros(n, dtype=int), np.full(n, 0.75)
    text = page(replace(story, map=Map(points, np.full(n, -1), codes, codes, sure, sure, sure, sure)))
    faint = [float(one) for one in re.findall(r'r="2.7" opacity="([\d.]+)"', text)][:n]
    assert max(faint[:-1]) < 0.2 < 0.9 < faint[-1]


def test_two_rows_with_blanks_stay_near_the_others():
    """Features that are 0 but for two rows, as columns that mark blanks are."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(300, 4)), np.zeros((300, 3))])
    X[:2, 4:] = 1.0
    at = in_the_plane(X)
    far = np.abs(at - np.median(at, axis=0)).max(axis=1)
    assert far[:2].max() < 4 * np.quantile(far[2:], 0.95)


def test_rows_that_are_all_alike_have_a_map():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(in_the_plane(sp.csr_array(np.ones((9, 5))))).all()
        assert np.isfinite(in_the_plane(np.ones((9, 5)))).all()


def test_a_number_beyond_all_others_leaves_no_trace_in_the_map():
    X = np.column_stack([np.arange(20.0), np.full(20, 5e-309), np.arange(20.0) % 3])
    X[0, 1] = 1.0
    with np.errstate(all="raise", under="ignore"):
        assert np.isfinite(in_the_plane(X)).all()
