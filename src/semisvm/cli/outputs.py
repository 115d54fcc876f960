"""Where results go if nobody says so: beside the table."""

from pathlib import Path


def beside(table: Path, ending: str) -> Path:
    """TABLE + ending in the folder of the table; `.` is called by the name it has from outside."""
    known = table if table.name else table.resolve()
    return known.with_name(f"{known.name if table.is_dir() else known.stem}{ending}")
