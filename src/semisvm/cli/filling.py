"""The second pass over a table: add classes, confidences and optional columns, chunk by chunk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli.explaining import Reasons
from semisvm.cli.places import Executor
from semisvm.cli.request import ORIGINS, Request
from semisvm.tables import blank_cells, table_file

if TYPE_CHECKING:
    import pandas as pd

    from semisvm.cli.labeling import Model, Trained
    from semisvm.cli.sampling import Sample


@dataclass
class Tally:
    """What the second pass counts: rows of each class among the filled ones, their confidences, rows left blank."""

    classes: list
    counts: np.ndarray = field(init=False)
    confidences: np.ndarray = field(default_factory=lambda: np.zeros(10, dtype=int))
    total: float = 0.0
    n_left: int = 0

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.classes), dtype=int)

    @property
    def n_filled(self) -> int:
        return int(self.counts.sum())

    @property
    def mean_confidence(self) -> float:
        return self.total / max(1, self.n_filled)

    def add(self, codes: np.ndarray, confidence: np.ndarray) -> None:
        self.counts += np.bincount(codes, minlength=len(self.classes))
        self.confidences += np.histogram(confidence, bins=10, range=(0.0, 1.0))[0]
        self.total += float(confidence.sum())


@dataclass(frozen=True, eq=False)
class Filling:
    """What is known before the second pass begins."""

    request: Request
    sample: "Sample"
    model: "Model"
    settled: dict[int, int]
    """The class of every row of the sample."""
    ranks: dict[int, int]
    """Of rows that are suggested."""
    limits: np.ndarray
    """Least confidence of each class that is filled in."""
    reasons: Reasons | None
    tally: Tally

    @classmethod
    def of(
        cls, request: Request, sample: "Sample", trained: "Trained", chosen: np.ndarray, limits: np.ndarray
    ) -> "Filling":
        ranks = {int(sample.rows.index[row]): rank for rank, row in enumerate(chosen, start=1)}
        reasons = None
        if trained.kernel is not None:
            reasons = Reasons.of(
                trained.kernel, trained.X, sample.codes, row_names(request, sample.rows), sample.classes
            )
        settled = dict(zip(sample.rows.index.tolist(), trained.codes.tolist(), strict=True))
        return cls(request, sample, trained.model, settled, ranks, limits, reasons, Tally(sample.classes))

    @property
    def written(self) -> list[str]:
        """The columns that are added. They replace those of an earlier run."""
        wanted = ["predicted", "confidence", "suggest", "origin", *(["because"] if self.reasons is not None else [])]
        names = [self.request.column(what) for what in wanted]
        return names + (self._probabilities() if self.request.probabilities else [])

    def _probabilities(self) -> list[str]:
        return [f"{self.request.probability}{name}" for name in self.sample.classes]

    def chunks(self, place: Executor) -> "Iterator[pd.DataFrame]":
        """The table again, with the columns that are written."""
        from semisvm.cli.labeling import Model

        for chunk, answers in place.each(Model.predict, self.model, whole_chunks(self.request, self.sample)):
            yield self._answered(chunk, answers)

    def _answered(self, chunk: "pd.DataFrame", answers: tuple[np.ndarray, np.ndarray]) -> "pd.DataFrame":
        import pandas as pd

        codes, P = answers
        # rows that were trained on keep what the method itself gave them
        codes = np.array([self.settled.get(row, code) for row, code in zip(chunk.index, codes, strict=True)], dtype=int)
        known = self.sample.reading.classes(chunk[self.request.label])
        given = np.array([one is not None for one in known], dtype=bool)
        confidence = P[np.arange(len(codes)), codes]
        left = ~given & (confidence < self.limits[codes])
        filled = ~given & ~left
        self.tally.add(codes[filled], confidence[filled])
        self.tally.n_left += int(left.sum())
        place = self.request.column
        new: dict[str, Any] = {
            place("predicted"): self._classes(codes, left),
            place("confidence"): np.round(np.where(given, 1.0, confidence), 4),
            place("suggest"): pd.array([self.ranks.get(row) for row in chunk.index], dtype="Int64"),
            place("origin"): pd.array(_origins(self.request, chunk, given, left), dtype="string"),
        }
        if self.reasons is not None:
            said = self.reasons.texts(self.model.preparation.transform(chunk), codes, P)
            new[place("because")] = pd.array(
                [None if no else one for one, no in zip(said, given, strict=True)], dtype="string"
            )
        if self.request.probabilities:
            shown = np.where(given[:, None], np.arange(P.shape[1]) == codes[:, None], P)
            new |= dict(zip(self._probabilities(), np.round(shown, 4).T, strict=True))
        return chunk.assign(**new)

    def _classes(self, codes: np.ndarray, left: np.ndarray) -> Any:
        """The classes as a column of their own type. Rows that are not filled are blank."""
        import pandas as pd

        classes = self.sample.classes
        cells = [None if no else classes[code] for code, no in zip(codes, left, strict=True)]
        return pd.array(cells, dtype=column_type(classes))


def whole_chunks(request: Request, sample: "Sample") -> "Iterator[pd.DataFrame]":
    """The table again; a chunk has the columns of the sample first, blank where this chunk has none of their cells."""
    for chunk in table_file(request.table).chunks():
        yield chunk.reindex(columns=list(dict.fromkeys([*sample.rows.columns, *chunk.columns])))


def column_type(classes: Sequence[Any]) -> Any:
    """The type of a column that holds these classes and blanks."""
    for kind, dtype in ((str, "string"), (bool, "boolean"), (int, "Int64"), (float, "Float64")):
        if all(type(one) is kind for one in classes):
            return dtype
    return object


def row_names(request: Request, rows: "pd.DataFrame") -> list[str]:
    """Names of rows: their cells in the --id column, or their numbers in the table from 1 on."""
    if request.id is None:
        return [str(number + 1) for number in rows.index]
    return [str(cell) for cell in rows[request.id]]


def _origins(request: Request, chunk: "pd.DataFrame", given: np.ndarray, left: np.ndarray) -> list[str | None]:
    """The origin of each class. Origins of an earlier run are kept; labels of rows it suggested are `suggested`."""
    nothing = [None] * len(chunk)
    origin, suggest = request.column("origin"), request.column("suggest")
    before = chunk[origin].tolist() if origin in chunk else nothing
    asked = ~blank_cells(chunk[suggest]) if suggest in chunk else np.zeros(len(chunk), dtype=bool)
    return [
        _origin(earlier, suggested) if known else None if no else "filled"
        for earlier, suggested, known, no in zip(before, asked, given, left, strict=True)
    ]


def _origin(earlier: Any, suggested: bool) -> str:
    if earlier in ORIGINS:
        return str(earlier)
    return "suggested" if suggested else "given"
