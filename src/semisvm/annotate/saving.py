"""The saved table: its own cells, the classes that persons gave, and the predictions of the model."""

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
    """Code of the class that was given or decided; -1 without one."""
    origins: np.ndarray
    guesses: np.ndarray
    """The model's class of every row, -1 before there is a model."""
    confidence: np.ndarray
    cells: dict[str, Any]
    """The cell of each class in the table, which may be a number."""
    score: np.ndarray | None = None
    """The score of every row where all labels are of one class."""

    @classmethod
    def of(
        cls,
        labels: RowLabels,
        guesses: np.ndarray,
        confidence: np.ndarray,
        cells: dict[str, Any],
        score: np.ndarray | None = None,
    ) -> "Result":
        """A copy that later decisions do not change."""
        return cls(list(labels.classes), labels.codes.copy(), labels.origins.copy(), guesses, confidence, cells, score)


def save(request: AnnotateRequest, result: Result, fingerprint: str, about_to: Callable[[str], None]) -> str:
    """Write the table completely or not at all; return the fingerprint of what was written.

    `about_to` is called with that fingerprint before a table is replaced in place.
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
    # the confidence is that of the predicted class; another class that was accepted has none
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
    """The label column: cells are unchanged unless a person gave the row another class."""
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
