"""`semisvm label` where all labels are of one class: every row gets a score, and a class where the share is known."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli.filling import column_type, row_names, whole_chunks
from semisvm.cli.places import Executor
from semisvm.cli.ratios import shares_of
from semisvm.cli.request import Request
from semisvm.cli.sampling import OnlyOneClass, Sample
from semisvm.cli.terminal import Step, say
from semisvm.estimators import PositiveUnlabeledSVM
from semisvm.estimators.default.preparation import Preparation, preparations
from semisvm.estimators.labels import other_class
from semisvm.estimators.positive_share import LEAST_ROWS, NARROW_INTERVAL
from semisvm.report.machines import for_machines
from semisvm.report.one_class import SHOWN_SHARES, OneClassStory, Ranked, page
from semisvm.tables import TablePreparation, atomic_path, table_file

if TYPE_CHECKING:
    import pandas as pd

SHOWN_CELLS = 4
WITHOUT = {
    "--min-confidence": "min_confidence",
    "--min-precision": "min_precision",
    "--probabilities": "probabilities",
    "--explain": "explain",
}
"""Options that labels of one class cannot answer, and the fields of a request that hold them."""


@dataclass(frozen=True, eq=False)
class OneClassModel:
    """What was learned from a table."""

    columns: TablePreparation
    preparation: Preparation
    classifier: PositiveUnlabeledSVM

    def rows(self, frame: "pd.DataFrame") -> Any:
        return self.preparation.apply(self.columns.transform(frame))

    def scores(self, frame: "pd.DataFrame") -> np.ndarray:
        return self.classifier.decision_function(self.rows(frame))


def label_one_class(
    request: Request,
    only: OnlyOneClass,
    out: Path,
    page_at: Path,
    step: Step,
    place: Executor,
    *,
    folds: int = 0,
    as_json: bool = False,
) -> OneClassStory:
    """Rank the table at this place, write it and the page, and print a summary."""
    sample, began = only.sample, time.monotonic()
    check(request, only, folds)
    name = sample.classes[0]
    if not as_json:
        for line in (*sample.said, f"All {sample.n_labeled:,} labels are {name}: the other rows are ranked by them."):
            say(line)
    step(f"learning from {len(sample.rows):,} rows of one class and without a label")
    prior = share_given(request, sample)
    model, X, y = place.call(learned, request, sample, prior)
    classifier = model.classifier
    low, high = classifier.prior_interval_.tolist()
    predicted = prior is not None or high - low <= NARROW_INTERVAL
    step("leaving out labels")
    recall = place.call(classifier.left_out_recall, X, y, SHOWN_SHARES)
    sensitivity = tuple(place.call(classifier.prior_sensitivity, X, y))
    step("ranking")
    ranking = Ranking(request, sample, model, predicted)
    with atomic_path(out) as held:
        with table_file(out).writer(held, table_file(request.table), ranking.written) as append:
            for chunk in ranking.chunks(place):
                append(chunk)
        story = OneClassStory(
            table=str(request.table),
            out=str(out),
            label=request.label,
            positive=name,
            n_rows=sample.n_rows,
            n_labeled=sample.n_labeled,
            prior=classifier.prior_,
            prior_interval=(low, high),
            prior_given=prior is not None,
            predicted=predicted,
            n_positive=ranking.n_positive,
            recall=tuple((round(one * sample.n_blank), float(r)) for one, r in zip(SHOWN_SHARES, recall, strict=True)),
            sensitivity=sensitivity,
            top=top_rows(request, sample, model),
            columns=tuple((one.name, one.kind, one.description, one.n_missing) for one in model.columns.columns_),
            notes=notes_of(sample),
            seconds=time.monotonic() - began,
        )
        with atomic_path(page_at) as held_page:
            held_page.write_text(page(story), encoding="utf-8")
    show_result(story, page_at, as_json=as_json)
    return story


def check(request: Request, only: OnlyOneClass, folds: int) -> None:
    """Refuse options that labels of one class cannot answer."""
    if only.sample.n_labeled < LEAST_ROWS or request.method != "auto":
        raise only
    asked = [option for option, place in WITHOUT.items() if getattr(request, place)]
    asked += ["--folds"] if folds else []
    if asked:
        raise ValueError(
            f"{asked[0]} was given and all labels of column {request.label!r} are of one class: leave it out, or label "
            "rows of another class."
        )


def share_given(request: Request, sample: Sample) -> float | None:
    """The share in --ratio 0.02 or fraud=0.02; None where it is to be estimated."""
    if request.ratio is None or request.ratio == "estimated":
        return None
    name = sample.classes[0]
    share = shares_of(request.ratio, [f"not {name}", name])
    if isinstance(share, str):
        raise ValueError(
            f"--ratio {request.ratio} was given and labels of one class do not say it: a share of {name} among the "
            f"blank rows such as {name}=0.1, or estimated, is needed."
        )
    return float(share)


def learned(request: Request, sample: Sample, prior: float | None) -> tuple[OneClassModel, Any, np.ndarray]:
    """(model, the rows it was trained on, their labels 1 and -1)."""
    columns = request.preparation(sample.rows.columns)
    X = columns.fit_transform(sample.rows)
    preparation = preparations(X)[0]
    X, y = preparation.apply(X), np.where(sample.codes < 0, -1, 1)
    kernel = "linear" if hasattr(X, "tocsr") else "rbf"
    classifier = PositiveUnlabeledSVM(
        prior=prior, kernel=kernel, random_state=request.seed, time_limit=request.time_limit
    )
    return OneClassModel(columns, preparation, classifier.fit(X, y)), X, y


@dataclass(eq=False)
class Ranking:
    """The second pass: the table again, with the columns that are written."""

    request: Request
    sample: Sample
    model: OneClassModel
    predicted: bool
    n_positive: int = 0

    @property
    def written(self) -> list[str]:
        wanted = ["score", "origin", *(["predicted"] if self.predicted else [])]
        return [self.request.column(what) for what in wanted]

    def chunks(self, place: Executor) -> "Iterator[pd.DataFrame]":
        import pandas as pd

        name = self.sample.classes[0]
        rest = rest_of(name)
        for chunk, scores in place.each(OneClassModel.scores, self.model, whole_chunks(self.request, self.sample)):
            given = ~self.sample.reading.blank(chunk[self.request.label])
            positive = given | (scores > 0)
            self.n_positive += int(np.count_nonzero(positive & ~given))
            origin = np.where(given, "given", "filled" if self.predicted else "ranked")
            new: dict[str, Any] = {
                self.request.column("score"): np.round(scores, 6),
                self.request.column("origin"): pd.array(origin, dtype="string"),
            }
            if self.predicted:
                cells = [name if one else rest for one in positive]
                new[self.request.column("predicted")] = pd.array(cells, dtype=column_type([name, rest]))
            yield chunk.assign(**new)


def rest_of(name: Any) -> Any:
    """The name of the other class: "not fraud", 0 beside 1, and "0" where numbers were read as text."""
    if isinstance(name, str) and name.isdigit():
        return str(rest_of(int(name)))
    return other_class(np.array([name]), None)[0].item()


def top_rows(request: Request, sample: Sample, model: OneClassModel) -> tuple[Ranked, ...]:
    """The unlabeled training rows with the largest scores."""
    blank = sample.rows[sample.codes < 0]
    scores = model.scores(blank)
    best = np.argsort(-scores, kind="stable")[: request.suggest]
    shown = [column.name for column in model.columns.used_columns[:SHOWN_CELLS]]
    names = row_names(request, blank.iloc[best])
    return tuple(
        Ranked(rank + 1, names[rank], float(scores[k]), tuple((n, str(blank[n].iloc[k])[:80]) for n in shown))
        for rank, k in enumerate(best)
    )


def notes_of(sample: Sample) -> tuple[str, ...]:
    n_others = len(sample.rows) - sample.n_labeled
    if n_others == sample.n_blank:
        return ()
    return (
        f"The model was trained on the {sample.n_labeled:,} labeled rows and {n_others:,} of the {sample.n_blank:,} "
        "others, drawn at random; the rows at the top are among these.",
    )


def show_result(story: OneClassStory, page_at: Path, *, as_json: bool) -> None:
    if as_json:
        print(for_machines(story.as_dict()))
        return
    say(story.share_sentence)
    say(story.result_sentence)
    taken, share = story.recall[3]
    say(f"Of the labels, each left out in turn, {share:.0%} are among the {taken:,} rows with the largest scores.")
    if story.top:
        say(f"look at next: rows {', '.join(one.row for one in story.top)}")
    say(f"table: {story.out}")
    say(f"report: {page_at}")
