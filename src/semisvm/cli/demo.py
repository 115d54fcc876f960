"""`semisvm demo`: the main job on a small real table whose truth is known."""

# No `from __future__ import annotations` here: typer reads the annotations of nested functions.
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

ROWS, LABELS_PER_CLASS = 800, 2


def demo() -> Callable[..., None]:
    """The command, as a function that typer reads."""
    import typer

    def demo(
        folder: Annotated[Path | None, typer.Option(help="Where the table and the page are written.")] = None,
        all_methods: Annotated[bool, typer.Option("--all-methods", help="Compare every method instead.")] = False,
    ) -> None:
        """Label scikit-learn's digits from 20 labels and say how many came out wrong, beside a supervised SVM."""
        if all_methods:
            from semisvm.cli import all_methods as every

            every.all_methods()
        else:
            labeled_digits(folder or Path(tempfile.gettempdir()) / "semisvm-demo")

    return demo


def labeled_digits(folder: Path, rows: int = ROWS) -> None:
    """Write the table, label it, and hold it against the truth kept aside."""
    from semisvm.cli.label import summary
    from semisvm.cli.labeling import label_table
    from semisvm.cli.sampling import Request
    from semisvm.cli.telling import stage_line

    folder.mkdir(parents=True, exist_ok=True)
    table, truth = folder / "digits.csv", folder / "digits.truth.csv"
    y, hidden = write_digits(table, truth, rows)
    out, page = folder / "digits.labeled.csv", folder / "digits.labeled.html"
    print(f"semisvm label {table} --label digit", flush=True)
    with stage_line() as step:
        summary(label_table(Request(table, "digit"), out, page, step))
    print(f"\nheld against the truth in {truth}, error on the {int(hidden.sum()):,} rows without a label:")
    print(f"  supervised SVM on the labels alone  {supervised_error(table, y, hidden):6.1%}")
    print(f"  semisvm label                       {_error(out, 'digit_predicted', y, hidden):6.1%}")
    print(f"table: {out}\nreport: {page.resolve()}")


def write_digits(table: Path, truth: Path, rows: int) -> tuple[Any, Any]:
    """The digits as a table with two labels per class, the truth beside it; returns the truth and what is hidden."""
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
    """Share of the hidden rows that a supervised SVM, prepared alike, gets wrong."""
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
