"""What to label, and the files beside the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from semisvm.tables import check_place, table_file
from semisvm.tables.preparation import listed

WRITTEN = ("predicted", "confidence", "origin")
"""Endings of the columns that are added to a saved table."""
LEFT_OUT = (*WRITTEN, "suggest", "because", "score")
"""Endings of all columns that this package adds to tables; none of them is learned from."""


@dataclass(frozen=True)
class AnnotateRequest:
    """A table, its label column, and how it is shown and saved."""

    table: Path
    label: str
    image: str | None = None
    """A column of names of image files, relative to the folder of the table."""
    new: bool = False
    """Whether the label column does not exist yet."""
    in_place: bool = False
    ratio: float | None = None
    """The share of the class among the other rows, while all labels are of one class. None estimates it."""

    @property
    def decisions(self) -> Path:
        return self._beside(".decisions.jsonl")

    @property
    def lock(self) -> Path:
        return self._beside(".decisions.lock")

    @property
    def out(self) -> Path:
        """Where the table is saved."""
        if self.in_place:
            return self.table
        return self._beside(f".annotated{'.parquet' if self.table.is_dir() else self.table.suffix}")

    @property
    def written(self) -> tuple[str, str, str]:
        """The columns that are added to a saved table."""
        predicted, confidence, origin = (f"{self.label}_{ending}" for ending in WRITTEN)
        return predicted, confidence, origin

    @property
    def score(self) -> str:
        """The column that is added while all labels are of one class."""
        return f"{self.label}_score"

    def left_out(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns that are not learned from: the label, the image, and those that an earlier run added."""
        ours = [f"{self.label}_{ending}" for ending in LEFT_OUT] if self.written[0] in columns else []
        image = [] if self.image is None else [self.image]
        return (self.label, *image, *(name for name in ours if name in columns))

    def check_places(self) -> None:
        """Refuse files that cannot be read or written, before any work is done."""
        table_file(self.table)
        if not self.table.exists():
            raise FileNotFoundError(f"{self.table} does not exist: name a .csv, .tsv, .parquet or .jsonl file.")
        if self.in_place and self.table.is_dir():
            raise ValueError(f"{self.table} is a folder, which --in-place cannot replace: leave that option out.")
        if self.ratio is not None and not 0 < self.ratio < 1:
            raise ValueError(f"--ratio {self.ratio:g} was given: a share between 0 and 1 is needed.")
        check_place(self.decisions)

    def check_columns(self, columns: Sequence[str], given: Sequence[str]) -> None:
        """Refuse columns that are missing, occur twice, or would be overwritten."""
        asked = [("--label", self.label), ("--image", self.image)]
        for option, name in asked:
            if name is None or (option == "--label" and self.new):
                continue
            if name not in columns:
                raise ValueError(self._no_such(option, name, columns))
            if list(given).count(name) > 1:
                raise ValueError(
                    f"{self.table} has {list(given).count(name)} columns named {name!r} ({option}): rename all but one."
                )
        if self.new and self.label in columns:
            raise ValueError(f"{self.table} has a column {self.label!r} already: leave --new out to go on with it.")
        predicted, *others = self.written
        for name in others:
            if name in columns and predicted not in columns:
                raise ValueError(
                    f"{self.table} has a column {name!r}, which a saved table would replace: give it another name."
                )

    def _no_such(self, option: str, name: str, columns: Sequence[str]) -> str:
        lower = {str(one).lower(): str(one) for one in columns}
        close = get_close_matches(name.lower(), lower, n=1)
        meant = f"did you mean {lower[close[0]]!r}" if close else f"its columns are {listed(columns)}"
        begin = "; --new starts a column of that name" if option == "--label" else ""
        end = "?" if close and not begin else "."
        return f"{self.table} has no column {name!r} ({option}): {meant}{begin}{end}"

    def _beside(self, ending: str) -> Path:
        known = self.table if self.table.name else self.table.resolve()
        return known.with_name(f"{known.name if self.table.is_dir() else known.stem}{ending}")
