"""Fill the marked places of the README from the pages that measurements write: `python docs/fill_readme.py [--check]`.

A place is  <!-- from PAGE: HEADING -->  ...  <!-- end -->; it gets the first table below that heading of that page.  A
page or heading that is not there yet leaves the place as it is, and is named.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = re.compile(r"(<!-- from (?P<page>[^:\n]+): (?P<heading>[^\n]+?) -->\n)(?P<held>.*?)(<!-- end -->)", re.S)


def first_table(text: str, heading: str) -> str | None:
    """The first table below a heading and before the next one; None where there is none."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, flags=re.S | re.M)
    table = found and re.search(r"(?:^\|.*\n)+", found.group(1) + "\n", flags=re.M)
    return table.group(0) if table else None


def filled(text: str, root: Path) -> tuple[str, list[str]]:
    """The text with its places filled, and the places that nothing was found for."""
    missing = []

    def fill(place: re.Match[str]) -> str:
        page = root / place["page"]
        table = first_table(page.read_text(encoding="utf-8"), place["heading"]) if page.is_file() else None
        if table is None:
            missing.append(f"{place['page']}: {place['heading']}")
            return place.group(0)
        return f"{place[1]}{table}{place[5]}"

    return PLACE.sub(fill, text), missing


def main(words: list[str]) -> int:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    new, missing = filled(text, ROOT)
    for one in missing:
        print(f"nothing to show yet from {one}")
    if "--check" in words:
        return int(new != text)
    readme.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
