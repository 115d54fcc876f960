"""Table files by their names, and files that are written whole.

Files are written beside their place and moved there when they are whole: a reader sees the old file or the new one,
never half of it.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from semisvm.tables.arrow_files import FeatherFile, ParquetFile, ParquetFolder
from semisvm.tables.delimited import DelimitedFile
from semisvm.tables.json_lines import JSONLinesFile
from semisvm.tables.table_file import KINDS, TableFile
from semisvm.tables.workbook import WorkbookFile

TEXT: dict[str, Callable[[Path], TableFile]] = {
    ".csv": DelimitedFile,
    ".txt": DelimitedFile,
    ".tsv": lambda path: DelimitedFile(path, "\t"),
    ".tab": lambda path: DelimitedFile(path, "\t"),
    ".jsonl": JSONLinesFile,
    ".ndjson": JSONLinesFile,
}
"""May be compressed: .csv.gz."""
FORMATS: dict[str, Callable[[Path], TableFile]] = {
    **TEXT,
    **{f"{ending}.gz": kind for ending, kind in TEXT.items()},
    ".parquet": ParquetFile,
    ".pq": ParquetFile,
    ".feather": FeatherFile,
    ".arrow": FeatherFile,
    ".xlsx": WorkbookFile,
}


def ending_of(path: Path) -> str:
    """How the name of a table ends: .csv, .csv.gz, .parquet for a folder of such files."""
    if path.is_dir():
        return ".parquet"
    two = "".join(path.suffixes[-2:])
    return two if two.lower() in FORMATS else path.suffix


def table_file(path: Path) -> TableFile:
    """The table in this file, by the ending of its name, or in the Parquet files of this folder."""
    if path.is_dir():
        folder = ParquetFolder(path)
        folder.check_there()
        return folder
    ending = ending_of(path)
    if ending.lower() in FORMATS:
        return FORMATS[ending.lower()](path)
    found = f"ends in {ending!r}" if ending else "has no ending"
    raise ValueError(f"{path} {found}: a {KINDS} file is needed.")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A path beside the wanted one; it takes its place when the block ends well, and is removed otherwise."""
    held = _beside(path)
    try:
        yield held
        mask = os.umask(0)
        os.umask(mask)
        held.chmod(0o666 & ~mask)
        held.replace(path)
    finally:
        held.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Refuse a place where no file can be written, before any work is done for it."""
    _beside(path).unlink()


def _beside(path: Path) -> Path:
    """A new file in the folder of this one."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file to write.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder {path.parent} of {path.name} does not exist: make it first.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    except OSError as error:
        raise OSError(f"{path} cannot be written ({error.strerror}): name a place where you may write.") from error
    os.close(handle)
    return Path(name)
