"""Other packages on the splits of the default table: `python -m semisvm_papers.comparison --page docs/comparison.md`.

Self-training, random forest, logistic regression and the graph methods of graphlearning (`pip install graphlearning`)
are run on the prepared rows that `default_table` hands to every method, on the sets for reporting, and kept in
papers/comparison.jsonl as soon as each is done.  `S3VM()`, SVC and LabelSpreading are those of the default table.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from semisvm_papers import default_table
from semisvm_papers.default_table import ROWS, Labeler, run
from semisvm_papers.default_table_figures import OURS, MethodScore, cells
from semisvm_papers.records import read_records

N_NEIGHBORS = 10
RECORDED = (OURS, "SVC", "LabelSpreading")
REPORTED = [row for row in ROWS if not row.tuning]


def _supervised(model: Any) -> Labeler:
    def label(X: Any, y: np.ndarray) -> np.ndarray:
        rows = np.flatnonzero(y >= 0)
        return model.fit(X[rows], y[rows]).predict(X)

    return label


def _on_a_graph(method: str) -> Labeler:
    """Laplace or Poisson learning on the graph of the ten nearest neighbors, with the package's own weights."""

    def label(X: Any, y: np.ndarray) -> np.ndarray:
        from graphlearning import ssl, weightmatrix

        rows = np.flatnonzero(y >= 0)
        # a row is its own first neighbor there
        distances, neighbors = NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(X).kneighbors(X)
        weights = weightmatrix.knn(None, N_NEIGHBORS, knn_data=(neighbors, distances))
        return np.asarray(getattr(ssl, method)(weights).fit_predict(rows, y[rows]))

    return label


PEERS: dict[str, Labeler] = {
    "SelfTraining": default_table.PEERS["SelfTraining"],
    "logistic regression": _supervised(LogisticRegression(C=10.0, max_iter=2000)),
    "random forest": _supervised(RandomForestClassifier(300, random_state=0)),
    "Laplace learning": _on_a_graph("laplace"),
    "Poisson learning": _on_a_graph("poisson"),
}
NAMES = (*RECORDED, *PEERS)


def markdown(table: dict[tuple[str, str], MethodScore]) -> str:
    """Errors of the sets that every method was measured on, and their means."""
    shown = [row.name for row in REPORTED if all((row.name, name) in table for name in NAMES)]
    errors = np.array([[table[row, name].error for name in NAMES] for row in shown])
    lines = [f"| set @labels | splits | {' | '.join(f'`{n}`' if n == OURS else n for n in NAMES)} |"]
    lines.append("|---" * (len(NAMES) + 2) + "|")
    for row, line in zip(shown, errors, strict=True):
        lines.append(f"| {row} | {table[row, OURS].splits} | {' | '.join(f'{error:.1f}' for error in line)} |")
    for title, figures in (("mean error", errors.mean(axis=0)), ("mean rank", rankdata(errors, axis=1).mean(axis=0))):
        lines.append(f"| **{title}** | | {' | '.join(f'**{figure:.1f}**' for figure in figures)} |")
    return "\n".join(lines) + "\n"


def recorded(default_table_records: Path, peer_records: Path) -> dict[tuple[str, str], MethodScore]:
    """Means over the splits on which every method was measured."""
    ours = [one for one in read_records(default_table_records) if one.method in RECORDED]
    return cells([*ours, *read_records(peer_records)], NAMES)


def write_into(page: Path, table: str) -> None:
    """Replace the place between the marks of the page."""
    text = page.read_text(encoding="utf-8")
    place = re.compile(r"(<!-- comparison -->\n).*?(<!-- end -->)", re.S)
    page.write_text(place.sub(lambda marks: f"{marks[1]}{table}{marks[2]}", text), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="comparison", description=__doc__)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--datasets", nargs="*", default=None, help="rows whose name contains one of these words")
    parser.add_argument("--default-table", type=Path, default=Path("papers/default_table.jsonl"))
    parser.add_argument("--out", type=Path, default=Path("papers/comparison.jsonl"))
    parser.add_argument("--page", type=Path, help="a page with the marks of the table")
    given = parser.parse_args(arguments)
    rows = [row for row in REPORTED if given.datasets is None or any(word in row.name for word in given.datasets)]
    run(rows, list(PEERS), given.splits, given.out, peers=PEERS)
    table = markdown(recorded(given.default_table, given.out))
    if given.page is None:
        print(table, end="")
    else:
        write_into(given.page, table)


if __name__ == "__main__":
    main()
