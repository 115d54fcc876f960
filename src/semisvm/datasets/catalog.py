"""The known data files: present or missing, where, and under which license."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from semisvm.datasets.storage import DataFile, data_files, find_file


@dataclass(frozen=True)
class CatalogEntry:
    """One data file on this machine; ``status`` says present, or missing and why."""

    file: DataFile
    path: Path | None
    status: str

    @property
    def present(self) -> bool:
        return self.path is not None and self.status == "present"


def catalog() -> list[CatalogEntry]:
    """All data files the loaders know, with those that are present and why the others are not."""
    return [_entry(file) for file in data_files().values()]


def _entry(file: DataFile) -> CatalogEntry:
    path = find_file(file.name)
    if path is None and file.format is None:
        return CatalogEntry(file, None, "missing: no public home hands out this file; make it from its source")
    if path is None and not file.origins:
        return CatalogEntry(file, None, "missing: made on first use, without a download")
    if path is None:
        return CatalogEntry(file, None, "missing: fetched on first use")
    # A file made here from the original is packed anew, so only files without such a twin have a known size.
    if file.content is None and path.stat().st_size != file.size:
        return CatalogEntry(file, path, f"damaged: {path.stat().st_size} bytes where {file.size} are expected")
    return CatalogEntry(file, path, "present")
