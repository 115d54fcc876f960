"""Public classes of a package, found without importing it: what modules define and list in `__all__`."""

import re
from pathlib import Path

LISTED = re.compile(r"^__all__ = \[(.*?)\]$", re.MULTILINE | re.DOTALL)
DEFINED = re.compile(r"^class (\w+)\b", re.MULTILINE)


def offered(folder: Path, package: str) -> dict[str, str]:
    """Name of a class -> its module, for all modules in the folder of a package."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        listed = re.findall(r"\w+", "".join(LISTED.findall(text)))
        found |= {name: f"{package}.{path.stem}" for name in DEFINED.findall(text) if name in listed}
    return found
