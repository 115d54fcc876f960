"""What the page shows: the asked row, the classes and their keys, the progress."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from semisvm.annotate.evidence import guesses_on_drawn_rows, shares_of_drawn_rows
from semisvm.annotate.groups import sure_groups
from semisvm.annotate.labels import ACCEPTED, FILLED
from semisvm.annotate.one_class import one_class_sentence
from semisvm.annotate.session import Session
from semisvm.annotate.space import nearest
from semisvm.annotate.stopping import CurvePoint, sentence, settled

COLUMNS_SHOWN, BESIDE_IMAGE = 30, 8
"""Columns of a row that are sent by default."""
NEIGHBORS = 3
KEYS = "1234567890abcdefghijklmopqrstuvwxyz"
"""Keys of the classes, in order; n names a new one."""
MOST_CLASSES = 100
"""Classes that are sent: those with a key and those with most labels; others can be typed."""
MOST_POINTS = 80
"""Points of the curve that are sent."""


def view_of(session: Session) -> dict:
    """Everything that the page shows."""
    return {"version": session.version, "question": _question(session), **_classes(session), **_progress(session)}


def _question(session: Session) -> dict | None:
    if session.question is None:
        return None
    row, why = session.question.row, session.question.why
    question: dict[str, Any] = {**row_to_read(session, row), "why": why, "guess": None}
    guess, confidence = session.guess(row)
    if guess is not None and not session.question.drawn:
        question |= {"guess": guess, "confidence": confidence, "near": _near(session, row)}
    return question


def row_to_read(session: Session, row: int, *, whole: bool = False) -> dict:
    """A row with its cells."""
    request = session.sheet.request
    most = None if whole else COLUMNS_SHOWN
    if request.image is not None and not whole:
        # columns beside an image are often its features
        most = BESIDE_IMAGE if len(session.sheet.shown) <= COLUMNS_SHOWN else 0
    kinds = {} if session.ready is None else {name: kind for name, kind, _ in session.ready.columns}
    cells = [(name, text, kinds.get(name, "")) for name, text in session.sheet.cells(row, most)]
    code = int(session.labels.codes[row])
    return {
        "row": row,
        "cells": cells,
        "more": len(session.sheet.shown) - len(cells),
        "image": session.sheet.image(row) is not None,
        "label": None if code < 0 else session.labels.classes[code],
        "twins": len(session.labels.twins.of(row)) - 1,
    }


def _near(session: Session, row: int) -> list[dict]:
    """The nearest rows that persons labeled."""
    if session.ready is None:
        return []
    known = session.labels.known
    found = nearest(session.ready.space, row, known[known != row][-2000:], NEIGHBORS)
    return [row_in_a_line(session, one) | {"distance": distance} for one, distance in found]


def row_in_a_line(session: Session, row: int) -> dict:
    """A row in a line."""
    code = int(session.labels.codes[row])
    return {
        "row": row,
        "text": session.sheet.summary(row),
        "image": session.sheet.image(row) is not None,
        "label": None if code < 0 else session.labels.classes[code],
    }


def _classes(session: Session) -> dict:
    counts = session.labels.counts()
    shares = shares_of_drawn_rows(session.labels)
    there = [code for code in range(len(session.labels.classes)) if code not in session.labels.merged]
    keys = keys_of([session.labels.classes[code] for code in there])
    n_classes = len(there)
    if n_classes > MOST_CLASSES:
        without = sorted(there[len(KEYS) :], key=lambda code: -counts[code])
        there = there[: len(KEYS)] + without[: MOST_CLASSES - len(KEYS)]
    final = session.final()
    filled = np.bincount(final[final >= 0], minlength=len(session.labels.classes))
    classes = [
        {
            "name": session.labels.classes[code],
            "code": code,
            "key": keys.get(session.labels.classes[code]),
            "labels": int(counts[code]),
            "rows": int(filled[code]),
            "share": None if shares is None else shares[code],
        }
        for code in there
    ]
    return {"classes": classes, "n_classes": n_classes}


def _progress(session: Session) -> dict:
    labels, estimate = session.labels, session.estimate
    return {
        "table": session.sheet.request.table.name,
        "column": session.sheet.request.label,
        "n_rows": len(session.sheet),
        "n_labels": len(labels.known),
        "n_accepted": int(np.count_nonzero(labels.origins == ACCEPTED)),
        "n_open": int(np.count_nonzero(labels.origins == FILLED)),
        "n_decisions": len(labels.decided),
        "learning": _learning(session),
        "trouble": session.trouble,
        "revealed": session.revealed,
        "sentence": sentence(session.points, estimate, len(guesses_on_drawn_rows(labels)))
        if session.ranked is None
        else one_class_sentence(session.ranked),
        "settled": settled(session.points),
        "curve": [one.as_dict() for one in thinned(session.points, MOST_POINTS)],
        "changed": None if session.last is None else session.last.changed,
        "findings": len(session.findings()),
        "sampled": None
        if session.ready is None or len(session.ready.pool) == len(session.sheet)
        else len(session.ready.pool),
    }


def _learning(session: Session) -> str:
    if not session.has_learner:
        return "stopped"
    if session.ready is None:
        return "reading"
    if session.busy:
        return "learning"
    return "waiting" if session.last is None and session.ranked is None else "ready"


def groups_of(session: Session) -> list[dict]:
    """Confident groups, with samples."""
    found = sure_groups(session.guesses(), session.confidence(), session.labels.origins, session.asking.seed)
    return [
        {
            "label": session.labels.classes[group.code],
            "rows": group.rows.tolist(),
            "expected_wrong": group.expected_wrong,
            "shown": [
                row_in_a_line(session, int(row)) | {"confidence": float(session.confidence()[row])}
                for row in group.shown
            ],
        }
        for group in found
    ]


def keys_of(names: Sequence[str]) -> dict[str, str]:
    """A key for each class: its name if that is a free key, else the next free key."""
    found: dict[str, str] = {}
    for name in names:
        free = [key for key in KEYS if key not in found.values()]
        if free:
            found[name] = name.lower() if name.lower() in free else free[0]
    return found


def thinned(points: Sequence[CurvePoint], most: int) -> list[CurvePoint]:
    """At most `most` of the points, the last one included."""
    step = -(-len(points) // most) if points else 1
    return list(points[::-1][::step][::-1])
