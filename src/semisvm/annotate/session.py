"""The state of a page: one person, one table, one model.

Everything here runs in one thread and takes no longer than one pass over the codes of all rows. The child process does
what takes longer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from semisvm.annotate.asking import Asking, Question
from semisvm.annotate.checking import Doubt, Finding, findings
from semisvm.annotate.class_cells import kind_of_classes
from semisvm.annotate.decisions import Decision, Decisions
from semisvm.annotate.evidence import Estimate, estimate_from, guesses_on_drawn_rows
from semisvm.annotate.labels import ACCEPTED, FAIR, ORIGINS, RowLabels, Twins
from semisvm.annotate.messages import Failed, Learned, LearningTask, RankedRows, Ready
from semisvm.annotate.one_class import LEAST_LABELS
from semisvm.annotate.saving import Result
from semisvm.annotate.sheet import Sheet
from semisvm.annotate.stopping import CurvePoint

TEACH = 10
"""Rows of an accepted group that the model learns from."""
TEACHES = ("answer", "mend", "accept", "merge")
"""Kinds of decisions after which there is something to learn."""
LATELY = 20
"""A class is new if it first appeared within this many labels."""


class Refused(ValueError):
    """A request of the page that cannot be done, in a sentence."""


class Learns(Protocol):
    """Learns tasks."""

    def give(self, task: LearningTask) -> None: ...


class Session:
    """What is known, what was decided, and what comes next."""

    def __init__(self, sheet: Sheet, decisions: Decisions):
        self.sheet, self.decisions = sheet, decisions
        self.fingerprint = sheet.fingerprint
        in_file = sheet.classes_in_file()
        # a table that was saved in place also holds decided labels
        for row, before in decisions.before.items():
            in_file[row] = before
        self.labels = RowLabels(in_file, sheet.origins_in_file())
        self.labels.replay(decisions.standing)
        self.asking = Asking(seed=int(sheet.fingerprint[:12], 16))
        self.question = self.asking.next(self.labels)
        self.version = 1
        self.points = [CurvePoint.of(one) for one in decisions.learned]
        self.ready: Ready | None = None
        self.last: Learned | None = None
        self.kept: Learned | None = None
        """The model whose predictions fill the table."""
        self.ranked: RankedRows | None = None
        """The ranking by labels of one class, while there is no other class."""
        self.trouble: str | None = None
        self.revealed: str | None = None
        """The guess for the drawn row that was answered last."""
        self.busy = False
        self._behind = False
        self._learner: Learns | None = None
        self._found: tuple[int, list[Finding]] = (0, [])
        self.kind = kind_of_classes(sheet.request)

    # ---------------------------------------------------------------- learning beside it

    def learn_with(self, learner: Learns) -> None:
        self._learner = learner

    @property
    def has_learner(self) -> bool:
        return self._learner is not None

    def receive(self, message: Any) -> None:
        """Handle a message of the child process."""
        self.version += 1
        if isinstance(message, Ready):
            self._take_in_rows(message)
        elif isinstance(message, Learned):
            self._take_in_model(message)
        elif isinstance(message, RankedRows):
            self.ranked, self.trouble = message, None
            self.asking.suggested = message.suggested
        elif isinstance(message, Failed):
            self.trouble = message.why
            if message.for_good:
                self._learner, self.busy = None, False
                return
        self.busy = False
        self._ask_to_learn()

    def _take_in_rows(self, ready: Ready) -> None:
        self.ready = ready
        used = [name for name, kind, _ in ready.columns if kind != "left out"]
        self.sheet.used = used
        self.labels.twins = Twins(ready.twins)
        self.labels.replay(self.decisions.standing)
        self.asking.pool, self.asking.spread = ready.pool, ready.spread
        if self.question is None or not self.labels.open[self.question.row]:
            self.question = self.asking.next(self.labels)
        self._behind = True

    def _take_in_model(self, learned: Learned) -> None:
        self.last, self.trouble, self.ranked = learned, None, None
        self.asking.suggested = learned.suggested
        estimate = learned.estimate or estimate_from(guesses_on_drawn_rows(self.labels))
        point = CurvePoint(
            n_labels=learned.n_labels,
            changed=learned.changed / max(1, int(self.labels.open.sum())),
            gain=learned.gain,
            answered=learned.answered,
            estimate=estimate,
            unsettled=self._unsettled(),
        )
        if not self.points or self.points[-1].n_labels != point.n_labels or point.gain is not None:
            self.points = [one for one in self.points if one.n_labels < point.n_labels] + [point]
            self.decisions.note_learned(point.as_dict())
        if self._worth_keeping(learned):
            self.kept = learned
        if self.question is None:
            self.question = self.asking.next(self.labels)

    def _worth_keeping(self, learned: Learned) -> bool:
        """Whether the model replaces the kept one: not if it is clearly worse by folds."""
        if self.kept is None or self.kept.estimate is None or learned.estimate is None:
            return True
        return learned.estimate.error <= self.kept.estimate.high or learned.n_labels < self.kept.n_labels

    def _unsettled(self) -> bool:
        counts = self.labels.counts()
        there = [code for code in range(len(counts)) if code not in self.labels.merged and counts[code]]
        answers = [one.label for one in self.labels.decided if one.kind == "answer"]
        new = set(answers[-LATELY:]) - set(answers[:-LATELY]) if len(answers) > LATELY else set()
        return any(counts[code] < 2 or self.labels.classes[code] in new for code in there)

    def _ask_to_learn(self) -> None:
        """Send the present labels to the learner, if there is one and something is new."""
        if self._learner is None or self.ready is None or self.busy or not self._behind:
            return
        task = self.task()
        if len(np.unique(task.codes)) < 2 and task.n_labels < LEAST_LABELS:
            return
        self._behind, self.busy = False, True
        self._learner.give(task)

    def task(self) -> LearningTask:
        """Everything to learn from."""
        labels = self.labels
        known = labels.known
        twins = np.flatnonzero(labels.origins == ORIGINS.index("duplicate"))
        taught = self._taught_by_groups()
        rows = np.concatenate([known, twins, taught]).astype(int)
        return LearningTask(
            version=self.version,
            n_labels=len(known),
            rows=rows,
            codes=labels.codes[rows],
            drawn=FAIR[labels.origins[rows]],
            given=np.arange(len(rows)) < len(known),
            open=labels.open,
            classes=tuple(labels.classes),
        )

    def _taught_by_groups(self) -> np.ndarray:
        """A few rows of each accepted group that still have the accepted class."""
        found: list[int] = []
        for number, one in enumerate(self.labels.decided):
            for part in one.parts.values() if one.kind == "accept" else ():
                rows = np.array(part)[self.labels.origins[part] == ACCEPTED]
                random = np.random.default_rng([self.asking.seed, number])
                found += random.choice(rows, min(TEACH, len(rows)), replace=False).tolist()
        return np.unique(np.array(found, dtype=int))

    # ---------------------------------------------------------------- deciding

    def answer(self, row: int, label: str) -> None:
        """Give the asked row a class."""
        question = self._asked(row)
        guess, confidence = self.guess(row)
        self._decide(
            Decision(
                "answer",
                (row,),
                self._class(label),
                drawn=question.drawn,
                guess=guess,
                confidence=confidence,
                learned_from=None if self.kept is None else self.kept.n_labels,
            )
        )
        if question.drawn and guess is not None:
            right = guess == self.labels.classes[self.labels.codes[row]]
            self.revealed = f"The guess was {guess}: {'right' if right else 'wrong'}."

    def skip(self, row: int) -> None:
        self._decide(Decision("skip", (row,), drawn=self._asked(row).drawn))

    def name_class(self, name: str) -> None:
        """Add a new class."""
        name = self._class(name)
        if name in self.labels.classes:
            raise Refused(f"There is a class {name!r} already: use it.")
        self._decide(Decision("class", label=name))

    def accept(self, rows: Sequence[int], label: str | None) -> None:
        """Give many rows one class, or each its guess. Rows that a person labeled keep their class."""
        found = self._rows(rows)
        found = found[self.labels.open[found]]
        if label is not None:
            parts = {self._class(label): found.tolist()}
        else:
            codes = self.guesses()[found]
            parts = {self.labels.classes[code]: found[codes == code].tolist() for code in np.unique(codes) if code >= 0}
        if not any(parts.values()):
            raise Refused("There is no row to accept: every one has a class from you, or no guess yet.")
        self._decide(Decision("accept", parts=parts))

    def ask_these(self, rows: Sequence[int]) -> None:
        found = self._rows(rows)
        found = found[self.labels.open[found]]
        if not len(found):
            raise Refused("Every one of these rows has a class from you: choose others.")
        self._decide(Decision("ask", tuple(found.tolist())))

    def mend(self, row: int, label: str) -> None:
        """Give a row with a class another one, or confirm its class."""
        (row,) = self._rows([row])
        if self.labels.open[row]:
            raise Refused(f"Row {row + 1} has no class to mend: answer it when it is asked.")
        label = self._class(label)
        if label == self.labels.classes[self.labels.codes[row]]:
            self._decide(Decision("dismiss", label=f"doubt {row} {label}"))
        else:
            self._decide(Decision("mend", (int(row),), label))

    def merge(self, label: str, to: str) -> None:
        if label == to or not {label, to} <= set(self.labels.classes):
            raise Refused(f"{label!r} and {to!r} are not two classes of this table: name two of them.")
        rows = [row for row, name in enumerate(self.labels.in_file) if name == label]
        self._decide(Decision("merge", tuple(rows), label, to, before=label))

    def dismiss(self, key: str) -> None:
        if key not in {one.key for one in self.findings()}:
            raise Refused("That finding is not in the list any more.")
        self._decide(Decision("dismiss", label=key))

    def undo(self) -> Decision | None:
        """Undo the last decision. A row that it answered is asked again."""
        if not self.labels.decided:
            return None
        self.decisions.append(Decision("undo"))
        decision = self.labels.take_back()
        self._after(decision)
        if decision.kind in ("answer", "skip"):
            self.question = Question(decision.rows[0], "drawn" if decision.drawn else "suggested")
        return decision

    def _decide(self, decision: Decision) -> None:
        if decision.kind in ("answer", "mend"):
            decision = replace(decision, before=self.labels.in_file[decision.rows[0]])
        self.labels.apply(self.decisions.append(decision))
        self._after(decision)

    def _after(self, decision: Decision) -> None:
        self.version += 1
        self.revealed = None
        self._behind |= decision.kind in TEACHES
        self.question = self.asking.next(self.labels)
        self._ask_to_learn()

    def _asked(self, row: int) -> Question:
        if self.question is None or self.question.row != row:
            raise Refused("Another row is asked by now: look at that one.")
        return self.question

    def _class(self, name: str) -> str:
        name = " ".join(str(name).split())
        why = self.kind.refusal(name)
        if why is None and name in self.labels.classes and self.labels.classes.index(name) in self.labels.merged:
            why = f"Class {name!r} was made part of another one: take that back first."
        if why is not None:
            raise Refused(why)
        return name

    def _rows(self, rows: Sequence[int]) -> np.ndarray:
        found = np.unique(np.array(list(rows), dtype=int))
        if len(found) and not (found[0] >= 0 and found[-1] < len(self.sheet)):
            raise Refused(f"The table has {len(self.sheet):,} rows: there is no row {int(found[-1]) + 1:,}.")
        return found

    # ---------------------------------------------------------------- what is shown

    def guesses(self) -> np.ndarray:
        """The class of every row by the kept model, -1 before there is one; merged classes are one."""
        if self.kept is None:
            return np.full(len(self.sheet), -1)
        codes, names = self.kept.codes, self.labels.classes
        if list(self.kept.classes) != names[: len(self.kept.classes)]:
            # classes may have been undone since, and their codes may belong to others now
            now = [names.index(name) if name in names else -1 for name in self.kept.classes]
            codes = np.array(now)[codes]
        for one in self.labels.decided:
            if one.kind == "merge":
                codes = np.where(codes == self.labels.code_of(str(one.label)), self.labels.code_of(str(one.to)), codes)
        return codes

    def final(self) -> np.ndarray:
        """The class of every row: given, decided or guessed."""
        return np.where(self.labels.codes >= 0, self.labels.codes, self.guesses())

    def confidence(self) -> np.ndarray:
        return np.zeros(len(self.sheet), np.float32) if self.kept is None else self.kept.confidence

    def guess(self, row: int) -> tuple[str | None, float | None]:
        """The class of a row in a saved table, and the confidence of the model."""
        if self.kept is None:
            return None, None
        code = int(self.labels.codes[row]) if self.labels.origins[row] == ACCEPTED else int(self.guesses()[row])
        return (self.labels.classes[code], round(float(self.kept.confidence[row]), 4)) if code >= 0 else (None, None)

    @property
    def estimate(self) -> Estimate | None:
        if self.kept is not None and self.kept.estimate is not None:
            return self.kept.estimate
        return estimate_from(guesses_on_drawn_rows(self.labels))

    def findings(self) -> list[Finding]:
        """The labels and classes to check."""
        at, found = self._found
        if at != self.version:
            found = findings(self.labels, self._doubts())
            self._found = (self.version, found)
        return found

    def _doubts(self) -> list[Doubt]:
        """The doubts about classes that have not changed."""
        if self.last is None:
            return []
        then, now = self.last.classes, self.labels.classes
        return [one for one in self.last.doubts if list(then[: one.instead + 1]) == now[: one.instead + 1]]

    def result(self) -> Result:
        """The contents of a saved table."""
        cells, ranked = self.sheet.cells_of_classes(), self.ranked
        if ranked is None:
            return Result.of(self.labels, self.guesses(), self.confidence(), cells)
        guesses = np.full(len(ranked.score), -1)
        if ranked.gives_classes:
            guesses[ranked.score > 0] = self.labels.classes.index(ranked.label)
        return Result.of(self.labels, guesses, np.full(len(guesses), np.nan), cells, ranked.score)

    def marks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For the map: class, confidence and origin of every row."""
        return self.final(), self.confidence(), self.labels.origins
