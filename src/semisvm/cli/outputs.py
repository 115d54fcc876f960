"""Default places of results: beside the table."""

from pathlib import Path

from semisvm.tables import ending_of


def beside(table: Path, ending: str) -> Path:
    """TABLE + ending in the folder of the table. `.` is replaced by the name of that folder."""
    known = table if table.name else table.resolve()
    bare = known.name if table.is_dir() else known.name.removesuffix(ending_of(known))
    return known.with_name(f"{bare}{ending}")
