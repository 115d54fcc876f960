"""Names in a sentence."""

from collections.abc import Iterable


def listed(names: Iterable[object], most: int = 12) -> str:
    """Names as in: a, b, c and 4 more. Long names are shortened."""
    shown = [short(str(name)) for name in names]
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + rest


def named(value: object) -> str:
    """A value as Python writes it, cut where it is long."""
    return repr(short(value) if isinstance(value, str) else value)


def short(name: str, longest: int = 60) -> str:
    """The name, shortened where it is long."""
    return name if len(name) <= longest else f"{name[:longest]}..."
