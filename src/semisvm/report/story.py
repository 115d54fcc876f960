"""What happened to a table, as the commands tell it and the page shows it."""

from dataclasses import asdict, dataclass
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


@dataclass(frozen=True, eq=False)
class Story:
    """What happened to a table."""

    table: str
    out: str
    label: str
    method: str
    n_rows: int
    n_labeled: int
    classes: tuple
    given: tuple[int, ...]
    expected: tuple[float, ...]
    obtained: tuple[int, ...]
    confidences: tuple[int, ...]
    mean_confidence: float
    columns: tuple[tuple[str, str, str, int], ...]
    comparison: Any
    kernels: tuple[tuple[str, float], ...]
    path: tuple[dict, ...]
    text: tuple[str, ...] = ()
    id: str | None = None
    notes: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    map: Map | None = None
    folds: tuple[Fold, ...] = ()
    seconds: float = 0.0

    @property
    def n_filled(self) -> int:
        return self.n_rows - self.n_labeled

    def as_dict(self) -> dict:
        """For programs: everything but the drawing."""
        told = {name: value for name, value in self.__dict__.items() if name not in ("map", "comparison")}
        told["folds"] = [asdict(one) for one in self.folds]
        told["columns"] = [dict(zip(("name", "kind", "use", "missing"), one, strict=True)) for one in self.columns]
        told["suggestions"] = [asdict(one) for one in self.suggestions]
        told["comparison"] = asdict(self.comparison)
        return {**told, "n_filled": self.n_filled, "verdict": self.comparison.verdict, "python": self.python}

    @property
    def python(self) -> str:
        """The call that does the same in Python."""
        readers = {".parquet": "read_parquet({})", ".pq": "read_parquet({})", ".jsonl": "read_json({}, lines=True)"}
        readers[".ndjson"] = readers[".jsonl"]
        text = readers.get(Path(self.table).suffix.lower(), "read_csv({}, dtype=str, keep_default_na=False)")
        if Path(self.table).suffix.lower() in (".tsv", ".tab"):
            text = text.replace("{}", "{}, sep='\\t'")
        left_out = [self.label, *([self.id] if self.id else [])]
        return "\n".join(
            [
                "import pandas as pd",
                "from semisvm import S3VM",
                "from semisvm.tables import TablePreparation",
                "",
                f"table = pd.{text.format(repr(self.table))}",
                f"labels = table[{self.label!r}].astype(object).replace('', None)",
                f"preparation = TablePreparation(text={list(self.text)!r}, leave_out={left_out!r})",
                "X = preparation.fit_transform(table)",
                f"model = S3VM(method={self.method!r}, random_state=0).fit(X, labels)",
                "print(model.report_)",
                "table['predicted'] = model.transduction_",
            ]
        )
