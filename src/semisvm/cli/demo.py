"""`semisvm demo`: label a small real table whose true labels are known."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semisvm.cli.terminal import say

if TYPE_CHECKING:
    from semisvm.report import Story

ROWS, LABELS_PER_CLASS = 800, 2


def demo() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def demo(
        folder: Annotated[Path | None, typer.Option(help="Where the table and the page are written.")] = None,
        all_methods: Annotated[bool, typer.Option("--all-methods", help="Compare every method instead.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Label scikit-learn's digits from 20 labels. Print the error beside that of a supervised SVM."""
        if all_methods:
            from semisvm.cli import all_methods as every

            every.all_methods(as_json)
            return
        folder = folder or Path(tempfile.gettempdir()) / "semisvm-demo"
        if as_json:
            from semisvm.report import for_machines

            print(for_machines(labeled_digits(folder, lambda text: None).as_dict()))
        else:
            labeled_digits(folder)

    return demo


@dataclass(frozen=True, eq=False)
class Demonstration:
    """The result, compared with the true labels."""

    story: "Story"
    truth: Path
    page: Path
    n_hidden: int
    supervised_error: float
    error: float

    def as_dict(self) -> dict:
        figures = {"n_hidden": self.n_hidden, "supervised_error": self.supervised_error, "error": self.error}
        places = {"truth": str(self.truth), "report": str(self.page), "table": self.story.out}
        return {**figures, **places, "label": self.story.as_dict()}


def labeled_digits(folder: Path, write: Callable[[str], None] = say, rows: int = ROWS) -> Demonstration:
    """Write the table, label it, and compare the result with the true labels."""
    from semisvm.cli.label import summary
    from semisvm.cli.labeling import label_table
    from semisvm.cli.sampling import Request
    from semisvm.cli.terminal import stages

    folder.mkdir(parents=True, exist_ok=True)
    table, truth = folder / "digits.csv", folder / "digits.truth.csv"
    y, hidden = write_digits(table, truth, rows)
    out, page = folder / "digits.labeled.csv", folder / "digits.labeled.html"
    write(f"semisvm label {table} --label digit")
    with stages() as step:
        story = label_table(Request(table, "digit"), out, page, step)
    for line in (*story.said, *summary(story)):
        write(line)
    alone, ours = supervised_error(table, y, hidden), _error(out, "digit_predicted", y, hidden)
    write(f"\nheld against the truth in {truth}, error on the {int(hidden.sum()):,} rows without a label:")
    write(f"  supervised SVM on the labels alone  {alone:6.1%}")
    write(f"  semisvm label                       {ours:6.1%}")
    write(f"table: {out}\nreport: {page.resolve()}")
    return Demonstration(story, truth, page.resolve(), int(hidden.sum()), alone, ours)


def write_digits(table: Path, truth: Path, rows: int) -> tuple[Any, Any]:
    """Write the digits as a table with two labels per class; return the true labels and which of them are hidden."""
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_digits

    from semisvm.datasets import labeled_splits

    X, y = load_digits(return_X_y=True)
    X, y = X[:rows], y[:rows]
    hidden = np.ones(len(y), dtype=bool)
    hidden[labeled_splits(y, per_class=LABELS_PER_CLASS, n_splits=1)[0]] = False
    frame = pd.DataFrame(X.astype(int), columns=[f"pixel_{k // 8}_{k % 8}" for k in range(64)])
    frame.insert(0, "digit", [None if blank else int(one) for one, blank in zip(y, hidden, strict=True)])
    frame["digit"] = frame["digit"].astype("Int64")
    frame.to_csv(table, index=False)
    pd.DataFrame({"digit": y}).to_csv(truth, index=False)
    return y, hidden


def supervised_error(table: Path, y: Any, hidden: Any) -> float:
    """The error of a supervised SVM on the hidden rows, with the same preparation."""
    from semisvm.cli.labeling import train
    from semisvm.cli.sampling import Request, gather

    request = Request(table, "digit", method="supervised")
    sample = gather(request)
    codes, _ = train(request, sample).model.predict(sample.rows)
    guesses = [int(sample.classes[code]) for code in codes]
    return float((guesses != y)[hidden].mean())


def _error(path: Path, column: str, y: Any, hidden: Any) -> float:
    import pandas as pd

    return float((pd.read_csv(path)[column].to_numpy() != y)[hidden].mean())
