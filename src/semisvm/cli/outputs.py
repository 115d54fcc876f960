"""Where results go if nobody says so: beside the table."""

from pathlib import Path

from semisvm.tables import ending_of


def beside(table: Path, ending: str) -> Path:
    """TABLE + ending in the folder of the table; `.` is called by the name it has from outside."""
    known = table if table.name else table.resolve()
    bare = known.name if table.is_dir() else known.name.removesuffix(ending_of(known))
    return known.with_name(f"{bare}{ending}")
