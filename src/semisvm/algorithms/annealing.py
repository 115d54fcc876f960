"""Deterministic annealing (Sindhwani, Keerthi and Chapelle 2006): labels become probabilities p, cooled into labels.

    I(f, b, p) = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_star sum_{j in U} [p_j V(z_j) + (1 - p_j) V(-z_j)] - T H(p)

with H the entropy of p and sum(p) the wanted count of positives. The alternating method minimizes over (f, b) and over
p in turns, the latter in closed form up to one multiplier; the gradient method descends on min_p I. Both follow the
minimum as the temperature T falls.
"""

from abc import abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from scipy.special import rel_entr

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.entropy_cooling import EntropyCooling
from semisvm.algorithms.minimize import candidate_at
from semisvm.algorithms.retraining import last_of
from semisvm.balance import Balance
from semisvm.losses import Annealed, Fixed, Loss, Mixed, entropy
from semisvm.losses.loss import per_point
from semisvm.objective import GramObjective, Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer
from semisvm.schedules import Cooling, Stage, label_entropy


@dataclass(frozen=True, eq=False)
class Annealing(Algorithm):
    """Follow the minimum down the temperatures; how it is followed at one temperature is the variant's part.

    The minimum is followed roughly, by `scout`; where the path ends, `minimizer` finds it precisely.
    """

    balance: Balance
    minimizer: Minimizer[GramObjective]
    scout: Minimizer[GramObjective]
    cooling: Cooling | EntropyCooling
    patience: int = 500
    """Iterations of the minimizer per training."""

    @property
    def needs(self) -> type[Loss]:
        return Annealed

    @abstractmethod
    def settle(
        self, stage: Problem, point: Point, minimizer: Minimizer[GramObjective], budget: Budget
    ) -> Iterator[Candidate]:
        """Candidates at one temperature, each no worse than the last."""

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        point = start or problem.objective().start()
        stages = self.cooling.stages(problem)
        number, staged = 0, next(stages)
        while True:
            point = yield from self._at(number, staged, point, self.scout, budget)
            if self.cooling.finished(staged[1], point) or budget.spent:
                break
            try:
                number, staged = number + 1, stages.send(point)
            except StopIteration:
                break
        yield from self._at(number, staged, point, self.minimizer, budget)

    def _at(
        self, number: int, staged: Stage, point: Point, minimizer: Minimizer[GramObjective], budget: Budget
    ) -> Generator[Candidate, None, Point]:
        """One temperature: its candidates, the last one with labels and entropy; returns where it ended."""
        facts, stage = staged
        last = None
        for last in self.settle(stage, point, minimizer, budget):
            yield replace(last, stage=number, facts=facts)
        assert last is not None, "a minimizer yields at least its start"
        labels = self.balance.assign(stage.objective().scores(last.point, stage.unlabeled))
        yield last.with_labels(labels, number, {**facts, "entropy": label_entropy(stage, last.point)})
        return last.point


@dataclass(frozen=True, eq=False)
class GradientAnnealing(Annealing):
    """Descend on min_p I: its gradient is that of I with p held."""

    def settle(
        self, stage: Problem, point: Point, minimizer: Minimizer[GramObjective], budget: Budget
    ) -> Iterator[Candidate]:
        for evaluation in islice(minimizer.iterate(stage.objective(), point, budget), self.patience):
            yield candidate_at(evaluation)
            if budget.spent:
                return


@dataclass(frozen=True, eq=False)
class AlternatingAnnealing(Annealing):
    """Minimize over (f, b) with p held, then over p with (f, b) held, until p rests."""

    resting: float = 1e-6
    """Relative entropy per point between one p and the next below which p rests."""
    max_turns: int = 100

    def settle(
        self, stage: Problem, point: Point, minimizer: Minimizer[GramObjective], budget: Budget
    ) -> Iterator[Candidate]:
        p = self._probabilities(stage, point)
        for _ in range(self.max_turns):
            held = stage.replace(unlabeled_loss=Mixed(stage.labeled_loss, p))
            evaluation = last_of(islice(minimizer.iterate(held.objective(), point, budget), self.patience), budget)
            point = evaluation.point
            yield replace(candidate_at(evaluation), value=evaluation.value + coldness(stage, p))
            p, before = self._probabilities(stage, point), p
            yield replace(candidate_at(evaluation), value=stage.objective().value(point))
            # KL(p_new || p_old) / u
            moved = np.sum(rel_entr(p, before) + rel_entr(1 - p, 1 - before), axis=0) / len(p)
            if np.all(moved < self.resting) or budget.spent:
                return

    def _probabilities(self, stage: Problem, point: Point) -> np.ndarray:
        scores = point.scores[stage.unlabeled]
        return annealed(stage).bind(scores, stage.space.norms()[stage.unlabeled]).probabilities(scores)


@dataclass(frozen=True, eq=False)
class BestOfPath(Algorithm):
    """The path of the inner algorithm, and at last the candidate on it whose labels cost least:

    J = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_star sum_{j in U} V(y_j z_j)     with the labels y_j of the candidate
    """

    inner: Algorithm

    @property
    def needs(self) -> type[Loss]:
        return self.inner.needs

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        best: Candidate | None = None
        last = None
        for candidate in self.inner.iterate(problem, start, budget):
            if last is not None and candidate.stage != last.stage:
                best = better(best, self._priced(problem, last))
            last = candidate
            yield candidate
        assert last is not None, "an algorithm yields at least its start"
        best = better(best, self._priced(problem, last))
        yield replace(best, stage=last.stage + 1, facts={"kept": "best"})

    def _priced(self, problem: Problem, candidate: Candidate) -> Candidate:
        assert candidate.labels is not None, "annealing labels every candidate"
        decided = problem.replace(unlabeled_loss=Fixed(problem.labeled_loss, candidate.labels))
        return replace(candidate, value=decided.objective().value(candidate.point))


def annealed(stage: Problem) -> Annealed:
    """The unlabeled loss of a stage, which `Annealing.needs` and its schedule see to."""
    loss = stage.unlabeled_loss
    assert isinstance(loss, Annealed)
    return loss


def coldness(stage: Problem, p: np.ndarray) -> np.ndarray:
    """-T H(p) for each column: the temperature of the loss is over C_star, so that weight times it is T."""
    T = stage.weights[stage.unlabeled] * per_point(annealed(stage).temperature, p)
    negated: np.ndarray = -T.max(axis=0) * entropy(p)
    return negated


def better(a: Candidate | None, b: Candidate) -> Candidate:
    """The cheaper of two candidates, column by column."""
    if a is None:
        return b
    chosen = np.flatnonzero(b.value < a.value)
    if not len(chosen) or a.labels is None or b.labels is None:
        return a
    labels = a.labels.copy()
    labels[:, chosen] = b.labels[:, chosen]
    return replace(a.put(chosen, b.columns(chosen)), labels=labels)
