"""Every estimator on odd rows and labels with odd parameters.

A case is answered well if `fit` raises one of `REFUSALS` whose message is one line that ends in a full stop, or if

    no warning came up but those of this package, which are sentences, too
    scores, probabilities and `transduction_` are finite, and classes are those of the labels
    no argument was changed
    a second fit, a clone's fit and a copy by pickle or skops give the same scores to the last bit
"""

import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

import semisvm
from semisvm.estimators.reading import LARGEST
from tests.fuzz import FuzzFinding
from tests.fuzz.drawing import DrawnTask, drawn_task, with_kernel_values
from tests.fuzz.parameters import ESTIMATORS, ONE_CLASS, drawn_parameters

REFUSALS = (ValueError, TypeError, ImportError, MemoryError, RuntimeError, TimeoutError)


def warm() -> None:
    """Import what fits import, and let each estimator run once."""
    import skops.io  # noqa: F401

    for name in ESTIMATORS:
        task = DrawnTask.plain(one_class=name in ONE_CLASS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(semisvm, name)(**ESTIMATORS[name].quick).fit(task.X, task.targets(name))


def draw(rng: np.random.Generator) -> "EstimatorCase":
    name = str(rng.choice(list(ESTIMATORS)))
    task = drawn_task(rng, one_class=name in ONE_CLASS)
    if rng.random() < 0.1 and "kernel" in getattr(semisvm, name)().get_params():
        task = with_kernel_values(task, rng)
    return EstimatorCase(name, drawn_parameters(name, task, rng), task)


@dataclass
class EstimatorCase:
    name: str
    parameters: dict[str, Any]
    task: DrawnTask

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{self.name}({given}) on {self.task}"

    def check(self) -> str:
        task, y = self.task, self.task.targets(self.name)
        arguments = {"X": task.X, "y": y, "sample_weight": task.weights, "new rows": task.new, **self.parameters}
        before = {name: Snapshot.of(value) for name, value in arguments.items()}
        model = getattr(semisvm, self.name)(**self.parameters)
        try:
            outcome = self._fitted(model, y)
        finally:
            for name, value in arguments.items():
                if Snapshot.of(value) != before[name]:
                    raise FuzzFinding(f"{name} was changed.")
        return outcome

    def _fitted(self, model: Any, y: Any) -> str:
        task = self.task
        try:
            with warned_in_sentences():
                model.fit(task.X, y, task.weights)
        except REFUSALS as refusal:
            expect_a_sentence(str(refusal))
            if any(name.endswith("_") for name in vars(model) if not name.startswith("_")):
                raise FuzzFinding("It refused and is half fitted.") from refusal
            return "refused"
        try:
            with warned_in_sentences():
                answers = self._answers(model)
        except ValueError as refusal:
            too_large = "value of size" in str(refusal) and task.largest_new > LARGEST
            if not too_large and "would overflow" not in str(refusal):
                raise
            expect_a_sentence(str(refusal))
            return "new rows refused"
        self._check_answers(model, answers, y)
        self._check_copies(model, answers, y)
        return "fitted"

    def _answers(self, model: Any) -> dict[str, np.ndarray]:
        names = ["decision_function", "predict_proba", "predict"] if is_classifier(model) else ["predict"]
        said = {name: np.asarray(getattr(model, name)(self.task.new)) for name in names}
        return said | {"transduction_": np.asarray(model.transduction_)}

    def _check_answers(self, model: Any, answers: dict[str, np.ndarray], y: Any) -> None:
        m = self.task.n_new
        for name, values in answers.items():
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                raise FuzzFinding(f"{name} has values that are not finite.")
        if len(answers["transduction_"]) != self.task.n:
            raise FuzzFinding("transduction_ does not have one entry for each row.")
        if not is_classifier(model):
            return
        if answers["predict_proba"].shape != (m, len(model.classes_)):
            raise FuzzFinding(f"predict_proba has the shape {answers['predict_proba'].shape}.")
        if not np.allclose(answers["predict_proba"].sum(axis=1), 1.0):
            raise FuzzFinding("Probabilities do not sum to one.")
        for name in ("predict", "transduction_"):
            if not np.isin(answers[name], model.classes_).all():
                raise FuzzFinding(f"{name} gives something that is not a class.")
        if self.parameters.get("unlabeled", -1) == self.task.marker:
            given = np.flatnonzero(self.task.codes >= 0)
            kept = np.ravel(np.asarray(y, dtype=object))[given] == answers["transduction_"][given]
            if not kept.all():
                raise FuzzFinding("transduction_ changes a label that was given.")

    def _check_copies(self, model: Any, answers: dict[str, np.ndarray], y: Any) -> None:
        copies: dict[str, Callable[[], Any]] = {
            "A second fit": lambda: model.fit(self.task.X, y, self.task.weights),
            "A clone's fit": lambda: clone(model).fit(self.task.X, y, self.task.weights),
            "A copy by pickle": lambda: pickle.loads(pickle.dumps(model)),
            "A copy by skops": lambda: copy_by_skops(model),
        }
        random = self.parameters.get("random_state", 0)
        unseeded = random is None and self.name != "S3VM"
        for name, make in copies.items():
            again = not unseeded and not self.parameters.get("warm_start") and not self.parameters.get("time_limit")
            if name.endswith("fit") and not again:
                continue
            if name == "A copy by skops" and callable(self.parameters.get("kernel")):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                others = self._answers(make())
            for what, values in answers.items():
                if not np.array_equal(values, others[what]):
                    raise FuzzFinding(f"{name} gives another {what}.")


def copy_by_skops(model: Any) -> Any:
    import skops.io as sio

    written = sio.dumps(model)
    return sio.loads(written, trusted=sio.get_untrusted_types(data=written))


class warned_in_sentences(warnings.catch_warnings):  # noqa: N801
    """Warnings of this package are sentences; any other one is a finding."""

    def __init__(self) -> None:
        super().__init__(record=True)

    def __enter__(self) -> Any:
        self.caught = super().__enter__()
        warnings.simplefilter("always")
        return self.caught

    def __exit__(self, *failure: Any) -> None:
        super().__exit__(*failure)
        for warning in self.caught or []:
            text = str(warning.message)
            if not issubclass(warning.category, UserWarning):
                raise FuzzFinding(f"{warning.category.__name__} in {warning.filename}:{warning.lineno}: {text}")
            expect_a_sentence(text)


def expect_a_sentence(text: str) -> None:
    if "\n" in text.strip() or not text.strip().endswith((".", "?")):
        raise FuzzFinding(f"This is not a sentence: {text!r}")
    if "np.int64(" in text or "np.float64(" in text or "np.str_(" in text:
        raise FuzzFinding(f"This shows how numpy writes a number: {text!r}")


@dataclass
class Snapshot:
    """What an argument holds, byte by byte."""

    held: Any

    @classmethod
    def of(cls, value: Any) -> "Snapshot":
        if hasattr(value, "indptr"):
            return cls((value.data.tobytes(), value.indices.tobytes(), value.indptr.tobytes(), value.shape))
        if isinstance(value, np.ndarray):
            return cls(repr(value.tolist()) if value.dtype == object else value.tobytes())
        if hasattr(value, "get_params"):
            return cls({name: cls.of(one) for name, one in value.get_params().items()})
        return cls(repr(value))
