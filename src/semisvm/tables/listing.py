"""Names in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[object], most: int = 12) -> str:
    """a, b, c and so many more; a name of a page is cut."""
    shown = [short(str(name)) for name in names]
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + rest


def named(value: object) -> str:
    """A value as Python writes it, cut where it is long."""
    return repr(short(value) if isinstance(value, str) else value)


def short(name: str, longest: int = 60) -> str:
    """The name, cut where it is a page."""
    return name if len(name) <= longest else f"{name[:longest]}..."
