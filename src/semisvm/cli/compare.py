"""`semisvm compare`: every method that fits the size of a table, cross-validated on its labels."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semisvm.cli.terminal import progress, say, show

if TYPE_CHECKING:
    from semisvm.cli.request import Request

METHODS = (
    "supervised", "auto", "gradient", "cccp", "cccp-squared", "label-switching", "annealing", "continuation", "newton",
    "quasi-newton", "mean", "laplacian-svm", "laplacian-rls", "branch-and-bound", "sdp",
)  # fmt: skip


COLUMNS = ("method", "error %", "standard error", "balanced error %", "F1 of the rarest class %", "seconds")


@dataclass(frozen=True)
class Score:
    """The errors of a method on labels that it had not seen."""

    method: str
    error: float | None
    deviation: float | None
    seconds: float
    balanced_error: float | None = None
    """Mean of the errors on every class."""
    rarest_f1: float | None = None
    """F1 of the class with the fewest labels."""
    failure: str = ""

    def as_dict(self) -> dict:
        """For programs."""
        content = asdict(self)
        return content if self.failure else {name: value for name, value in content.items() if name != "failure"}

    @property
    def line(self) -> tuple[str, ...]:
        if self.error is None or self.deviation is None or self.balanced_error is None or self.rarest_f1 is None:
            return self.method, "failed", self.failure, "", "", f"{self.seconds:.2f}"
        shares = (self.error, self.deviation, self.balanced_error, self.rarest_f1)
        return self.method, *(f"{100 * share:.1f}" for share in shares), f"{self.seconds:.2f}"


def compare() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    from semisvm.cli import options

    @options.with_request(*options.OF_TABLES)
    def compare(
        request: "Request",
        methods: Annotated[str | None, typer.Option(help="Only these methods: a,b,...")] = None,
        folds: Annotated[int, typer.Option(min=2, help="Folds of the labels.")] = 5,
        picture: Annotated[Path | None, typer.Option(help="Where a bar chart goes, .png or .svg.")] = None,
        as_json: options.AsJson = False,
    ) -> None:
        """Compare methods by their errors on labels they have not seen; every unlabeled row stays in training."""
        from semisvm.tables import check_place

        if picture is not None:
            check_place(picture)
            import_module("matplotlib")  # a missing package is named before the work, not after it
        from semisvm.cli.request import SAMPLE
        from semisvm.cli.sampling import gather
        from semisvm.report import for_machines

        sample = gather(replace(request, sample=request.sample or SAMPLE))
        if not as_json:
            for line in sample.said:
                say(line)
        X = request.preparation(sample.rows.columns).fit_transform(sample.rows)
        asked = chosen_methods(methods, len(sample.rows))
        scores = []
        with progress("compare", len(asked)) as advance:
            for method in asked:
                scores.append(cross_validated(method, X, sample.codes, folds))
                advance()
        if as_json:
            print(for_machines([score.as_dict() for score in scores]))
        else:
            show(COLUMNS, [score.line for score in scores])
        if picture is not None:
            draw(scores, picture)
            if not as_json:
                print(f"picture: {picture}")

    return compare


def chosen_methods(asked: str | None, n_rows: int) -> list[str]:
    """The methods asked for, or all that can handle this many rows."""
    from semisvm.cli.request import MOST_ROWS

    if asked is None:
        return [name for name in METHODS if n_rows <= MOST_ROWS.get(name, n_rows)]
    return [known_method(name.strip()) for name in asked.split(",") if name.strip()]


def known_method(name: str) -> str:
    """Return the name; raise an error where there is no such method."""
    if name not in METHODS:
        raise ValueError(f"There is no method {name!r}: the methods are {', '.join(METHODS)}.")
    return name


def cross_validated(method: str, X: Any, codes: Any, folds: int) -> Score:
    """Errors on the labels of each fold. The model was trained on all other rows."""
    import numpy as np

    from semisvm.cli.request import SECONDS
    from semisvm.estimators import S3VM
    from semisvm.model_selection import LabeledKFold
    from semisvm.model_selection.scoring import f1_of_class

    begin = time.perf_counter()
    truth, said = [], []
    splits = list(LabeledKFold(folds, shuffle=True, random_state=0).split(X, codes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in splits:
            try:
                model = S3VM(method=method, random_state=0, time_limit=SECONDS).fit(X[train], codes[train])
            except Exception as error:
                failure = " ".join(str(error).split())
                return Score(method, None, None, time.perf_counter() - begin, failure=failure)
            truth.append(codes[test])
            said.append(model.predict(X[test]))
    true, guessed = np.concatenate(truth), np.concatenate(said)
    share = float(np.mean(true != guessed))
    rarest = np.bincount(true)[np.unique(true)].argmin()
    return Score(
        method,
        share,
        # standard error of a share
        float(np.sqrt(share * (1 - share) / len(true))),
        (time.perf_counter() - begin) / len(splits),
        balanced_error=float(np.mean([np.mean(guessed[true == code] != code) for code in np.unique(true)])),
        rarest_f1=f1_of_class(true, guessed, np.unique(true)[rarest]),
    )


def draw(scores: list[Score], path: Path) -> None:
    """The scores as bars in a picture."""
    from matplotlib.figure import Figure

    from semisvm.plots import plot_comparison
    from semisvm.tables import atomic_path

    known = [score for score in scores if score.error is not None]
    figure = Figure(figsize=(7, 1 + 0.32 * len(known)), layout="constrained")
    plot_comparison(
        [score.method for score in known],
        [100 * (score.error or 0.0) for score in known],
        deviations=[100 * (score.deviation or 0.0) for score in known],
        ax=figure.add_subplot(),
    )
    with atomic_path(path) as held:
        figure.savefig(held)
