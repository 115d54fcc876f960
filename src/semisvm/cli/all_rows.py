"""Learning from all rows of a folder of Parquet files, on a cluster, where the method is a sum over rows.

The columns and their scales are those of the sample that was learned from first; the workers read the files themselves
and hold the prepared rows, and the method is trained on them as on any Dask array.
"""

from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli.label_check import LabelReading
from semisvm.cli.places import Place
from semisvm.cli.request import Request
from semisvm.cli.sampling import Sample
from semisvm.estimators.default.average import PreparedPredictor
from semisvm.estimators.default.named import LANDMARKS, named
from semisvm.tables import table_file
from semisvm.tables.arrow_files import ParquetFile, ParquetFolder

if TYPE_CHECKING:
    import pandas as pd

    from semisvm.cli.labeling import Trained

SUMS_OVER_ROWS = (
    "annealing",
    "cccp-squared",
    "continuation",
    "gradient",
    "label-switching",
    "newton",
    "quasi-newton",
    "supervised",
)
"""Methods whose passes over rows may be made where the rows are."""
MAX_ITER = 1000
"""Of the method on all rows, at least."""
BLOCK_ROWS = 200_000
"""Rows of a block, unless a row group has more."""


@dataclass(frozen=True)
class Piece:
    """Consecutive row groups of a file."""

    path: str
    groups: tuple[int, ...]
    n_rows: int

    def read(self, columns: tuple[str, ...]) -> "pd.DataFrame":
        """These columns; blank where the file lacks one."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            known = [name for name in columns if name in file.schema_arrow.names]
            table = file.read_row_groups(list(self.groups), columns=known, use_threads=False)
        rows = table.to_pandas(integer_object_nulls=True, ignore_metadata=True)
        return rows.reindex(columns=list(columns))


def learned(request: Request, sample: Sample, place: Place) -> "Trained":
    """Trained on the sample; on a cluster then on all rows, where files and method allow it."""
    from semisvm.cli.labeling import train

    trained = place.call(train, request, sample)
    if not place.distant or len(sample.rows) == sample.n_rows:
        return trained
    file = table_file(request.table)
    if not isinstance(file, ParquetFile | ParquetFolder):
        return _on_the_sample(trained, f"{request.table} is no Parquet file")
    if request.method not in SUMS_OVER_ROWS:
        why = f"method {request.method} is no sum over rows ({', '.join(SUMS_OVER_ROWS)} are)"
        return _on_the_sample(trained, why)
    return on_all_rows(request, sample, trained, pieces(file))


def _on_the_sample(trained: "Trained", why: str) -> "Trained":
    return replace(trained, notes=(*trained.notes, f"The cluster was not asked to learn from all rows: {why}."))


def pieces(file: ParquetFile | ParquetFolder) -> list[Piece]:
    """The table in pieces of about `BLOCK_ROWS` rows."""
    import pyarrow.parquet as pq

    found = []
    for one in file.files() if isinstance(file, ParquetFolder) else [file]:
        path, metadata = str(Path(one.path).resolve()), pq.read_metadata(one.path)
        held: list[int] = []
        n_rows = 0
        for group in range(metadata.num_row_groups):
            held.append(group)
            n_rows += metadata.row_group(group).num_rows
            if n_rows >= BLOCK_ROWS or group + 1 == metadata.num_row_groups:
                found.append(Piece(path, tuple(held), n_rows))
                held, n_rows = [], 0
    return [piece for piece in found if piece.n_rows]


def on_all_rows(request: Request, sample: Sample, trained: "Trained", found: list[Piece]) -> "Trained":
    """The model of the sample with the scores of one that was trained on all rows."""
    import dask
    import dask.array as da

    model, first = trained.model, trained.model.classifier
    predictor = first.predictor_
    assert isinstance(predictor, PreparedPredictor), "a method by name scores prepared rows"
    sent = dask.delayed((model.preparation, predictor.preparation), pure=False)
    like: Any = predictor.preparation.apply(trained.X[:1]).astype(np.float32)
    sparse = not isinstance(like, np.ndarray)
    shape = (like.shape[1],)
    blocks = [
        da.from_delayed(dask.delayed(_prepared)(sent, piece), (piece.n_rows, *shape), dtype=like.dtype, meta=like[:0])
        for piece in found
    ]
    codes = np.concatenate(
        dask.compute(*[dask.delayed(_codes)(sample.reading, tuple(sample.classes), piece) for piece in found])
    )
    ratio = float(first.ratio_[0]) if len(first.ratio_) == 1 else first.ratio_ / first.ratio_.sum()
    running = {"tol": first.tol, "max_iter": max(first.max_iter, MAX_ITER), "random_state": 0}
    whole = named(request.method, len(codes), first.C, ratio, sparse=sparse, running=running)
    if not sparse:
        whole.set_params(n_components=LANDMARKS)
    whole.fit(da.concatenate(blocks), codes)
    classifier = copy(first)
    classifier.predictor_ = PreparedPredictor(predictor.preparation, whole.predictor_)
    classifier.calibration_, classifier.path_ = whole.calibration_, whole.path_
    classifier.transduction_ = np.asarray(whole.transduction_)[sample.rows.index.to_numpy()]
    note = f"The model was trained on all {len(codes):,} rows, in {len(found):,} blocks on the workers of the cluster."
    return replace(trained, model=replace(model, classifier=classifier), notes=(*trained.notes, note), all_rows=True)


def _prepared(preparations: tuple[Any, Any], piece: Piece) -> Any:
    """Rows as the kernel sees them, in single precision."""
    table, kernel = preparations
    rows = piece.read(tuple(column.name for column in table.used_columns))
    return kernel.apply(table.transform(rows)).astype(np.float32)


def _codes(reading: LabelReading, classes: tuple[Any, ...], piece: Piece) -> np.ndarray:
    """The classes of the rows as their places among all, -1 where there is none."""
    place = {value: code for code, value in enumerate(classes)}
    found = reading.classes(piece.read((reading.label,))[reading.label])
    return np.array([-1 if value is None else place[value] for value in found])
