"""The process that learns: what it tells, whatever goes wrong."""

import queue

import numpy as np
import pandas as pd
import pytest

from semisvm.annotate.child import LearningProcess
from semisvm.annotate.messages import Failed, Learned, LearningTask, Ready
from semisvm.annotate.request import AnnotateRequest

from .conftest import clouds


@pytest.fixture
def learner():
    begun = []

    def start(path):
        caught = queue.Queue()
        begun.append(LearningProcess(AnnotateRequest(path, "kind"), caught.put))
        return begun[-1], caught

    yield start
    for one in begun:
        one.end()


def task(rows, codes, n):
    rows = np.array(rows)
    every = np.ones(len(rows), dtype=bool)
    return LearningTask(1, len(rows), rows, np.array(codes), every, every, ~np.isin(np.arange(n), rows))


def test_it_reads_learns_and_survives_labels_that_cannot_be_learned_from(learner, table):
    one, caught = learner(table[0])
    # longer than the line between the processes, while the child reads the table: nobody waits for it
    one.give(task([0, 2], [0, 0], 5_000_000))
    assert caught.empty()
    assert isinstance(caught.get(timeout=60), Ready)
    failed = caught.get(timeout=60)
    assert isinstance(failed, Failed)
    assert failed.why.startswith("The model could not be trained: ")
    assert not failed.for_good
    one.give(task([0, 1, 2, 3], [0, 1, 0, 1], 60))
    learned = caught.get(timeout=60)
    assert isinstance(learned, Learned)
    assert (learned.codes == np.arange(60) % 2).all()
    one.end()
    assert caught.get(timeout=60).for_good


def test_a_table_that_nothing_can_be_learned_from_is_reported(learner, tmp_path):
    frame, _ = clouds(10)
    pd.DataFrame({"id": [f"row {k}" for k in range(len(frame))], "kind": ""}).to_csv(tmp_path / "t.csv", index=False)
    _, caught = learner(tmp_path / "t.csv")
    failed = caught.get(timeout=60)
    assert failed.for_good
    assert "No column can be learned from" in failed.why
