"""Names in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[object], most: int = 12) -> str:
    """a, b, c and so many more; a name of a page is cut."""
    told = [_short(str(name)) for name in names]
    rest = f" and {len(told) - most} more" if len(told) > most else ""
    return ", ".join(told[:most]) + rest


def _short(name: str, longest: int = 60) -> str:
    return name if len(name) <= longest else f"{name[:longest]}..."
