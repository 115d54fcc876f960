"""What happened to a table: the data of the command's summary and of the page."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
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
    """Blank rows whose class differs from what the labels alone would say."""
    n_judged: int = 0
    """Labels that were predicted by models that had not seen them."""
    expected_error: float | None = None
    expected_interval: tuple[float, float] | None = None
    baselines: dict[str, float] = field(default_factory=dict)
    """Expected error of simpler ways, by their names."""
    text: tuple[str, ...] = ()
    id: str | None = None
    left_out: tuple[str, ...] = ()
    """Columns that were not to be learned from."""
    ratio: Any = None
    seed: int = 0
    blanks: tuple[str, ...] = ()
    """Words of the label column that count as blank."""
    merged: dict = field(default_factory=dict)
    """Classes that were taken for another one."""
    n_left: int = 0
    """Rows that were left blank because nothing sure can be said of them."""
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
        labels = f"table[{self.label!r}].astype(object).replace([''{blanks}], None)"
        if self.merged:
            labels += f".replace({self.merged!r})"
        return "\n".join(
            [
                "import pandas as pd",
                "from semisvm import S3VM",
                "from semisvm.tables import TablePreparation",
                "",
                f"table = pd.{_reader(self.table)}",
                f"labels = {labels}",
                f"preparation = TablePreparation(text={list(self.text)!r}, leave_out={left_out!r})",
                "X = preparation.fit_transform(table)",
                f"model = S3VM(method={self.method!r}{ratio}, random_state={self.seed}).fit(X, labels)",
                "print(model.report_)",
                "table['predicted'] = model.transduction_",
            ]
        )


def _reader(table: str) -> str:
    """How pandas reads a table of this name, so that cells of text stay as they are."""
    ending = Path(table.lower().removesuffix(".gz")).suffix
    if ending in (".parquet", ".pq"):
        return f"read_parquet({table!r})"
    if ending in (".feather", ".arrow"):
        return f"read_feather({table!r})"
    if ending == ".xlsx":
        return f"read_excel({table!r}, keep_default_na=False)"
    if ending in (".jsonl", ".ndjson"):
        return f"read_json({table!r}, lines=True)"
    between = ", sep='\\t'" if ending in (".tsv", ".tab") else ""
    return f"read_csv({table!r}{between}, dtype=str, keep_default_na=False)"
