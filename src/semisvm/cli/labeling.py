"""Label a table: read a table with a few labels, and write it with a label in every row.

There are two passes over the file. The first keeps every labeled row and as many others as a model is trained on. The
second predicts chunk by chunk, so that a table may be larger than memory.
"""

import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli import precision
from semisvm.cli.all_rows import learned
from semisvm.cli.facts import facts_of, facts_of_filled
from semisvm.cli.filling import Filling, Tally, column_type, row_names
from semisvm.cli.map_of_rows import map_of, rows_to_show
from semisvm.cli.places import Executor, Here
from semisvm.cli.ratios import shares_of
from semisvm.cli.request import Request, check_places
from semisvm.cli.sampling import Sample, gather_to_fill
from semisvm.cli.terminal import Step, no_step
from semisvm.cli.wording import in_words
from semisvm.estimators import S3VM
from semisvm.estimators.default.average_kernel import AverageKernel, kernel_of
from semisvm.report import DoubtedLabel, Fold, Map, Story, Suggestion, write_page
from semisvm.suggest import suggest_labels
from semisvm.tables import TablePreparation, atomic_path, table_file

if TYPE_CHECKING:
    import pandas as pd

LIKELY = 0.3
"""A label is doubtful where its probability is below this share of 1 / (number of classes)."""
MOST_DOUBTS = 10
SHOWN_CELLS = 4


@dataclass(frozen=True, eq=False)
class Model:
    """What was learned from a table: the preparation, the classifier, the classes of the codes."""

    label: str
    preparation: TablePreparation
    classifier: S3VM
    classes: list

    def predict(self, rows: "pd.DataFrame") -> tuple[np.ndarray, np.ndarray]:
        """(codes, probabilities of all classes); in single precision, which is half the work and exact to 4 digits."""
        X = self.preparation.transform(rows)
        P = self.classifier.predict_proba(X.astype(np.float32, copy=False))
        return np.argmax(P, axis=1), P


@dataclass(frozen=True, eq=False)
class Trained:
    """A model, the rows of the sample as numbers, their classes, and the warnings of the fit."""

    model: Model
    X: Any
    codes: np.ndarray
    """The class of every row of the sample, by the method itself."""
    n_rows: int
    """The number of training rows: those of the sample, or all of the table."""
    notes: tuple[str, ...] = ()
    kernel: AverageKernel | None = None
    """The kernel that measures how near rows are; None without --explain."""


# ---------------------------------------------------------------- learning


def train(request: Request, sample: Sample) -> Trained:
    """The preparation and the classifier, learned on the sample."""
    preparation = request.preparation(sample.rows.columns)
    X = preparation.fit_transform(sample.rows)
    if all(column.kind == "embedding" for column in preparation.used_columns):
        # embeddings are made in single precision, so nothing is lost
        X = X.astype(np.float32, copy=False)
    classifier, said = fitted(request, X, sample.codes, sample.classes)
    notes = tuple(in_words(one, preparation.feature_columns_) for one in said)
    model = Model(request.label, preparation, classifier, sample.classes)
    kernel = kernel_of(classifier) if request.explain else None
    return Trained(model, X, np.asarray(classifier.transduction_), len(sample.rows), notes, kernel)


def fitted(request: Request, X: Any, codes: np.ndarray, classes: list) -> tuple[S3VM, tuple[str, ...]]:
    """The classifier of these rows, and its warnings."""
    classifier = S3VM(
        method=request.method, random_state=request.seed, time_limit=request.seconds, keep_kernels=request.explain
    )
    if request.ratio is not None:
        classifier.set_params(ratio=shares_of(request.ratio, classes))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # the codes mark blank rows by -1, whatever the labels are
        warnings.filterwarnings("ignore", message=".* label -1 are taken as unlabeled")
        classifier.fit(X, codes)
    said = (str(one.message) for one in caught if issubclass(one.category, UserWarning))
    return classifier, tuple(dict.fromkeys(said))


def least_confidence(request: Request, sample: Sample, classifier: S3VM, X: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """(per class the least confidence that is filled in, what to say about it); X: the rows of the sample."""
    limits = np.full(len(sample.classes), request.min_confidence or 0.0)
    if request.min_precision is None:
        return limits, ()
    evidence = getattr(classifier, "evidence_", None)
    if evidence is None:
        raise ValueError(
            f"--min-precision asks for predictions of labels that were left out, and --method {request.method} makes "
            "none: take --method auto, or --min-confidence."
        )
    codes = sample.codes[np.asarray(evidence.rows)]
    rows = np.asarray(classifier.predict_proba(X[np.flatnonzero(sample.codes < 0)]))
    found = precision.thresholds(np.asarray(evidence.probabilities), codes, rows, request.min_precision)
    return np.maximum(limits, found), (precision.sentence(found, sample.classes, request.min_precision),)


# ---------------------------------------------------------------- the job


def label_table(
    request: Request,
    out: Path,
    page: Path | None,
    step: Step = no_step,
    folds: Callable[[Any, np.ndarray], tuple[Fold, ...]] = lambda X, codes: (),
    place: Executor | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Story:
    """Label the table, write it and the page. Errors are raised before anything is written. Files are written whole.

    `folds` cross-validates on the training rows. `place` runs training and prediction: this process by default. `say`
    is called with the remarks about the labels before the training.
    """
    place = place or Here()
    began = time.monotonic()
    check_places(request.table, out, page)
    sample = gather_to_fill(request)
    for line in sample.said:
        say(line)
    trained = learned(request, sample, place, step)
    classifier = trained.model.classifier
    chosen = np.zeros(0, dtype=int)
    if request.suggest:
        chosen = suggest_labels(classifier, trained.X, request.suggest, y=sample.codes)
    limits, said = least_confidence(request, sample, classifier, trained.X)
    filling = Filling.of(request, sample, trained, chosen, limits)
    step("labeling")
    source = table_file(request.table)
    with atomic_path(out) as held:
        with table_file(out).writer(held, source, filling.written) as append:
            n_done = 0
            for chunk in filling.chunks(place):
                append(chunk)
                n_done += len(chunk)
                step("labeling", n_done, sample.n_rows)
        story = _story(request, sample, trained, filling, out)
        story = replace(
            story,
            notes=(*story.notes, *said),
            suggestions=_suggestions(request, sample, trained, chosen),
            doubts=_doubts(request, sample, trained),
        )
        step("comparing")
        story = replace(story, folds=folds(trained.X, sample.codes))
        if page is not None:
            story = replace(story, map=_map(request, sample, trained))
        story = replace(story, seconds=time.monotonic() - began)
        if page is not None:
            with atomic_path(page) as held_page:
                write_page(story, held_page)
    return story


def _map(request: Request, sample: Sample, trained: Trained) -> Map:
    """Some of the rows in the plane, with the classes of a supervised SVM and of the model."""
    rows = rows_to_show(sample.codes)
    X, given, ours = trained.X[rows], sample.codes[rows], (trained.model.classifier, trained.codes[rows])
    if request.method == "supervised":
        return map_of(X, given, ours, ours)
    alone = fitted(replace(request, method="supervised"), X, given, sample.classes)[0]
    return map_of(X, given, (alone, np.asarray(alone.transduction_)), ours)


def predict_table(
    model: Model, table: Path, out: Path, sound: Callable[[], AbstractContextManager] = nullcontext
) -> list[int]:
    """Label every row of a table by a model, chunk by chunk; returns how many rows each class got.

    `sound` gives a context for each call of the model, which may turn its errors into a sentence.
    """
    import pandas as pd

    file = table_file(table)
    tally = Tally(model.classes)
    predicted, sure = f"{model.label}_predicted", f"{model.label}_confidence"
    dtype = column_type(model.classes)
    with atomic_path(out) as held, table_file(out).writer(held, file, [predicted, sure]) as append:
        for chunk in file.chunks():
            with sound():
                codes, P = model.predict(chunk)
                confidence = P[np.arange(len(codes)), codes]
            tally.add(codes, confidence)
            classes = pd.array([model.classes[code] for code in codes], dtype=dtype)
            append(chunk.assign(**{predicted: classes, sure: np.round(confidence, 4)}))
        if not tally.n_filled:
            raise ValueError(f"{table} has no rows: a line of column names and rows below it are needed.")
    return tally.counts.tolist()


def _story(request: Request, sample: Sample, trained: Trained, filling: Filling, out: Path) -> Story:
    model, report, tally = trained.model, trained.model.classifier.report_, filling.tally
    facts = facts_of(report)
    evidence = getattr(model.classifier, "evidence_", None)
    if tally.n_left and evidence is not None:
        facts = facts_of_filled(facts, evidence, filling.limits, tally)
    notes = list(trained.notes)
    if trained.n_rows < sample.n_rows:
        notes.append(
            f"The model was trained on the {sample.n_labeled:,} labeled rows and "
            f"{trained.n_rows - sample.n_labeled:,} of the {sample.n_blank:,} others, drawn at random; rows to label "
            "next are among these."
        )
    return Story(
        table=str(request.table),
        out=str(out),
        label=request.label,
        method=request.method,
        n_rows=sample.n_rows,
        n_labeled=sample.n_labeled,
        n_trained=trained.n_rows,
        n_left=tally.n_left,
        classes=tuple(sample.classes),
        given=tuple(np.bincount(sample.codes[sample.codes >= 0], minlength=len(sample.classes)).tolist()),
        expected=facts.shares,
        expected_shares_within=facts.intervals,
        obtained=tuple(tally.counts.tolist()),
        confidences=tuple(tally.confidences.tolist()),
        mean_confidence=tally.mean_confidence,
        columns=tuple((one.name, one.kind, one.description, one.n_missing) for one in model.preparation.columns_),
        kernels=tuple((one.kernel, one.weight) for one in report.kernels),
        path=tuple(_stage(stage) for stage in model.classifier.path_),
        text=request.text,
        id=request.id,
        left_out=tuple(model.preparation.leave_out),
        embed=None if request.embed is None else str(request.embed),
        ratio=model.classifier.ratio if request.ratio is not None else None,
        seed=request.seed,
        blanks=sample.blanks,
        merged=dict(sample.reading.merged),
        said=sample.said,
        notes=tuple(notes),
        verdict=facts.verdict,
        n_changed=facts.n_changed,
        n_judged=facts.n_judged,
        expected_error=facts.expected_error,
        expected_interval=facts.expected_interval,
        expected_error_of_all=facts.expected_error_of_all,
        baselines=facts.baselines,
    )


def _doubts(request: Request, sample: Sample, trained: Trained) -> tuple[DoubtedLabel, ...]:
    """Labels that look wrong, by models that had not seen them; the least likely first."""
    evidence = getattr(trained.model.classifier, "evidence_", None)
    if evidence is None:
        return ()
    rows, P = np.asarray(evidence.rows), np.asarray(evidence.probabilities)
    codes = sample.codes[rows]
    chance = P[np.arange(len(rows)), codes]
    doubtful = np.flatnonzero(chance < LIKELY / len(sample.classes))
    doubtful = doubtful[np.argsort(chance[doubtful], kind="stable")][:MOST_DOUBTS]
    found = sample.rows.iloc[rows[doubtful]]
    names, cells = row_names(request, found), _cells(trained, found)
    return tuple(
        DoubtedLabel(name, sample.classes[codes[k]], sample.classes[int(P[k].argmax())], float(chance[k]), shown)
        for name, k, shown in zip(names, doubtful, cells, strict=True)
    )


def _cells(trained: Trained, rows: "pd.DataFrame") -> list[tuple[tuple[str, str], ...]]:
    """A few cells of every row, so that people recognize it."""
    shown = [column.name for column in trained.model.preparation.used_columns[:SHOWN_CELLS]]
    return [tuple((name, str(rows[name].iloc[k])[:80]) for name in shown) for k in range(len(rows))]


def _stage(stage: dict) -> dict:
    """A stage with one number in place of one per class: the sum of objectives, the largest of anything else."""
    cells = {}
    for name, value in stage.items():
        if isinstance(value, np.ndarray):
            value = float(value.sum()) if name == "objective" else float(value.max())
        cells[name] = value.item() if isinstance(value, np.generic) else value
    return cells


def _suggestions(request: Request, sample: Sample, trained: Trained, chosen: np.ndarray) -> tuple[Suggestion, ...]:
    rows = sample.rows.iloc[chosen]
    if rows.empty:
        return ()
    codes, P = trained.model.predict(rows)
    names, cells = row_names(request, rows), _cells(trained, rows)
    return tuple(
        Suggestion(rank, names[k], sample.classes[codes[k]], float(P[k, codes[k]]), cells[k])
        for rank, k in enumerate(range(len(rows)), start=1)
    )
