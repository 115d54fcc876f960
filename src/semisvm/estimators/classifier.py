"""Classifiers that minimize one problem by one algorithm.

fit:  training set -> space -> balance -> problem -> run(algorithm) -> fitted attributes
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semisvm.algorithms import Algorithm, Candidate, Solution
from semisvm.algorithms.algorithm import Watcher
from semisvm.estimators.class_shares import ClassShares
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import Learner, TrainingSet, codes_of
from semisvm.estimators.parameters import KernelChoice, class_weights
from semisvm.estimators.probabilities import Calibration
from semisvm.estimators.progress import CallbackBridge, TerminalLine, Together
from semisvm.estimators.solving import Solving
from semisvm.estimators.whole_fits import interrupts_held_back
from semisvm.objective import Point, Problem
from semisvm.spaces import KernelPredictor, LinearPredictor, Predictor


@dataclass(eq=False, repr=False, kw_only=True)
class Classifier(Solving, KernelChoice, Learner):
    """Everything but the problem and the algorithm, which a method supplies."""

    @abstractmethod
    def _problem(self, training: TrainingSet) -> Problem:
        """The objective on the training rows."""

    @abstractmethod
    def _algorithm(self, problem: Problem) -> Algorithm:
        """How it is minimized."""

    def _watchers(self, problem: Problem, training: TrainingSet) -> list[Watcher]:
        """A watcher of the run, which may stop it early; none by default."""
        return []

    @abstractmethod
    def _unlabeled_scores(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        """(u, k) scores of the unlabeled rows."""

    def _thresholds(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        """Subtracted from the scores of every column before they are turned into classes; zero by default."""
        return np.zeros(training.labels.n_columns)

    def _learn(self, training: TrainingSet, X, y) -> KeyboardInterrupt | None:
        problem = self._problem(training)
        line = TerminalLine(type(self).__name__)
        watchers: list = ([line] if self.verbose else []) + self._watchers(problem, training)
        context = self._init_callback_context(max_subtasks=None)
        if getattr(self, "_skl_callbacks", None):
            watchers.append(CallbackBridge(self, context, lambda c: self._attributes(problem, training, c), X, y))
        try:
            solution, interrupt = self._solved(
                self._algorithm(problem), problem, Together(watchers) if watchers else None
            )
        finally:
            line.close()
        with interrupts_held_back() as noted:
            self._store(problem, training, solution)
        self._report_end(solution)
        return interrupt or (noted[0] if noted else None)

    def _store(self, problem: Problem, training: TrainingSet, solution: Solution) -> None:
        for name, value in self._attributes(problem, training, solution.candidate).items():
            setattr(self, name, value)
        self._keep(solution)

    def _attributes(self, problem: Problem, training: TrainingSet, candidate: Candidate) -> dict[str, Any]:
        """Everything that prediction needs."""
        predictor = problem.space.predictor(candidate.point.theta, candidate.point.bias)
        calibration = self._calibration(problem, training, candidate)
        cut = self._thresholds(training, candidate, predictor)
        if cut.any():
            candidate = _moved(candidate, -cut)
            predictor = problem.space.predictor(candidate.point.theta, candidate.point.bias)
            calibration = calibration.moved(-cut)
        attributes: dict[str, Any] = {"predictor_": predictor, "threshold_": cut}
        match predictor:
            case LinearPredictor():
                attributes["coef_"] = predictor.coef.T
            case KernelPredictor():
                attributes["dual_coef_"] = predictor.dual_coef.T
                attributes["support_"] = predictor.support_points.index
        if isinstance(predictor, LinearPredictor | KernelPredictor):
            attributes["intercept_"] = predictor.intercept
        attributes["classes_"] = training.labels.classes
        attributes["transduction_"] = self._transduction(training, candidate, predictor)
        attributes["calibration_"] = calibration
        return attributes

    def _calibration(self, problem: Problem, training: TrainingSet, candidate: Candidate) -> Calibration:
        """How scores become probabilities; rows count by their sample weight, whatever their class weighs."""
        weights, labels = training.weights[problem.labeled], training.labels
        given = labels.codes[labels.codes >= 0]
        of_class = class_weights(self.class_weight, labels.classes, given)
        codes = labels.codes[problem.labeled] if training.n_rows == len(labels.codes) else given[problem.labeled]
        weights = np.divide(weights, of_class[codes], out=np.zeros(len(codes)), where=of_class[codes] > 0)
        return Calibration.of(problem, candidate.point, weights, self._expected_shares(labels))

    def _expected_shares(self, labels: Labels) -> ClassShares | None:
        """What is known of the classes of the unlabeled rows; nothing by default."""
        return None

    def _transduction(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        """The class of every row: the given one, or the one that the method assigns."""
        labels = training.labels
        codes = labels.codes.copy()
        if len(labels.unlabeled):
            codes[labels.unlabeled] = codes_of(self._unlabeled_scores(training, candidate, predictor))
        return labels.classes[codes]


def _moved(candidate: Candidate, by: np.ndarray) -> Candidate:
    """The candidate with another bias; its labels are its own."""
    point = candidate.point
    return replace(candidate, point=Point(replace(point.vector, bias=point.bias + by), point.outputs))
