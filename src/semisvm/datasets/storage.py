"""Where data files live: `$SEMISVM_DATA`, then the user cache, then the public home of the original.

Nothing here runs at import; every file is checked by its sha256 before it is read.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import logging
import os
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

import numpy as np

from semisvm.datasets.origins import FORMATS, Arrays, content_digest

logger = logging.getLogger(__name__)

DOWNLOAD_TIMEOUT = 60.0


class DataFileMissingError(FileNotFoundError):
    """A data file is neither present nor available from a public home; the message says where to get it."""


class DataFileDamagedError(ValueError):
    """A data file is not the one the table describes."""


@dataclass(frozen=True)
class DataFile:
    """One line of the table files.toml."""

    name: str
    loader: str
    license: str
    source: str
    size: int
    sha256: str
    format: str | None = None
    origins: tuple[str, ...] = ()
    content: str | None = None


@cache
def data_files() -> dict[str, DataFile]:
    """The table of all data files by name."""
    table = tomllib.loads(package_files(__package__).joinpath("files.toml").read_text(encoding="utf-8"))
    return {name: DataFile(name=name, **_with_tuple(entry)) for name, entry in table.items()}


def _with_tuple(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "origins": tuple(entry.get("origins", ()))}


def cache_folder() -> Path:
    """`$SEMISVM_CACHE`, or the customary cache folder of the platform."""
    if chosen := os.environ.get("SEMISVM_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / "semisvm" / "Cache"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/semisvm").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "semisvm"


def data_folders() -> list[Path]:
    """The folders that are searched, in order."""
    chosen = os.environ.get("SEMISVM_DATA")
    return ([Path(chosen).expanduser()] if chosen else []) + [cache_folder()]


def find_file(name: str) -> Path | None:
    """The first copy of a data file in the folders, unchecked; None where there is none."""
    return next((folder / name for folder in data_folders() if (folder / name).is_file()), None)


def read_arrays(name: str) -> Arrays:
    """The named arrays of a checked .npz file, taken from the public home of the original if need be."""
    file = data_files()[name]
    path = find_file(name)
    if path is None:
        return _fetch(file)
    content = path.read_bytes()
    intact = hashlib.sha256(content).hexdigest() == file.sha256
    # A file made here from the original differs in its packing only, so its arrays decide.
    if not intact and file.content is None:
        raise _damaged(file, path)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except (ValueError, OSError, EOFError, KeyError, AttributeError) as error:
        raise _damaged(file, path) from error
    if not intact and content_digest(arrays) != file.content:
        raise _damaged(file, path)
    return arrays


def read_lines(name: str) -> Iterator[dict[str, Any]]:
    """The objects of a checked .jsonl.gz file, one after the other."""
    content = gzip.decompress(read_checked(name))
    return (json.loads(line) for line in content.decode("utf-8").split("\n") if line)


def read_checked(name: str) -> bytes:
    """The bytes of a data file that has no other home, checked."""
    file = data_files()[name]
    path = find_file(name)
    if path is None:
        raise _missing(file)
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise _damaged(file, path)
    return content


def _fetch(file: DataFile) -> Arrays:
    if file.format is None:
        raise _missing(file)
    try:
        parts = [_download(url) for url in file.origins]
    except OSError as error:
        # the message has the cause: the chain of network exceptions would hide it
        raise _missing(file, f"; fetching it failed ({error})") from None
    try:
        arrays = FORMATS[file.format](parts)
    except Exception as error:
        raise _not_the_original(file) from error
    if content_digest(arrays) != file.content:
        raise _not_the_original(file)
    _store(file.name, arrays)
    return arrays


def _download(url: str) -> bytes:
    logger.info("fetching %s", url)
    with urllib.request.urlopen(url, timeout=DOWNLOAD_TIMEOUT) as answer:
        content: bytes = answer.read()
    return content


def _store(name: str, arrays: Arrays) -> None:
    """Keep fetched arrays in the cache; a cache that cannot be written to costs a second fetch, nothing else."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as unfinished:
            np.savez_compressed(unfinished, allow_pickle=False, **arrays)
        os.replace(unfinished.name, folder / name)
    except OSError as error:
        logger.warning("%s could not be kept in %s: %s", name, folder, error)


def _missing(file: DataFile, why: str = "") -> DataFileMissingError:
    folders = " nor ".join(str(folder) for folder in data_folders())
    hint = "" if os.environ.get("SEMISVM_DATA") else " ($SEMISVM_DATA is not set)"
    return DataFileMissingError(
        f"{file.name} is not in {folders}{hint}{why}: put the compact file there; it is made from {file.source} "
        f"(license: {file.license})."
    )


def _damaged(file: DataFile, path: Path) -> DataFileDamagedError:
    return DataFileDamagedError(
        f"{path} is not the {file.name} the loader knows (its sha256 is not {file.sha256}): remove it and get a "
        f"fresh copy, made from {file.source}."
    )


def _not_the_original(file: DataFile) -> DataFileDamagedError:
    return DataFileDamagedError(
        f"{', '.join(file.origins) or file.source} did not give the data of {file.name}: its original may have "
        f"changed; put the compact file into {cache_folder()} instead."
    )
