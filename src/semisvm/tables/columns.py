"""What kind of thing a column holds, found from its cells, and its cells as numbers.

numeric       the number                             missing: the median, and a column that says so
boolean       0 or 1                                 missing: 1/2
date          days, and turns of year and week       missing: the median day
categorical   one column per common value            missing: none of them
text          tf-idf of words and pairs of words     missing: no words
embedding     the numbers of the list                missing: the mean list
left out      identifiers, constants, blanks
"""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from semisvm.tables.text_models import embedded

if TYPE_CHECKING:
    import pandas as pd

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-", "<na>", "nat"})
TRUE, FALSE = frozenset({"true", "yes", "t", "y"}), frozenset({"false", "no", "f", "n"})
MOST_CATEGORIES = 50
MOST_WORDS = 20_000
LARGEST = 1e15
"""Numbers beyond are counted in units of the largest one, and numbers of new rows beyond are cut."""
WORDS_OF_TEXT = 4
"""A column whose cells have at least this many words on average is text."""
DATE_FORMATS = ("ISO8601", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y")


@dataclass(frozen=True, eq=False)
class Column(ABC):
    """One column of a table, known from the rows it was learned on."""

    name: str
    n_missing: int

    kind: str = ""

    @abstractmethod
    def numbers(self, cells: "pd.Series") -> Any:
        """(rows, features), dense or csr."""

    @property
    @abstractmethod
    def description(self) -> str:
        """How the column is used, in words."""


@dataclass(frozen=True, eq=False)
class Numeric(Column):
    kind: str = "numeric"
    median: float = 0.0
    decimal: str = "."
    unit: float = 1.0

    def numbers(self, cells: "pd.Series") -> np.ndarray:
        cells = cells if self.decimal == "." else _with_points(cells)
        values = _filled(_as_numbers(cells), self.median, mark=self.n_missing > 0)
        values[:, 0] = _in_units(values[:, 0], self.unit)
        return values

    @property
    def description(self) -> str:
        comma = ", read with a decimal comma" if self.decimal == "," else ""
        scale = f", in units of {self.unit:.0e}" if self.unit != 1 else ""
        if not self.n_missing:
            return f"as it is{comma}{scale}"
        return f"blanks become the median, {self.median:.4g}, and are marked{comma}{scale}"


@dataclass(frozen=True, eq=False)
class Boolean(Column):
    kind: str = "boolean"

    def numbers(self, cells: "pd.Series") -> np.ndarray:
        words = _words(cells)
        return np.where(words.isin(TRUE), 1.0, np.where(words.isin(FALSE), 0.0, 0.5))[:, None]

    @property
    def description(self) -> str:
        return "0 or 1" + (", blanks 1/2" if self.n_missing else "")


@dataclass(frozen=True, eq=False)
class Date(Column):
    kind: str = "date"
    median: float = 0.0
    pattern: str = "ISO8601"

    def numbers(self, cells: "pd.Series") -> np.ndarray:
        days = _as_days(cells, self.pattern)
        days = np.where(np.isnan(days), self.median, days)
        turns = [2 * np.pi * days / period for period in (365.25, 7.0)]
        waves = [wave(turn) for turn in turns for wave in (np.sin, np.cos)]
        return np.column_stack([days, *waves])

    @property
    def description(self) -> str:
        return "days, and the turn of the year and of the week" + (", blanks the median day" if self.n_missing else "")


@dataclass(frozen=True, eq=False)
class Categorical(Column):
    kind: str = "categorical"
    values: tuple[str, ...] = ()
    n_values: int = 0

    def numbers(self, cells: "pd.Series") -> np.ndarray:
        words = _words(cells, keep_case=True).to_numpy(dtype=object)
        return (words[:, None] == np.array(self.values, dtype=object)[None, :]).astype(float)

    @property
    def description(self) -> str:
        rest = (
            f"the {len(self.values)} most common of {self.n_values} values" if self.n_values > len(self.values) else ""
        )
        return f"one column for each of {rest or f'{self.n_values} values'}"


@dataclass(frozen=True, eq=False)
class Text(Column):
    kind: str = "text"
    vectorizer: Any = None

    def numbers(self, cells: "pd.Series") -> sp.csr_array:
        return sp.csr_array(self.vectorizer.transform(_words(cells, keep_case=True).tolist()))

    @property
    def description(self) -> str:
        return f"tf-idf of {len(self.vectorizer.vocabulary_):,} words and pairs"


@dataclass(frozen=True, eq=False)
class Embedding(Column):
    kind: str = "embedding"
    mean: tuple[float, ...] = ()
    unit: float = 1.0

    def numbers(self, cells: "pd.Series") -> np.ndarray:
        lists = [as_list(cell) for cell in cells]
        width = len(self.mean)
        kinds = {one.dtype for one in lists if one is not None and len(one) == width}
        mean = np.array(self.mean, dtype=np.result_type(*kinds) if kinds else np.float64)
        filled = [one if one is not None and len(one) == width else mean for one in lists]
        return _in_units(_stacked(filled, width), self.unit)

    @property
    def description(self) -> str:
        return f"a list of {len(self.mean)} numbers"


@dataclass(frozen=True, eq=False)
class EmbeddedText(Column):
    """Texts through a model of a folder."""

    kind: str = "text"
    folder: str = ""
    width: int = 0

    def numbers(self, cells: "pd.Series") -> np.ndarray:
        return embedded(self.folder, _words(cells, keep_case=True).tolist())

    @property
    def description(self) -> str:
        return f"{self.width} numbers by the model in {self.folder}"


@dataclass(frozen=True, eq=False)
class LeftOut(Column):
    kind: str = "left out"
    why: str = ""

    def numbers(self, cells: "pd.Series") -> np.ndarray:
        return np.zeros((len(cells), 0))

    @property
    def description(self) -> str:
        return self.why


def column_of(cells: "pd.Series", *, text: bool = False, embed: str | None = None) -> Column:
    """The kind of a column from its cells; `text`: treat it as text, whatever it looks like.

    `embed` is the folder of a model that turns texts into numbers.
    """
    name = str(cells.name)
    missing = blank_cells(cells, MISSING)
    n_missing = int(missing.sum())
    known = cells[~missing]
    if known.empty:
        return LeftOut(name, n_missing, why="every cell is blank")
    if text:
        return _text(name, n_missing, known, embed)
    if (embedding := _embedding(name, n_missing, known)) is not None:
        return embedding
    words = _words(known)
    if not n_missing and (words == words.iloc[0]).all():
        return LeftOut(name, n_missing, why="every cell is the same")
    if words.isin(TRUE | FALSE).all():
        return Boolean(name, n_missing)
    values = _as_numbers(known)
    if np.isfinite(values).all():
        return _numeric(name, n_missing, values)
    if _decimal_commas(words):
        return _numeric(name, n_missing, _as_numbers(_with_points(known)), decimal=",")
    for pattern in DATE_FORMATS:
        days = _as_days(known, pattern)
        if not np.isnan(days).any():
            return Date(name, n_missing, median=float(np.median(days)), pattern=pattern)
    return _of_words(name, n_missing, known, embed)


def blank_cells(cells: "pd.Series", blanks: frozenset[str] = frozenset({""})) -> np.ndarray:
    """Which cells hold nothing: null, NaN, or one of these words in any case."""
    null = cells.isna().to_numpy()
    if cells.dtype.kind in "biufcmM":
        return null
    if cells.dtype == object:
        # a list is not blank, and to write out the numbers of many takes longer than to learn from them
        lists = np.array([isinstance(cell, list | tuple | np.ndarray) for cell in cells], dtype=bool)
        cells = cells.mask(lists, "[]")
    return null | _words(cells).isin(blanks).to_numpy()


def _decimal_commas(words: "pd.Series") -> bool:
    """Whether all cells are numbers with a comma before their decimals: 3,5 and -12 and 0,25e3.

    Three digits after every comma may be thousands as well; the result is then False.
    """
    if not words.str.fullmatch(r"[+-]?\d*(,\d+)?(e[+-]?\d+)?").all() or not words.str.contains(r"\d").all():
        return False
    return bool((words.str.contains(",") & ~words.str.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}")).any())


def _with_points(cells: "pd.Series") -> "pd.Series":
    return _words(cells).str.replace(",", ".", regex=False)


def _numeric(name: str, n_missing: int, values: np.ndarray, decimal: str = ".") -> Column:
    n = len(values)
    if values.min() == values.max() and not n_missing:
        return LeftOut(name, n_missing, why="every cell is the same")
    step = values[1] / 2 - values[0] / 2 if n > 2 and not n_missing else 0.0
    if abs(step) == 0.5 and (values == values[0] + 2 * step * np.arange(n)).all():
        return LeftOut(name, n_missing, why="it counts the rows")
    return Numeric(name, n_missing, median=_median(values), decimal=decimal, unit=_unit(values))


def _median(values: np.ndarray) -> float:
    """Halves are added, because the sum of two large numbers may overflow."""
    n, in_order = len(values), np.sort(values)
    return float(in_order[(n - 1) // 2] / 2 + in_order[n // 2] / 2)


def _unit(values: np.ndarray) -> float:
    """1, unless squares of the numbers would be too large or too small for float64."""
    largest = float(np.abs(values).max())
    return 1.0 if 1 / LARGEST <= largest <= LARGEST or largest == 0 else largest


def _in_units(values: np.ndarray, unit: float) -> np.ndarray:
    if unit != 1:
        values = values / unit
    return np.clip(values, -LARGEST, LARGEST)


def _of_words(name: str, n_missing: int, known: "pd.Series", embed: str | None) -> Column:
    words = _words(known, keep_case=True)
    counts = words.value_counts()
    mean_length = float(words.str.count(r"\s+").mean()) + 1
    if len(counts) > min(MOST_CATEGORIES, max(2, len(words) // 4)):
        if mean_length >= WORDS_OF_TEXT:
            return _text(name, n_missing, known, embed)
        if len(counts) > 0.5 * len(words):
            return LeftOut(name, n_missing, why="nearly every cell is different, as names and identifiers are")
    kept = tuple(str(value) for value in counts.index[:MOST_CATEGORIES])
    return Categorical(name, n_missing, values=kept, n_values=len(counts))


def _text(name: str, n_missing: int, known: "pd.Series", embed: str | None) -> Column:
    if embed is not None:
        return EmbeddedText(name, n_missing, folder=embed, width=embedded(embed, ["a text"]).shape[1])
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = _words(known, keep_case=True).tolist()
    fewest = 2 if len(words) >= 50 else 1
    vectorizer = TfidfVectorizer(
        sublinear_tf=True, ngram_range=(1, 2), min_df=fewest, max_features=MOST_WORDS, strip_accents="unicode"
    )
    try:
        vectorizer.fit(words)
    except ValueError:
        return LeftOut(name, n_missing, why="no word occurs in two rows")
    return Text(name, n_missing, vectorizer=vectorizer)


def _embedding(name: str, n_missing: int, known: "pd.Series") -> Column | None:
    first = as_list(known.iloc[0])
    if first is None or not len(first):
        return None
    lists = [one for one in map(as_list, known) if one is not None and len(one) == len(first)]
    if len(lists) < len(known):
        return None
    values = _stacked(lists, len(first))
    # each number is divided before it is added, because the sum of large numbers may overflow
    mean = np.full(len(values), 1 / len(values), dtype=values.dtype) @ values
    return Embedding(name, n_missing, mean=tuple(mean.tolist()), unit=_unit(values))


def _stacked(lists: list[np.ndarray], width: int) -> np.ndarray:
    """(lists, width), in the precision that holds all of them."""
    return np.concatenate(lists).reshape(-1, width) if lists else np.zeros((0, width))


def as_list(cell: Any) -> np.ndarray | None:
    """The numbers of a list, written out as JSON or not; single precision stays as it is, without a copy."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = json.loads(cell)
        except (json.JSONDecodeError, RecursionError):
            return None
    if not isinstance(cell, list | tuple | np.ndarray):
        return None
    try:
        single = isinstance(cell, np.ndarray) and cell.dtype == np.float32
        numbers = np.asarray(cell, dtype=np.float32 if single else float)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 and np.isfinite(numbers).all() else None


def _words(cells: "pd.Series", *, keep_case: bool = False) -> "pd.Series":
    import pandas as pd

    if isinstance(cells.dtype, pd.StringDtype):
        words = cells.fillna("").str.strip()
    else:
        words = cells.astype(object).where(cells.notna(), "").map(str).astype(str).str.strip()
    return words if keep_case else words.str.lower()


def _as_numbers(cells: "pd.Series") -> np.ndarray:
    """NaN where a cell is not a finite number."""
    import pandas as pd

    if cells.dtype.kind == "M":
        return np.full(len(cells), np.nan)
    values = _parsed(cells)
    if values is None:
        values = np.asarray(pd.to_numeric(cells, errors="coerce"), dtype=float)
    return np.where(np.isfinite(values), values, np.nan)


def _parsed(cells: "pd.Series") -> np.ndarray | None:
    """Strings that are all numbers or empty, read by Arrow in a tenth of the time; None where a cell is neither."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(cells.dtype, pd.StringDtype):
        return None
    strings = pa.array(cells)
    try:
        numbers = pc.if_else(pc.equal(strings, ""), None, strings).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=float)


def _as_days(cells: "pd.Series", pattern: str) -> np.ndarray:
    import pandas as pd

    if cells.dtype.kind in "iuf":
        return np.full(len(cells), np.nan)
    found = pd.to_datetime(cells, errors="coerce", format=None if cells.dtype.kind == "M" else pattern, utc=True)
    # seconds hold all years, nanoseconds those around ours only
    moments = found.dt.tz_localize(None).to_numpy().astype("datetime64[us]" if _near(found) else "datetime64[s]")
    # days since 1970
    days = (moments - np.datetime64(0, "s")) / np.timedelta64(1, "D")
    return np.where(np.isnat(moments), np.nan, days)


def _near(moments: "pd.Series") -> bool:
    """Whether all moments lie within the years that microseconds hold."""
    return bool((moments.dt.year.fillna(1970).abs() < 200_000).all())


def _filled(values: np.ndarray, instead: float, *, mark: bool) -> np.ndarray:
    missing = np.isnan(values)
    filled = np.where(missing, instead, values)
    return np.column_stack([filled, missing.astype(float)]) if mark else filled[:, None]
