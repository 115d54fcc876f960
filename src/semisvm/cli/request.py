"""The request of `semisvm label`, and the checks that need no large package."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from semisvm.tables.files import FORMATS, check_place, ending_of, table_file
from semisvm.tables.table_file import different

if TYPE_CHECKING:
    from semisvm.tables import TablePreparation

SAMPLE = 2500
"""Default number of unlabeled training rows of a method by name. Other rows are labeled by prediction."""
ALL_ROWS = 100_000
"""The same for methods whose time and memory grow slowly with the rows: most tables are used whole."""
LARGE = ("auto", "supervised")
"""These methods."""
MOST_NUMBERS = 50_000_000
"""Most entries of all training rows together. They are held several times, within 4 GB."""
MOST_ROWS = {"branch-and-bound": 60, "sdp": 80}
"""Most rows of methods that are slow. A semidefinite program takes 30 s and 1 GB for 80 rows, and 18 GB for 150."""
SECONDS = 60.0
"""Default time limit of these methods, in seconds."""
SUGGESTIONS = 20
ORIGINS = ("given", "drawn", "suggested")
"""Origins of labels. A cell that was blank is `filled`."""


@dataclass(frozen=True)
class Request:
    """What to label and how."""

    table: Path
    label: str
    method: str = "auto"
    text: tuple[str, ...] = ()
    id: str | None = None
    drop: tuple[str, ...] = ()
    unlabeled: tuple[str, ...] = ()
    """Words of the label column that count as blank."""
    keep: tuple[str, ...] = ()
    """Words that are classes though they would count as blank."""
    merge_labels: bool = False
    classes: bool = False
    """Whether the user says that the label column holds classes."""
    ratio: str | None = None
    time_limit: float | None = None
    seed: int = 0
    suggest: int = SUGGESTIONS
    min_confidence: float | None = None
    min_precision: float | None = None
    probabilities: bool = False
    explain: bool = False
    embed: Path | None = None
    sample: int | None = None
    """Unlabeled training rows, drawn at random; None for as many as the method can handle."""

    def column(self, what: str) -> str:
        """The name of a column that is added: `kind_predicted`."""
        return f"{self.label}_{what}"

    @property
    def probability(self) -> str:
        """The prefix of columns of probabilities."""
        return self.column("probability_")

    def is_added(self, name: str) -> bool:
        """Whether an earlier run added this column. Such a column is not learned from."""
        made = {self.column(what) for what in ("predicted", "confidence", "suggest", "origin", "because", "score")}
        return name in made or name.startswith(self.probability)

    def most_others(self, n_labeled: int, width: int = 1) -> int:
        """The number of unlabeled training rows beside so many labeled ones, each with so many entries."""
        wanted = self.sample
        if wanted is None:
            wanted = min(ALL_ROWS, MOST_NUMBERS // width) if self.method in LARGE else SAMPLE
        most = MOST_ROWS.get(self.method)
        return wanted if most is None else min(wanted, max(0, most - n_labeled))

    @property
    def seconds(self) -> float | None:
        """The time limit: that of the user, or the default of a slow method."""
        return SECONDS if self.time_limit is None and self.method in MOST_ROWS else self.time_limit

    def preparation(self, names: Iterable[str]) -> "TablePreparation":
        """The preparation that turns a table with these columns into numbers."""
        from semisvm.tables import TablePreparation

        given = [self.label, *self.drop, *([] if self.id is None else [self.id])]
        left_out = dict.fromkeys([*given, *(name for name in names if self.is_added(name))])
        return TablePreparation(text=self.text, leave_out=tuple(left_out), embed=self.embed)


def check_request(request: Request) -> None:
    """Refuse a file that is not a table or lacks a requested column, where this can be checked at once."""
    file = table_file(request.table)
    file.check_there()
    if ending_of(request.table).removesuffix(".gz").lower() in (".csv", ".txt", ".tsv", ".tab"):
        check_columns(request, file.names())
    for option, value in (("--min-confidence", request.min_confidence), ("--min-precision", request.min_precision)):
        if value is not None and not 0 < value <= 1:
            raise ValueError(f"{option} {value:g} was given: a share between 0 and 1 is needed.")
    if request.time_limit is not None and not request.time_limit > 0:
        raise ValueError(f"--time-limit {request.time_limit:g} was given: a number of seconds is needed.")
    if request.sample is not None and request.sample < 1:
        raise ValueError(f"--sample {request.sample} was given: a number of rows is needed.")
    if request.suggest < 0:
        raise ValueError(f"--suggest {request.suggest} was given: a number of rows, or 0 for none, is needed.")
    if request.embed is not None and not request.embed.is_dir():
        raise FileNotFoundError(
            f"--embed {request.embed} is not a folder: name one that holds a model; none is downloaded."
        )


def check_columns(request: Request, names: Sequence[str]) -> None:
    """Refuse columns that are missing or occur twice."""
    asked = [("--label", request.label), ("--id", request.id)]
    asked += [("--text", name) for name in request.text] + [("--drop", name) for name in request.drop]
    for option, name in asked:
        if name is None:
            continue
        if name not in names and name not in different(list(names)):
            raise ValueError(f"{request.table} has no column {name!r} ({option}){did_you_mean(name, names)}.")
        if list(names).count(name) > 1:
            raise ValueError(
                f"{request.table} has {list(names).count(name)} columns named {name!r} ({option}): rename all but one."
            )


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """: did you mean 'kind'? Its columns are ..."""
    from difflib import get_close_matches

    from semisvm.tables.listing import listed

    lower = {one.strip().lower(): one for one in names}
    near = get_close_matches(name.strip().lower(), lower, n=1)
    hint = f", did you mean {lower[near[0]]!r}?" if near else ":"
    return f"{hint} {'Its' if near else 'its'} columns are {listed(names)}"


def check_places(table: Path, out: Path, page: Path | None) -> None:
    """Refuse places that cannot be written, and files that would overwrite data of the user."""
    check_place(out)
    table_file(out)
    if table.is_dir() and out.resolve().parent == table.resolve():
        raise ValueError(f"{out} lies in the folder that is read: name a place outside of {table}.")
    if page is None:
        return
    check_place(page)
    for other, what in ((table, "the table that is read"), (out, "the table that is written")):
        if _same(page, other):
            raise ValueError(f"--report {page} is {what}: name another file, TABLE.html for instance.")
    if ending_of(page).lower() in FORMATS:
        raise ValueError(f"--report {page} ends as a table does: name an .html file.")


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()
