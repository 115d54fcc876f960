"""The pictures of the README, from the real command: `python docs/draw_command.py`, with Chromium installed.

docs/_static/terminal.svg is what `semisvm label` prints on a terminal; docs/_static/page.png is the beginning of the
page that it writes, and docs/_static/page-map.png the part with the rows before and after.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image
from rich.console import Console
from rich.text import Text
from terminal import on_a_terminal, what_stays

from semisvm.cli.demo import ROWS, write_digits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests import chromium  # noqa: E402

WORDS = ["semisvm", "label", "digits.csv", "--label", "digit"]
COLUMNS, WIDTH = 80, 1180


def draw_terminal(text: str, path: Path) -> None:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(Text.assemble(("$ ", "bold green"), (" ".join(WORDS), "bold")))
    console.print(Text.from_ansi(text))
    console.file.close()
    drawn = console.export_svg(title="semisvm", unique_id="semisvm")
    # fonts of the reader's machine, none from the network
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.S), encoding="utf-8")


def draw_page(browser: chromium.Chromium, page: Path) -> None:
    """Two parts of the page, cut out of a picture of the whole."""
    browser.open(page, WIDTH)
    edge = "document.getElementById('{}').getBoundingClientRect().{}"
    whole = page.with_suffix(".png")
    browser.picture(whole)
    with Image.open(whole) as picture:
        top, bottom = (int(browser.ask(edge.format("map", side))) for side in ("top", "bottom"))
        end = int(browser.ask(edge.format("next", "bottom")))
        picture.crop((0, 0, WIDTH, end + 8)).save(HERE / "_static" / "page.png", optimize=True)
        picture.crop((0, top - 8, WIDTH, bottom + 8)).save(HERE / "_static" / "page-map.png", optimize=True)


def main() -> None:
    program = chromium.find()
    assert program is not None, "Chromium is needed"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_digits(folder / "digits.csv", folder / "digits.truth.csv", ROWS)
        words = [sys.executable, "-m", "semisvm.cli", *WORDS[1:]]
        status, written = on_a_terminal(words, folder, COLUMNS)
        assert status == 0, written
        draw_terminal(what_stays(written).replace(f"{folder}/", ""), HERE / "_static/terminal.svg")
        with chromium.Chromium(program) as browser:
            draw_page(browser, folder / "digits.labeled.html")


if __name__ == "__main__":
    main()
