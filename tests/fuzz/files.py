"""`semisvm label` on broken files: every cell is in the output, or one line says what is wrong and nothing is written.

A case is a small table in one of the formats, with a few things done to it that spreadsheets, exports and people do.
What comes out is read by other means than the command has: the csv module, json, Arrow and openpyxl.
"""

import gzip
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.fuzz.kept_cells import same_cells
from tests.fuzz.written_files import arrow, delimited, json_lines, workbook

LABELS = (
    ["cat", "dog"], ["a", "b", "c"], ["0", "1"], ["-1", "1"], ["0", "1", "-1"], ["cat", "dog", "NA"], ["x", "?", "y"],
    ["Cat", "cat ", "dog", "DOG"], ["none", "some"], ["1.5", "2.5", "3.25"], ["yes", "no"], ["é", "e", "ü"],
    ["=1+1", "@x"], ["a,b", 'say "hi"'], ["[1, 2]", "{}"], ["true", "false"], ["only"], ["line\nbreak", "tab\there"],
    ["2024-01-01", "0001-01-01"], ["😀", "\u202eback"], ["np.int64(0)", "nan"], ["x" * 3000, "y" * 3000],
)  # fmt: skip
CELLS = (
    "", " ", "NA", "1e400", "-1e999", "1" + "0" * 400, "inf", "-inf", "nan", "0x1F", "1_000", "1,5", "1.234,5", "½",
    "2024-02-30", "0001-01-01", "9999-12-31", "0000-00-00", "31.12.1999", "12/31/1999", "24:00", "2024-01-01T00:00:00Z",
    "2024-01-01 00:00:00+14:00", "[1, 2]", "[1, [2]]", "[" * 3000, "{", "true", "<b>", "=SUM(A1)", "\u0000", "\ufeff",
    "a b c d e", "\u2028", "\u0085", "'", "\\", "%s", "{0}", "-", "x" * 5000, "1e-320", "5e-324",
    "1.7976931348623157e308", "١٢",
)  # fmt: skip
OPTIONS = (
    ["--explain"], ["--probabilities"], ["--min-confidence", "0.7"], ["--merge-labels"], ["--classes"], ["--json"],
    ["--suggest", "3"], ["--drop", "c0"], ["--text", "c1"], ["--id", "c2"], ["--unlabeled", "cat"], ["--keep", "NA"],
    ["--seed", "7"], ["--ratio", "uniform"], ["--ratio", "0.5"], ["--time-limit", "1"],
)  # fmt: skip
FORMATS = ("csv", "tsv", "csv.gz", "txt", "jsonl", "jsonl.gz", "parquet", "feather", "xlsx")


def warm() -> None:
    """All modules, and a first table."""
    import tempfile

    import openpyxl  # noqa: F401
    import pyarrow.feather
    import pyarrow.parquet  # noqa: F401

    from semisvm.cli import application

    application()
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            table = "a,kind\n" + "".join(f"{k % 7},{('cat', 'dog')[k % 2] if k < 6 else ''}\n" for k in range(20))
            FileCase("t.csv", table.encode(), ["--method", "supervised", "--explain"], "a first table").check()
        finally:
            os.chdir(here)


def draw(rng: np.random.Generator) -> "FileCase":
    """One file and the words of the command."""
    ending = str(rng.choice(FORMATS))
    n, d = int(rng.integers(3, 40)), int(rng.integers(1, 6))
    rows, done = _rows(rng, n, d)
    names = [f"c{k}" for k in range(d)] + ["kind"]
    place = int(rng.integers(0, d + 1))
    names = names[:-1][:place] + ["kind"] + names[:-1][place:]
    rows = [row[:-1][:place] + [row[-1]] + row[:-1][place:] for row in rows]
    make = {"jsonl": json_lines, "parquet": arrow, "feather": arrow, "xlsx": workbook}.get(
        ending.removesuffix(".gz"), delimited
    )
    data, more = make(rng, names, rows, ending)
    if rng.random() < 0.06:
        data, more = _torn(rng, data), f"{more}, torn"
    if ending.endswith(".gz"):
        data = gzip.compress(data) if rng.random() < 0.9 else data
        if rng.random() < 0.1:
            data, more = data[: len(data) // 2], f"{more}, half a gzip"
    method = str(rng.choice(["supervised", "supervised", "supervised", "gradient", "cccp", "auto"]))
    words = ["--method", method]
    for k in rng.choice(len(OPTIONS), int(rng.integers(0, 4)), replace=False):
        option, *value = OPTIONS[k]
        words += [option, *value] if option not in ("--id", "--text", "--drop") or value[0] in names else []
    return FileCase(f"t.{ending}", data, words, f"{n} rows, {done}, {more}")


@dataclass(frozen=True)
class FileCase:
    name: str
    data: bytes
    words: list[str]
    shown: str

    def __str__(self) -> str:
        return f"{self.name} ({self.shown}) {' '.join(self.words)}\n{self.data[:1500]!r}"

    def check(self) -> str:
        from typer.testing import CliRunner

        from semisvm.cli import application

        path = Path(self.name)
        path.write_bytes(self.data)
        before = set(os.listdir())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = CliRunner().invoke(application(), ["label", self.name, "--label", "kind", *self.words])
        leaked = [str(one.message) for one in caught if "numpy" in str(one.filename) or one.category is RuntimeWarning]
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert not leaked, f"a warning leaks: {leaked[0]}"
        assert path.read_bytes() == self.data, "the table itself was changed"
        # one of the labels that are drawn is the text of a type
        said = result.stderr.replace("np.int64(0)", "") if "np.int64(0)" in self.shown else result.stderr
        assert "np." not in said, f"a message shows a type: {result.stderr}"
        if result.exit_code == 1:
            assert result.stderr.count("\n") == 1, f"not one line: {result.stderr!r}"
            assert len(result.stderr) > 20, f"a line that does not help: {result.stderr!r}"
            assert len(result.stderr) < 2000, f"an endless line: {result.stderr[:300]!r}"
            assert set(os.listdir()) == before, "something was written"
            return "refused"
        assert result.exit_code == 0, f"exit status {result.exit_code}: {result.stderr}"
        assert result.stderr == "", f"standard error says {result.stderr!r}"
        ending = self.name.removeprefix("t.")
        out = Path(f"t.labeled.{ending}")
        if not out.exists():
            assert "nothing to fill" in result.stdout or '"n_filled": 0' in result.stdout, result.stdout
            return "nothing to fill"
        assert set(os.listdir()) == before | {out.name, "t.labeled.html"}, os.listdir()
        same_cells(path, out, ending)
        return "labeled"


# ---------------------------------------------------------------- tables


def _rows(rng: np.random.Generator, n: int, d: int) -> tuple[list[list[str]], str]:
    """Cells as text, the label last; and what was done to them."""
    classes = LABELS[rng.integers(len(LABELS))]
    truth = rng.integers(0, len(classes), n)
    known = rng.random(n) < rng.choice([0.15, 0.4, 0.7, 1.0], p=[0.3, 0.45, 0.2, 0.05])
    if rng.random() < 0.8:
        truth[: len(classes)], known[: len(classes)] = np.arange(min(n, len(classes))), True
    cells = rng.normal(size=(n, d)).round(3) + truth[:, None]
    rows = [
        [*(str(cell) for cell in cells[k]), classes[truth[k]] if known[k] else str(rng.choice(["", "", " ", "NA"]))]
        for k in range(n)
    ]
    done = [f"labels {classes[0][:20]!r}..."]
    for _ in range(int(rng.integers(0, 4))):
        k, j = int(rng.integers(n)), int(rng.integers(d))
        rows[k][j] = CELLS[rng.integers(len(CELLS))]
        done.append(f"cell {rows[k][j][:20]!r}")
    if rng.random() < 0.15:
        j, cell = int(rng.integers(d)), CELLS[rng.integers(len(CELLS))]
        for row in rows:
            row[j] = cell
        done.append(f"a column of {cell[:20]!r}")
    if rng.random() < 0.1:
        j = int(rng.integers(d))
        for row in rows:
            row[j] = CELLS[rng.integers(len(CELLS))]
        done.append("a column of anything")
    return rows, ", ".join(done)


def _torn(rng: np.random.Generator, data: bytes) -> bytes:
    """A part of the bytes is lost, or some are others."""
    if not data or rng.random() < 0.4:
        return data[: int(rng.integers(0, len(data) + 1))]
    held = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        held[int(rng.integers(len(held)))] = int(rng.integers(256))
    return bytes(held)
