"""Ordinary tables: numbers, categories, blanks and imbalance."""

from __future__ import annotations

import io

import numpy as np

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_checked

FOLDER = "tables/"


def table_names() -> list[str]:
    """The names that `load_table` knows, in alphabetical order."""
    return sorted(name.removeprefix(FOLDER).removesuffix(".csv") for name in data_files() if name.startswith(FOLDER))


def load_table(name: str, *, as_frame: bool = False) -> Dataset:
    """One of 41 classification tables of at most 2,000 rows; every label is known.

    ``X`` is the matrix that :class:`semisvm.tables.TablePreparation` makes of the columns, as `semisvm label` would, or
    with ``as_frame=True`` the cells themselves as a pandas frame.  Needs the extra `table`.
    """
    import pandas as pd

    from semisvm.tables import TablePreparation

    if name not in table_names():
        raise ValueError(f"load_table knows no table {name!r}: choose one of {', '.join(table_names())}.")
    file = data_files()[f"{FOLDER}{name}.csv"]
    frame = pd.read_csv(io.BytesIO(read_checked(file.name)))
    classes, y = np.unique(frame.pop("class").astype(str), return_inverse=True)
    return Dataset(
        name=name,
        X=frame if as_frame else TablePreparation().fit_transform(frame),
        y=y,
        classes=classes,
        description=f"table of {len(frame):,} rows and {frame.shape[1]} columns",
        license=file.license,
    )
