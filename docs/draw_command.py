"""The pictures of the README, from the real command: `python docs/draw_command.py`, with Chromium installed.

docs/_static/terminal.svg is what `semisvm label` prints on a terminal; docs/_static/page.png is the beginning of the
page that it writes, and docs/_static/page-map.png the part with the rows before and after.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from rich.console import Console
from rich.text import Text

from semisvm.cli.demo import ROWS, write_digits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests import chromium  # noqa: E402

WORDS = ["semisvm", "label", "digits.csv", "--label", "digit"]
COLUMNS, WIDTH = 104, 1180


def on_a_terminal(words: list[str], folder: Path) -> str:
    """What a command writes to a terminal of COLUMNS columns."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    with subprocess.Popen(words, cwd=folder, stdout=theirs, stderr=theirs, stdin=theirs, env=environment) as process:
        os.close(theirs)
        output = b""
        try:
            while part := os.read(ours, 65536):
                output += part
        except OSError:  # Linux ends a terminal so
            pass
        os.close(ours)
        assert process.wait() == 0, output.decode()
    return output.decode("utf-8")


def what_stays(output: str) -> str:
    """The lines that are left when progress has been written over."""
    lines = [line.split("\r")[-1] for line in output.replace("\r\n", "\n").split("\n")]
    return "\n".join(re.sub(r"\x1b\[[0-9]*K", "", line).rstrip() for line in lines).strip("\n")


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
        draw_terminal(what_stays(on_a_terminal(words, folder)).replace(f"{folder}/", ""), HERE / "_static/terminal.svg")
        with chromium.Chromium(program) as browser:
            draw_page(browser, folder / "digits.labeled.html")


if __name__ == "__main__":
    main()
