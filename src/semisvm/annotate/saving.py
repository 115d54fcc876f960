"""The table as it is saved: its own cells, the classes that people gave, and what the model makes of every row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.annotate.class_cells import kind_of_classes
from semisvm.annotate.labels import BY_PEOPLE, DUPLICATE, ORIGINS, RowLabels
from semisvm.annotate.request import AnnotateRequest
from semisvm.annotate.sheet import class_name, fingerprint_of
from semisvm.tables import atomic_path, blank_cells, table_file

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Result:
    """What is written beside the cells of the table."""

    classes: list[str]
    codes: np.ndarray
    """Given or decided; -1 where neither."""
    origins: np.ndarray
    guesses: np.ndarray
    """The model's class of every row, -1 before there is a model."""
    confidence: np.ndarray
    cells: dict[str, Any]
    """The cell of each class that stood in the table: a number may be one there."""
    score: np.ndarray | None = None
    """How much every row is like the labeled ones, where all labels are of one class."""

    @classmethod
    def of(
        cls,
        labels: RowLabels,
        guesses: np.ndarray,
        confidence: np.ndarray,
        cells: dict[str, Any],
        score: np.ndarray | None = None,
    ) -> "Result":
        """A copy, which later keys do not change."""
        return cls(list(labels.classes), labels.codes.copy(), labels.origins.copy(), guesses, confidence, cells, score)


def save(request: AnnotateRequest, result: Result, fingerprint: str, about_to: Callable[[str], None]) -> str:
    """Write the table whole or not at all; returns the fingerprint of what was written.

    `about_to` hears that fingerprint before a table in place is replaced.
    """
    if fingerprint_of(request.table) != fingerprint:
        raise ValueError(
            f"{request.table} changed on disk since it was opened, so nothing was saved: end with Ctrl-C and put the "
            "table back as it was; the decisions are kept."
        )
    source, out = table_file(request.table), table_file(request.out)
    with atomic_path(request.out) as held:
        with out.writer(held, source) as append:
            for chunk in source.chunks():
                append(with_result(chunk, request, result))
        written = fingerprint_of(held)
        if request.in_place:
            about_to(written)
    return written


def with_result(chunk: "pd.DataFrame", request: AnnotateRequest, result: Result) -> "pd.DataFrame":
    """Rows of the table with the columns that are added."""
    rows = chunk.index.to_numpy()
    names = np.array([*result.classes, None], dtype=object)
    codes, origins, guesses = result.codes[rows], result.origins[rows], result.guesses[rows]
    by_people = BY_PEOPLE[origins]
    final = np.where(codes >= 0, codes, guesses)
    # the model says how sure it is of its own class; of another one that was accepted it says nothing
    of_model = np.where((final >= 0) & (final == guesses), result.confidence[rows], np.nan)
    sure = np.where(by_people | (origins == DUPLICATE), 1.0, of_model)
    predicted, confidence, origin = request.written
    words = np.array(ORIGINS, dtype=object)[origins]
    words[final < 0] = None
    return chunk.assign(
        **{
            request.label: label_cells(chunk, request, names[codes], by_people, result.cells),
            predicted: names[final].tolist(),
            confidence: np.round(sure, 4),
            origin: words.tolist(),
            **({} if result.score is None else {request.score: np.round(result.score[rows], 6)}),
        }
    )


def label_cells(
    chunk: "pd.DataFrame", request: AnnotateRequest, names: np.ndarray, by_people: np.ndarray, known: dict[str, Any]
) -> Any:
    """The column of classes: cells as they were, but where a person gave a row a class that it had not."""
    import pandas as pd

    if request.label not in chunk:
        return [name if own else None for name, own in zip(names, by_people, strict=True)]
    cells, blank = chunk[request.label], blank_cells(chunk[request.label])
    kept = [None if nothing else class_name(cell) for cell, nothing in zip(cells, blank, strict=True)]
    differs = by_people & np.array([old != new for old, new in zip(kept, names, strict=True)], dtype=bool)
    if not differs.any():
        return cells
    as_cell = kind_of_classes(request).cell
    changed = cells.astype(object)
    changed[differs] = [known[name] if name in known else as_cell(name) for name in names[differs]]
    return changed.astype(cells.dtype) if isinstance(cells.dtype, pd.StringDtype) else changed
