"""The pictures of docs/annotate.md: `python docs/draw_annotate.py`, with Chromium installed.

Answers 61 of 500 digits rightly on the real page, looks at its views, and goes on until it shows a confident group.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sklearn.datasets import load_digits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests import chromium  # noqa: E402

ROWS, ANSWERS, MOST_ANSWERS, WIDTH = 500, 61, 201, 1180
NAME = "Array.from(document.querySelectorAll('.class')).find(one => one.querySelector('.name').textContent === '{}')"
READY = "document.querySelector('.light.ready')"
LABELS = "Number(document.querySelector('.figures dd').textContent)"


def main() -> None:
    truth = load_digits().target
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "semisvm.annotate.demonstration", "--folder", folder, "--rows", str(ROWS)]
        command = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert command.stdout is not None
        lines = iter(command.stdout.readline, "")
        address = next(found[1] for line in lines if (found := re.match(r"open (\S+)", line)))
        program = chromium.find()
        assert program is not None, "Chromium is needed"
        try:
            with chromium.Chromium(program, allowed=address.partition("?")[0]) as browser:
                browser.open(address, WIDTH)
                browser.wait("document.getElementById('asked')")
                label(browser, truth, range(ANSWERS))
                look(browser, address.partition("?")[0])
                look_at_a_group(browser, truth)
        finally:
            command.terminate()
            command.wait()


def label(browser: chromium.Chromium, truth, numbers: range) -> None:
    """Answers of these numbers; a model at least after every ten of them."""
    for n in numbers:
        row = int(browser.ask("document.getElementById('asked').textContent.split(' ')[1]")) - 1
        name = str(truth[row])
        if browser.ask(f"Boolean({NAME.format(name)})"):
            browser.ask(f"{NAME.format(name)}.click()")
        else:
            browser.press("n", ord("N"))
            browser.wait("document.getElementById('naming').open")
            browser.ask(f"document.getElementById('naming-name').value = '{name}'")
            browser.ask("document.getElementById('naming-give').click()")
        browser.wait(f"{LABELS} === {n + 1}")
        if n > 10 and n % 10 == 9:
            browser.wait(READY, 600)


def look(browser: chromium.Chromium, home: str) -> None:
    browser.wait(READY, 600)
    browser.wait("document.querySelector('.guess')")
    shot(browser, "ask")
    for name in ("map", "check"):
        browser.ask(f"document.getElementById('tab-{name}').click()")
        time.sleep(1.0)
        shot(browser, name)
    browser.open(home, WIDTH, dark=True)
    browser.wait("document.getElementById('asked')")
    shot(browser, "dark")
    browser.open(home, WIDTH)
    browser.wait("document.getElementById('asked')")


def look_at_a_group(browser: chromium.Chromium, truth) -> None:
    """After as many further answers as it takes."""
    for n in range(ANSWERS, MOST_ANSWERS, 10):
        browser.ask("document.getElementById('tab-groups').click()")
        time.sleep(1.0)
        if browser.ask("Boolean(document.getElementById('group'))"):
            shot(browser, "groups")
            return
        browser.ask("document.getElementById('tab-ask').click()")
        browser.wait("document.getElementById('asked')")
        label(browser, truth, range(n, n + 10))
        browser.wait(READY, 600)
    raise SystemExit(f"There is no confident group after {MOST_ANSWERS} answers.")


def shot(browser: chromium.Chromium, name: str) -> None:
    browser.ask("document.getElementById('notice').replaceChildren()")
    browser.picture(HERE / "_static" / f"annotate-{name}.png")


if __name__ == "__main__":
    main()
