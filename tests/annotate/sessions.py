"""Sessions without a page, and messages as a process that learns would send them."""

import numpy as np

from semisvm.annotate.decisions import Decisions
from semisvm.annotate.messages import Learned, Ready
from semisvm.annotate.session import Session
from semisvm.annotate.sheet import read_sheet


class NoLearning:
    def __init__(self):
        self.tasks = []

    def give(self, task):
        self.tasks.append(task)


def opened(request):
    sheet = read_sheet(request)
    return Session(sheet, Decisions(request.decisions, request.table, request.label, sheet.fingerprint))


def ready(n, twins=None, spread=()):
    places = np.zeros((n, 2), np.float32)
    columns = [("a", "numeric", ""), ("b", "numeric", ""), ("c", "left out", "")]
    return Ready(columns, np.arange(n) if twins is None else twins, np.arange(n), list(spread), places, places)


def learned(codes, confidence=0.95, n_labels=4, **more):
    n = len(codes)
    said = {
        "answered": 0.0,
        "suggested": [],
        "doubts": [],
        "estimate": None,
        "changed": 0,
        "gain": None,
        "seconds": 1.0,
    }
    return Learned(1, n_labels, np.array(codes, np.int32), np.full(n, confidence, np.float32), **{**said, **more})


def answer(session, truth, times):
    for _ in range(times):
        session.answer(session.question.row, str(truth[session.question.row]))
