"""Files that are written only where their content is new, so that a second build has nothing to do."""

from pathlib import Path


def write_if_new(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
