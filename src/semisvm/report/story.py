"""What happened to a table: the data of the command's summary and of the page."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Suggestion:
    """A row whose label would teach most."""

    rank: int
    row: str
    guess: Any
    confidence: float
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Map:
    """Rows in the plane; `given` is -1 where a row has no label."""

    points: np.ndarray
    given: np.ndarray
    before: np.ndarray
    after: np.ndarray
    confidence_before: np.ndarray
    confidence_after: np.ndarray
    margin_before: np.ndarray
    """Distance of the two largest scores, |z| for two classes, by the supervised SVM."""
    margin_after: np.ndarray

    @property
    def changed(self) -> np.ndarray:
        """Unlabeled rows that the two models put into different classes."""
        return (self.given < 0) & (self.before != self.after)


@dataclass(frozen=True)
class Fold:
    """Error of a method on labels of folds it was not trained on, and its standard error."""

    method: str
    error: float
    deviation: float


@dataclass(frozen=True)
class DoubtedLabel:
    """A labeled row that a model without its label would put elsewhere."""

    row: str
    given: Any
    guess: Any
    chance: float
    """That the given label is right."""
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Story:
    """What happened to a table."""

    table: str
    out: str
    label: str
    method: str
    n_rows: int
    n_labeled: int
    n_trained: int
    """Rows that the model was trained on, labeled or not."""
    classes: tuple
    given: tuple[int, ...]
    expected: tuple[float, ...]
    expected_shares_within: tuple[tuple[float, float], ...]
    """80 % intervals of the expected shares."""
    obtained: tuple[int, ...]
    confidences: tuple[int, ...]
    mean_confidence: float
    columns: tuple[tuple[str, str, str, int], ...]
    kernels: tuple[tuple[str, float], ...]
    path: tuple[dict, ...]
    verdict: str
    """What to expect of the filled cells, in a sentence or two."""
    n_changed: int = 0
    """Blank rows whose class differs from that of a model of the labels alone."""
    n_judged: int = 0
    """Labels that were predicted by models that had not seen them."""
    expected_error: float | None = None
    expected_interval: tuple[float, float] | None = None
    expected_error_of_all: float | None = None
    """The same if the rows left blank had been filled too; None where there are none."""
    baselines: dict[str, float] = field(default_factory=dict)
    """Expected error of simpler ways, by their names."""
    text: tuple[str, ...] = ()
    id: str | None = None
    left_out: tuple[str, ...] = ()
    """Columns that were not to be learned from."""
    embed: str | None = None
    """The folder of a model that turned texts into numbers."""
    ratio: Any = None
    seed: int = 0
    blanks: tuple[str, ...] = ()
    """Words of the label column that count as blank."""
    merged: dict = field(default_factory=dict)
    """Classes that were taken for another one."""
    n_left: int = 0
    """Rows that were left blank because the model is not sure of them."""
    said: tuple[str, ...] = ()
    """About the labels, before anything was learned."""
    notes: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    doubts: tuple[DoubtedLabel, ...] = ()
    map: Map | None = None
    folds: tuple[Fold, ...] = ()
    seconds: float = 0.0

    @property
    def n_filled(self) -> int:
        return self.n_rows - self.n_labeled - self.n_left

    def as_dict(self) -> dict:
        """For programs: everything but the drawing."""
        content = {name: value for name, value in self.__dict__.items() if name != "map"}
        content["folds"] = [asdict(one) for one in self.folds]
        content["columns"] = [dict(zip(("name", "kind", "use", "missing"), one, strict=True)) for one in self.columns]
        content["suggestions"] = [asdict(one) for one in self.suggestions]
        content["doubts"] = [asdict(one) for one in self.doubts]
        return {**content, "n_filled": self.n_filled, "python": self.python}

    @property
    def python(self) -> str:
        """The call that does the same in Python."""
        left_out = list(self.left_out or [self.label, *([self.id] if self.id else [])])
        blanks = "".join(f", {word!r}" for word in self.blanks)
        ratio = "" if self.ratio is None else f", ratio={self.ratio!r}"
        embed = "" if self.embed is None else f", embed={self.embed!r}"
        stripped = "replace(r'^\\s+|\\s+$', '', regex=True)"
        labels = f"table[{self.label!r}].astype(object).{stripped}.replace([''{blanks}], None)"
        if self.merged:
            labels += f".replace({self.merged!r})"
        return "\n".join(
            [
                "from pathlib import Path",
                "",
                "from semisvm import S3VM",
                "from semisvm.tables import TablePreparation, table_file",
                "",
                f"table = table_file(Path({self.table!r})).read()",
                f"labels = {labels}",
                f"preparation = TablePreparation(text={list(self.text)!r}, leave_out={left_out!r}{embed})",
                "X = preparation.fit_transform(table)",
                f"model = S3VM(method={self.method!r}{ratio}, random_state={self.seed}).fit(X, labels)",
                "print(model.report_)",
                "table['predicted'] = model.transduction_",
            ]
        )
