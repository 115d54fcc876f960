"""What is shown to be looked at again."""

import numpy as np
import pytest

from semisvm.annotate.checking import Doubt, alike, findings
from semisvm.annotate.decisions import Decision
from semisvm.annotate.groups import SHOWN, sure_groups
from semisvm.annotate.labels import RowLabels


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Spam", "spam", True), ("spam ", "spam", True), ("invoice", "invoces", True), ("delivery", "delivrey", True),
        ("cat", "car", False), ("room 1", "room 2", False), ("true", "false", False), ("billing", "shipping", False),
    ],
)  # fmt: skip
def test_names_that_look_like_typos_are_found(a, b, same):
    assert alike(a, b) is same


def test_findings_are_doubts_alike_names_and_single_labels_until_they_are_dismissed():
    held = RowLabels(["spam", "spam", "Spam", "ham", "ham", "egg", None])
    ham, egg = held.classes.index("ham"), held.classes.index("egg")
    doubts = [Doubt(3, ham, 0.1, egg, 0.8), Doubt(4, egg, 0.1, ham, 0.8)]
    found = findings(held, doubts)
    assert [(one.kind, one.label, one.instead) for one in found] == [
        ("alike", "Spam", "spam"), ("doubt", "ham", "egg"), ("single", "Spam", None), ("single", "egg", None)
    ]  # fmt: skip
    assert {one.kind for one in found if one.row is None} == {"alike"}
    for one in found:
        held.apply(Decision("dismiss", label=one.key))
    assert findings(held, doubts) == []


def test_a_doubt_about_a_label_that_was_mended_is_gone():
    held = RowLabels(["a", "a", "b", "b"])
    doubt = Doubt(0, 0, 0.1, 1, 0.9)
    assert len(findings(held, [doubt])) == 1
    held.apply(Decision("mend", (0,), "b"))
    assert [one.kind for one in findings(held, [doubt])] == ["single"]


def test_groups_hold_sure_rows_of_the_model_alone_and_show_the_least_sure_first():
    codes = np.repeat([0, 1, 1], [100, 30, 4])
    confidence = np.linspace(0.8, 1.0, 134)
    origins = np.zeros(134, dtype=np.uint8)
    origins[110:] = 1
    groups = sure_groups(codes, confidence, origins)
    assert [group.code for group in groups] == [0, 1]
    rows = groups[0].rows
    assert confidence[rows].min() >= 0.9
    assert rows.tolist() == list(range(67, 100))
    assert groups[1].rows.tolist() == list(range(100, 110))
    assert len(groups[0].shown) == SHOWN
    assert groups[0].shown[: SHOWN // 3].tolist() == [67, 68, 69, 70]
    assert groups[0].expected_wrong == pytest.approx(np.sum(1 - confidence[rows]))
