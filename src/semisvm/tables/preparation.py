"""The columns of a table as one matrix: learned on some rows, applied to any."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from semisvm.tables.columns import Column, EmbeddedText, Embedding, LeftOut, Numeric, Text, column_of
from semisvm.tables.listing import listed, short

if TYPE_CHECKING:
    import pandas as pd


class TablePreparation(TransformerMixin, BaseEstimator):
    """Finds the kind of each column of a frame and turns its cells into numbers.

    A table of numbers and embeddings alone keeps its units, for the classifier to scale.  Where kinds are mixed every
    numeric feature gets deviation one over the root of the features its column has, so that columns count alike, and
    the words of a text together count as one column does.

    Parameters
    ----------
    text : sequence of str
        Columns to treat as text, whatever they look like.
    leave_out : sequence of str
        Columns that are not to be used: the label, an identifier.
    embed : path, optional
        A folder with a model (of model2vec, or of sentence-transformers) that turns texts into numbers, in place of
        tf-idf.

    Attributes
    ----------
    columns_ : list of Column
        What was found, in the order of the table; `description` says how each is used.
    feature_columns_ : list of str
        The column that each feature comes from.
    """

    def __init__(self, *, text: Sequence[str] = (), leave_out: Sequence[str] = (), embed: Any = None):
        self.text = text
        self.leave_out = leave_out
        self.embed = embed

    def fit(self, X: "pd.DataFrame", y: Any = None) -> "TablePreparation":
        """Learn from all of these rows."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: "pd.DataFrame", y: Any = None) -> Any:
        for name in self.text:
            if name not in X.columns:
                raise ValueError(f"There is no column {name!r} to read as text: the columns are {listed(X.columns)}.")
        used = [name for name in X.columns if name not in set(self.leave_out)]
        self.columns_: list[Column] = [self._column(X[name], name in set(self.text)) for name in used]
        self.feature_names_in_ = np.array(used, dtype=object)
        self.n_features_in_ = len(used)
        if not self.used_columns:
            found = "; ".join(f"{short(one.name)}: {one.description}" for one in self.columns_[:12])
            why = found or "there is none besides the label"
            raise ValueError(
                f"No column can be learned from ({why}): a column of numbers, categories, dates or texts is needed."
            )
        blocks = self._blocks(X)
        mixed = any(not isinstance(column, Numeric | Embedding | EmbeddedText) for column in self.used_columns)
        self.centers_, self.scales_ = [], []
        for column, block in zip(self.used_columns, blocks, strict=True):
            center, scale = _standard(block) if mixed and not isinstance(column, Text) else _kept(block)
            self.centers_.append(center)
            self.scales_.append(scale)
        widths = [block.shape[1] for block in blocks]
        self.feature_columns_ = [
            column.name for column, width in zip(self.used_columns, widths, strict=True) for _ in range(width)
        ]
        return self._joined(blocks)

    def transform(self, X: "pd.DataFrame") -> Any:
        """The rows as a matrix, csr where there is text."""
        check_is_fitted(self, "columns_")
        lacking = [column.name for column in self.used_columns if column.name not in X.columns]
        if lacking:
            raise ValueError(f"The table lacks {listed(lacking)}, which the model was trained with.")
        return self._joined(self._blocks(X))

    @property
    def used_columns(self) -> list[Column]:
        """Those that make features."""
        return [column for column in self.columns_ if not isinstance(column, LeftOut)]

    def _column(self, cells: "pd.Series", text: bool) -> Column:
        with _named(cells.name):
            return column_of(cells, text=text, embed=None if self.embed is None else str(self.embed))

    def _blocks(self, X: "pd.DataFrame") -> list[Any]:
        blocks = []
        for column in self.used_columns:
            with _named(column.name):
                blocks.append(column.numbers(X[column.name]))
        return blocks

    def _joined(self, blocks: list[Any]) -> Any:
        scaled = [
            block if sp.issparse(block) or _is_kept(center, scale) else (block - center) * scale
            for block, center, scale in zip(blocks, self.centers_, self.scales_, strict=True)
        ]
        if any(sp.issparse(block) for block in scaled):
            return sp.csr_array(sp.hstack([sp.csr_array(block) for block in scaled], format="csr"))
        return np.hstack(scaled) if len(scaled) > 1 else scaled[0]


@contextmanager
def _named(column: Any) -> Iterator[None]:
    """An error of one column names it."""
    try:
        yield
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(
            f"Column {column!r} cannot be read ({' '.join(str(error).split())}): leave it out, or write it otherwise."
        ) from error


def _standard(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(mean, 1 / (deviation sqrt(features))) of each feature; 0 where a feature is constant."""
    deviation = block.std(axis=0)
    varies = deviation > 1e-12 * (1 + np.abs(block).max(axis=0, initial=0.0))
    return block.mean(axis=0), np.where(varies, 1 / np.where(varies, deviation, 1.0), 0.0) / np.sqrt(block.shape[1])


def _kept(block: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(block.shape[1]), np.ones(block.shape[1])


def _is_kept(center: np.ndarray, scale: np.ndarray) -> bool:
    """Whether numbers stay as they are, in the precision they have."""
    return not center.any() and bool((scale == 1).all())
