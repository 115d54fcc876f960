"""The error of a classifier that knows nothing of unlabeled rows, such as one of scikit-learn's."""

from __future__ import annotations

from dataclasses import dataclass

from semisvm_papers.protocol import Build, Outcome, Protocol
from semisvm_papers.protocols.scoring import error_pct, macro_error_pct, sizes, timed_fit, timing
from semisvm_papers.tasks import Task


@dataclass(frozen=True)
class LabeledAlone(Protocol):
    """The error on the scored rows after training on the labeled rows and nothing else."""

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        model = build()
        seconds = timed_fit(model, task.X[task.labeled], task.y[task.labeled])
        assigned, truth = model.predict(task.X[task.scored_rows]), task.y[task.scored_rows]
        measures = {**sizes(task), **timing(seconds, task), "macro_error_pct": macro_error_pct(assigned, truth)}
        return Outcome(error_pct(assigned, truth), objective=None, n_iter=None, measures=measures)
