"""Docstrings as the site shows them: indented formulas become blocks that are shown letter by letter."""

from typing import Any


def formulas_as_blocks(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Put `::` before every indented block that follows a blank line, up to the first section."""
    shown: list[str] = []
    inside = False
    end = next((k for k, line in enumerate(lines) if set(line.strip()) == {"-"}), len(lines)) - 1
    for k, line in enumerate(lines):
        indented = line.startswith("    ")
        if k < end and indented and not inside and (not shown or not shown[-1].strip()):
            shown += ["::", ""]
            inside = True
        elif line.strip() and not indented:
            inside = False
        # |f| is a length, not a name to be replaced
        shown.append(line if inside or (indented and k < end) else line.replace("|", "\\|"))
    lines[:] = shown
