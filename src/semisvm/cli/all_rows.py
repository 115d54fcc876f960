"""Learn from all rows of a folder of Parquet files on a cluster, by methods whose objective is a sum over rows.

The sample determines how each column is prepared. The workers read the files and hold the rows as numbers. `S3VM` is
trained on them as on any Dask array.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli.label_check import LabelReading
from semisvm.cli.places import Executor
from semisvm.cli.request import Request
from semisvm.cli.sampling import Sample
from semisvm.cli.terminal import Step, no_step
from semisvm.cli.wording import in_words
from semisvm.estimators.default.average_kernel import kernel_of
from semisvm.estimators.progress import listening
from semisvm.tables import TablePreparation, table_file
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
"""Methods that can run on the workers that hold the rows."""
BLOCK_ROWS = 200_000
"""Rows of a block. A row group with more rows is one block."""


@dataclass(frozen=True)
class Piece:
    """Consecutive row groups of a file."""

    path: str
    groups: tuple[int, ...]
    n_rows: int

    def read(self, columns: tuple[str, ...]) -> "pd.DataFrame":
        """Read these columns. A column that the file lacks is blank."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            known = [name for name in columns if name in file.schema_arrow.names]
            table = file.read_row_groups(list(self.groups), columns=known, use_threads=False)
        rows = table.to_pandas(integer_object_nulls=True, ignore_metadata=True)
        return rows.reindex(columns=list(columns))


def learned(request: Request, sample: Sample, place: Executor, step: Step = no_step) -> "Trained":
    """Train on the sample; on a cluster, train on all rows where files and method allow it."""
    title = f"learning from {len(sample.rows):,} rows"
    step(title)
    with listening(lambda share: step(title, round(1000 * share), 1000)):
        return _learned(request, sample, place)


def _learned(request: Request, sample: Sample, place: Executor) -> "Trained":
    from semisvm.cli.labeling import train

    if not place.distant or len(sample.rows) == sample.n_rows:
        return place.call(train, request, sample)
    file = table_file(request.table)
    if not isinstance(file, ParquetFile | ParquetFolder):
        why = f"{request.table} is not a Parquet file"
    elif request.method not in SUMS_OVER_ROWS:
        why = f"method {request.method} is not a sum over rows ({', '.join(SUMS_OVER_ROWS)} are)"
    else:
        return on_all_rows(request, sample, pieces(file))
    trained = place.call(train, request, sample)
    return replace(trained, notes=(*trained.notes, f"The cluster was not asked to learn from all rows: {why}."))


def pieces(file: ParquetFile | ParquetFolder) -> list[Piece]:
    """Cut the table into pieces of about `BLOCK_ROWS` rows."""
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


def on_all_rows(request: Request, sample: Sample, found: list[Piece]) -> "Trained":
    """Train on all rows. The sample determines how each column is prepared."""
    import dask
    import dask.array as da

    from semisvm.cli.labeling import Model, Trained, fitted

    preparation = request.preparation(sample.rows.columns)
    X = preparation.fit_transform(sample.rows)
    sent = dask.delayed(preparation, pure=False)
    like: Any = X[:0].astype(np.float32)
    blocks = [
        da.from_delayed(dask.delayed(_prepared)(sent, piece), (piece.n_rows, X.shape[1]), dtype=like.dtype, meta=like)
        for piece in found
    ]
    codes = np.concatenate(
        dask.compute(*[dask.delayed(_codes)(sample.reading, tuple(sample.classes), piece) for piece in found])
    )
    classifier, said = fitted(request, da.concatenate(blocks), codes, sample.classes)
    notes = [in_words(one, preparation.feature_columns_) for one in said]
    notes.append(f"The rows were learned from in {len(found):,} blocks on the workers of the cluster.")
    model = Model(request.label, preparation, classifier, sample.classes)
    kernel = kernel_of(classifier) if request.explain else None
    ours = classifier.transduction_[sample.rows.index.to_numpy()]
    return Trained(model, X, ours, len(codes), tuple(notes), kernel)


def _prepared(preparation: TablePreparation, piece: Piece) -> Any:
    """Rows as numbers, in single precision."""
    return preparation.transform(piece.read(tuple(one.name for one in preparation.used_columns))).astype(np.float32)


def _codes(reading: LabelReading, classes: tuple[Any, ...], piece: Piece) -> np.ndarray:
    """The codes of the classes of the rows, -1 where a row has no label."""
    place = {value: code for code, value in enumerate(classes)}
    found = reading.classes(piece.read((reading.label,))[reading.label])
    return np.array([-1 if value is None else place[value] for value in found])
