"""Tables of the page: regions that scroll by themselves and are within reach of the keyboard."""

from collections.abc import Sequence
from html import escape


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = (), *, tall: bool = False
) -> str:
    return _framed(header, [[escape(text) for text in row] for row in rows], numeric, tall=tall)


def bar_table(header: Sequence[str], rows: Sequence[tuple], last_is_new: bool = False, *, tall: bool = False) -> str:
    """A table whose last column is a bar; rows above the last are drawn faint where the last is the result."""
    most = max([row[-1] for row in rows], default=1.0) or 1.0
    shown = []
    for k, row in enumerate(rows):
        kind = "share old" if last_is_new and k < len(rows) - 1 else "share"
        bar = f'<span class="track"><span class="{kind}" style="width: {100 * row[-1] / most:.1f}%"></span></span>'
        shown.append([*(escape(text) for text in row[:-1]), bar])
    return _framed(header, shown, tuple(range(1, len(header) - 1)), tall=tall)


def _framed(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int], *, tall: bool) -> str:
    def cell(tag: str, k: int, inside: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        kind = ' class="n"' if k in numeric else ""
        return f"<{tag}{scope}{kind}>{inside}</{tag}>"

    head = "".join(cell("th", k, escape(name)) for k, name in enumerate(header))
    body = "".join(f"<tr>{''.join(cell('td', k, inside) for k, inside in enumerate(row))}</tr>" for row in rows)
    label = escape(", ".join(name for name in header if name), quote=True)
    kind = "scroll tall" if tall else "scroll"
    return (
        f'<div class="{kind}" tabindex="0" role="region" aria-label="{label}">'
        f'<table style="--columns: {len(header)}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
