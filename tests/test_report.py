"""The page: self-contained, well formed, and it says what happened."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from semisvm.estimators.default.report import Comparison
from semisvm.report import Map, Story, Suggestion, page

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
    drawn = Map(random.normal(size=(5, 2)), given, codes[[0, 1, 2, 3, 2]], codes, sure, sure, n_changed=1)
    return Story(
        table="t <x>.csv", out="o.csv", label="kind", method="gradient", n_rows=1005, n_labeled=2,
        classes=("<cat>", "dog"), given=(1, 1), expected=(0.5, 0.5), obtained=(400, 603),
        confidences=(0, 0, 0, 0, 0, 1, 2, 1000, 0, 0), mean_confidence=0.75,
        columns=(("a", "numeric", "as it is", 3), ("name", "left out", "it counts the rows", 0)),
        comparison=Comparison(1003, 17, 40, 9, 4), kernels=(("rbf", 1.0),),
        path=({"stage": 0, "objective": 3.0, "changed": None}, {"stage": 1, "objective": 2.5, "changed": 4}),
        notes=("One note.",), suggestions=(Suggestion(1, "77", "dog", 0.51, (("a", "3.5"),)),), map=drawn, seconds=1.0,
    )  # fmt: skip


def test_the_page_is_well_formed_and_needs_no_network(story):
    text = page(story)
    outline = Outline(text)
    assert outline.open == []
    assert not re.search(r"https?://|src=|@import|url\(|<script", text)
    assert outline.tags.count("circle") == 10
    assert "prefers-color-scheme: dark" in text
    assert ("lang", "en") in outline.attributes
    # every drawing has a name, every region that scrolls can be reached by keyboard
    assert outline.tags.count("svg") == sum(name == "role" and value == "img" for name, value in outline.attributes)
    assert text.count('class="scroll"') == text.count('class="scroll" tabindex="0"') > 0


def test_what_happened_is_said(story):
    text = page(story)
    for part in (
        "1,003</b>rows filled", "75%</b>mean confidence", "changed the class of 17 of 1,003 unlabeled rows",
        "9 of 40", "4 of 40", "22.5%", "10.0%", "60.1%", "differ in 1 of the 3 unlabeled rows shown",
        "it counts the rows", "One note.", "S3VM(method=&#x27;gradient&#x27;", "<td>77</td>",
        "2.5 to 3",
    ):  # fmt: skip
        assert part in text, part


def test_names_of_the_table_are_escaped(story):
    text = page(story)
    assert "<cat>" not in text
    assert "&lt;cat&gt;" in text
    assert "t &lt;x&gt;.csv" in text


def test_a_story_without_a_map_or_judged_labels_still_makes_a_page(story):
    bare = replace(story, map=None, suggestions=(), method="auto", comparison=Comparison(1003, 17, 0, None, None))
    text = page(bare)
    Outline(text)
    assert "circle" not in Outline(text).tags
    assert "nothing can be said about whether that helped" in text
    assert "Kernels of the average" in text
