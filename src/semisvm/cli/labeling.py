"""The main job: a table with a few labels in, the same table with every row labeled out.

Two passes over the file.  The first keeps every labeled row and as many others as a model is trained on; the second
predicts chunk by chunk, so that a table may be larger than memory.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli.all_rows import learned
from semisvm.cli.places import Here, Place
from semisvm.cli.sampling import Request, Sample, gather_to_fill
from semisvm.estimators import S3VM
from semisvm.report import Fold, Map, Story, Suggestion, write_page
from semisvm.suggest import margins_of, suggest_labels
from semisvm.tables import TablePreparation, atomic_path, blank_cells, check_place, table_file

if TYPE_CHECKING:
    import pandas as pd

SUGGESTIONS = 20
SHOWN_ROWS = 1200
"""Points of the map."""


@dataclass(frozen=True, eq=False)
class Model:
    """What was learned of a table: its preparation, the classifier, the classes behind the codes."""

    label: str
    preparation: TablePreparation
    classifier: S3VM
    classes: list

    def predict(self, rows: "pd.DataFrame") -> tuple[np.ndarray, np.ndarray]:
        """(codes, probabilities of all classes); in single precision, which is half the work and exact to 4 digits."""
        X = self.preparation.transform(rows)
        P = self.classifier.predict_proba(X.astype(np.float32))
        return np.argmax(P, axis=1), P


@dataclass(frozen=True, eq=False)
class Trained:
    """A model, the rows it was trained on as numbers, and what was said on the way."""

    model: Model
    X: Any
    notes: tuple[str, ...] = ()
    all_rows: bool = False
    """Whether the model has seen all rows of the table, and not only these."""


# ---------------------------------------------------------------- learning


def train(request: Request, sample: Sample) -> Trained:
    """The preparation and the classifier, learned on the sample."""
    preparation = request.preparation()
    X = preparation.fit_transform(sample.rows)
    classifier, notes = _fitted(request.method, X, sample.codes)
    return Trained(Model(request.label, preparation, classifier, sample.classes), X, notes)


def _fitted(method: str, X: Any, codes: np.ndarray) -> tuple[S3VM, tuple[str, ...]]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        classifier = S3VM(method=method, random_state=0).fit(X, codes)
    said = (str(one.message) for one in heard if issubclass(one.category, UserWarning))
    return classifier, tuple(dict.fromkeys(said))


# ---------------------------------------------------------------- second pass


@dataclass
class Tally:
    """What the second pass counts: rows of each class among the filled ones, and their confidences."""

    classes: list
    counts: np.ndarray = field(init=False)
    confidences: np.ndarray = field(default_factory=lambda: np.zeros(10, dtype=int))
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.classes), dtype=int)

    def add(self, codes: np.ndarray, confidence: np.ndarray) -> None:
        self.counts += np.bincount(codes, minlength=len(self.classes))
        self.confidences += np.histogram(confidence, bins=10, range=(0.0, 1.0))[0]
        self.total += float(confidence.sum())


def filled(
    request: Request, sample: Sample, model: Model, ranks: dict[int, int], tally: Tally, place: Place
) -> "Iterator[pd.DataFrame]":
    """The table again, chunk by chunk, with the three columns."""
    settled = dict(zip(sample.rows.index, model.classifier.transduction_, strict=True))
    chunks = (
        chunk.reindex(columns=list(dict.fromkeys([*sample.rows.columns, *chunk.columns])))
        for chunk in table_file(request.table).chunks()
    )
    for chunk, answers in place.each(Model.predict, model, chunks):
        yield _with_answers(chunk, answers, request, model, settled, ranks, tally)


def _with_answers(
    chunk: "pd.DataFrame",
    answers: tuple[np.ndarray, np.ndarray],
    request: Request,
    model: Model,
    settled: dict,
    ranks: dict[int, int],
    tally: Tally,
) -> "pd.DataFrame":
    import pandas as pd

    codes, P = answers
    # rows that were trained on keep what the method itself gave them
    codes = np.array([settled.get(row, code) for row, code in zip(chunk.index, codes, strict=True)], dtype=int)
    confidence = P[np.arange(len(codes)), codes]
    given = ~blank_cells(chunk[request.label])
    tally.add(codes[~given], confidence[~given])
    classes = _as_objects(model.classes)
    predicted, sure, suggest = request.added
    return chunk.assign(
        **{
            predicted: classes[codes].tolist(),
            sure: np.round(np.where(given, 1.0, confidence), 4),
            suggest: pd.array([ranks.get(row) for row in chunk.index], dtype="Int64"),
        }
    )


# ---------------------------------------------------------------- the job


def label_table(
    request: Request,
    out: Path,
    page: Path | None,
    step: Callable[[str], None] = lambda title: None,
    folds: Callable[[Any, np.ndarray], tuple[Fold, ...]] = lambda X, codes: (),
    place: Place | None = None,
) -> Story:
    """Label the table, write it and the page; raises before anything is written, and writes whole files only.

    `folds` cross-validates on the rows trained on, where that is asked for. Learning and predicting are done at
    `place`: in this process, if none is given.
    """
    place = place or Here()
    began = time.monotonic()
    for path in (out, page):
        if path is not None:
            check_place(path)
    step("reading")
    sample = gather_to_fill(request)
    step(f"learning from {len(sample.rows):,} rows")
    trained = learned(request, sample, place)
    model = trained.model
    chosen = suggest_labels(model.classifier, trained.X, SUGGESTIONS, y=sample.codes)
    ranks = {int(sample.rows.index[row]): rank for rank, row in enumerate(chosen, start=1)}
    tally = Tally(sample.classes)
    step("labeling")
    with atomic_path(out) as held, table_file(out).writer(held, table_file(request.table)) as append:
        for chunk in filled(request, sample, model, ranks, tally, place):
            append(chunk)
    story = _story(request, sample, trained, tally, out)
    story = replace(story, suggestions=_suggestions(request, sample, trained, chosen))
    step("comparing")
    story = replace(story, folds=folds(trained.X, sample.codes))
    if page is not None:
        supervised = request.method == "supervised"
        alone = model.classifier if supervised else _fitted("supervised", trained.X, sample.codes)[0]
        story = replace(story, map=_map(alone, sample, trained))
    story = replace(story, seconds=time.monotonic() - began)
    if page is not None:
        with atomic_path(page) as held:
            write_page(story, held)
    return story


def predict_table(model: Model, table: Path, out: Path) -> list[int]:
    """Label every row of a table by a model, chunk by chunk; returns how many rows each class got."""
    file = table_file(table)
    tally = Tally(model.classes)
    classes = _as_objects(model.classes)
    with atomic_path(out) as held, table_file(out).writer(held, file) as append:
        for chunk in file.chunks():
            codes, P = model.predict(chunk)
            confidence = P[np.arange(len(codes)), codes]
            tally.add(codes, confidence)
            answers = {f"{model.label}_predicted": classes[codes].tolist()}
            append(chunk.assign(**answers, **{f"{model.label}_confidence": np.round(confidence, 4)}))
        if not tally.counts.sum():
            raise ValueError(f"{table} has no rows: a line of column names and rows below it are needed.")
    return tally.counts.tolist()


def _as_objects(classes: list) -> np.ndarray:
    held = np.empty(len(classes), dtype=object)
    held[:] = classes
    return held


def _story(request: Request, sample: Sample, trained: Trained, tally: Tally, out: Path) -> Story:
    model, report = trained.model, trained.model.classifier.report_
    notes = list(trained.notes)
    n_others = len(sample.rows) - sample.n_labeled
    if len(sample.rows) < sample.n_rows and not trained.all_rows:
        notes.append(
            f"The model was trained on the {sample.n_labeled:,} labeled rows and {n_others:,} of the "
            f"{sample.n_blank:,} others, drawn at random; rows to label next are among these."
        )
    return Story(
        table=str(request.table),
        out=str(out),
        label=request.label,
        method=request.method,
        n_rows=sample.n_rows,
        n_labeled=sample.n_labeled,
        classes=tuple(sample.classes),
        given=tuple(np.bincount(sample.codes[sample.codes >= 0], minlength=len(sample.classes)).tolist()),
        expected=tuple(float(share) for share in report.shares),
        obtained=tuple(tally.counts.tolist()),
        confidences=tuple(tally.confidences.tolist()),
        mean_confidence=tally.total / max(1, int(tally.counts.sum())),
        columns=tuple((one.name, one.kind, one.told, one.n_missing) for one in model.preparation.columns_),
        comparison=report.comparison,
        kernels=tuple((one.kernel, one.weight) for one in report.kernels),
        path=tuple(_stage(stage) for stage in model.classifier.path_),
        text=request.text,
        id=request.id,
        notes=tuple(notes),
    )


def _stage(stage: dict) -> dict:
    """A stage with one number where there is one per class: their sum for objectives, the largest elsewhere."""
    told = {}
    for name, value in stage.items():
        if isinstance(value, np.ndarray):
            value = float(value.sum()) if name == "objective" else float(value.max())
        told[name] = value.item() if isinstance(value, np.generic) else value
    return told


def _suggestions(request: Request, sample: Sample, trained: Trained, chosen: np.ndarray) -> tuple[Suggestion, ...]:
    rows = sample.rows.iloc[chosen]
    codes, P = trained.model.predict(rows)
    names = [str(n) for n in (rows.index + 1)] if request.id is None else [str(cell) for cell in rows[request.id]]
    shown = [column.name for column in trained.model.preparation.used_columns[:4]]
    cells = [tuple((name, str(rows[name].iloc[k])[:80]) for name in shown) for k in range(len(rows))]
    return tuple(
        Suggestion(rank, names[k], sample.classes[codes[k]], float(P[k, codes[k]]), cells[k])
        for rank, k in enumerate(range(len(rows)), start=1)
    )


def _map(alone: S3VM, sample: Sample, trained: Trained) -> Map:
    """Two principal directions of the standardised rows; the labeled ones and some of the others."""
    random = np.random.default_rng(0)
    labeled = np.flatnonzero(sample.codes >= 0)
    others = np.flatnonzero(sample.codes < 0)
    some = random.choice(others, min(len(others), SHOWN_ROWS), replace=False)
    rows = np.concatenate([np.sort(some), labeled[:SHOWN_ROWS]])
    ours = trained.model.classifier
    X = trained.X[rows]
    given = sample.codes[rows]
    before, after = (np.asarray(one.transduction_)[rows].astype(int) for one in (alone, ours))
    at = np.arange(len(rows))
    return Map(
        points=_two_directions(trained.X)[rows],
        given=given,
        before=before,
        after=after,
        confidence_before=np.asarray(alone.predict_proba(X))[at, before],
        confidence_after=np.asarray(ours.predict_proba(X))[at, after],
        margin_before=margins_of(np.asarray(alone.decision_function(X))),
        margin_after=margins_of(np.asarray(ours.decision_function(X))),
    )


def _two_directions(X: Any) -> np.ndarray:
    import scipy.sparse as sp
    from sklearn.decomposition import PCA, TruncatedSVD

    if sp.issparse(X):
        if X.shape[1] < 3:
            return _two_columns(X.toarray())
        return TruncatedSVD(2, random_state=0).fit_transform(X)
    deviation = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return PCA(2, random_state=0).fit_transform(Z) if min(Z.shape) > 2 else _two_columns(Z)


def _two_columns(Z: np.ndarray) -> np.ndarray:
    return np.column_stack([Z, np.zeros((len(Z), 2))])[:, :2]
