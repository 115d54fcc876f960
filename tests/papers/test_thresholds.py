"""Published tables cut scores at zero, as the papers do, however few labels there are."""

import numpy as np

from semisvm import LaplacianSVM, SupervisedSVM
from semisvm_papers.jobs import Job
from semisvm_papers.measuring import _builder
from semisvm_papers.table import Table
from semisvm_papers.tasks import Task


def test_estimators_of_published_tables_cut_at_zero():
    table = Table.load("lapsvmp-table4")
    row = table.rows[0]
    task = Task(np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2, np.arange(4))
    column = next(column for column in table.columns if column.estimator == "LaplacianSVM")
    for make in (LaplacianSVM, SupervisedSVM):
        built = _builder(Job(table, row, column, 0, lambda make=make, **_: make()), task, 7)()
        assert make().threshold == "auto"
        assert (built.threshold, built.random_state) == ("zero", 7)
