"""How quickly the page of `semisvm annotate` answers keys: pressed in Chromium, on large tables, while a fit runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.harness.machine import load

if TYPE_CHECKING:
    import pandas as pd
    from tests.chromium import Chromium

KEYS_PRESSED = 100
ASKED = "Number(document.getElementById('asked')?.textContent.split(' ')[1])"
LEARNING = "document.querySelector('.light.learning') !== null"
N_KEYS = "performance.getEntriesByName('key').length"
EMPTY = """(async () => {
  const version = (await (await fetch("/view")).json()).version;
  const began = performance.now();
  const answer = await fetch(`/view?since=${version}`);
  await answer.arrayBuffer();
  return answer.status === 204 ? performance.now() - began : null;
})()"""
"""Milliseconds of a request that is answered with nothing; null where there was something new."""


def large_tables() -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """Two clouds, in many rows and in many columns."""
    import pandas as pd

    random = np.random.default_rng(0)
    for n, d in ((100_000, 50), (20_000, 768)):
        y = random.integers(0, 2, n)
        center = 2.0 * random.normal(size=d) / np.sqrt(d)
        X = random.normal(size=(n, d)) + np.where(y[:, None] == 1, center, -center)
        yield f"{n:,} x {d}", pd.DataFrame(np.round(X, 4)).add_prefix("x"), y


def keys() -> Iterator[dict[str, Any]]:
    """Milliseconds from the key to the next row in the page, all pressed while a fit runs."""
    from tests import chromium

    program = chromium.find()
    if program is None:
        sys.exit("The keys are measured in Chromium: install it first.")
    for title, frame, truth in large_tables():
        with tempfile.TemporaryDirectory() as place:
            table = Path(place) / "table.csv"
            frame.to_csv(table, index=False)
            words = ["annotate", str(table), "--label", "kind", "--new", "--no-open"]
            began = time.monotonic()
            command = subprocess.Popen([sys.executable, "-m", "semisvm.cli", *words], stdout=subprocess.PIPE, text=True)
            try:
                assert command.stdout is not None
                lines = iter(command.stdout.readline, "")
                address = next(found[1] for line in lines if (found := re.match(r"open (\S+)", line)))
                printed = time.monotonic() - began
                with chromium.Chromium(program, allowed=address.partition("?")[0]) as browser:
                    browser.open(address, 1400)
                    browser.wait("document.getElementById('asked')")
                    name_two_classes(browser)
                    times = press_keys(browser, truth)
                    paint = map_time(browser)
            finally:
                command.terminate()
                command.wait()
        yield {"keys": title, "seconds_to_address": printed, **times, "paint": paint, "load": load()}


def name_two_classes(browser: Chromium) -> None:
    for name in ("a", "b"):
        browser.press("n", ord("N"))
        browser.wait("document.getElementById('naming').open")
        browser.ask(f"document.getElementById('naming-name').value = '{name}'")
        browser.ask("document.getElementById('naming-only').click()")
        browser.wait(f"Array.from(document.querySelectorAll('.class .name')).some(o => o.textContent === '{name}')")


def press_keys(browser: Chromium, truth: np.ndarray) -> dict[str, Any]:
    """Times of keys and of empty requests between them; those pressed while nothing was learned do not count."""
    times: list[float] = []
    empty: list[float] = []
    end = time.monotonic() + 600
    while len(times) < KEYS_PRESSED and time.monotonic() < end:
        nothing: Any = browser.ask(EMPTY)
        busy, row, before = browser.ask(LEARNING), int(str(browser.ask(ASKED))), browser.ask(N_KEYS)
        key = "ab"[truth[row - 1]]
        browser.press(key, ord(key.upper()))
        browser.wait(f"{N_KEYS} > {before}")
        if busy:
            times.append(float(str(browser.ask("performance.getEntriesByName('key').at(-1).duration"))))
            empty += [] if nothing is None else [float(nothing)]
        time.sleep(0.15)
    return {
        "n": len(times), "median": float(np.median(times)), "p95": float(np.percentile(times, 95)),
        "empty_median": float(np.median(empty)), "empty_p95": float(np.percentile(empty, 95)),
    }  # fmt: skip


def map_time(browser: Chromium) -> float:
    """Milliseconds to draw the map once, in the middle of ten steps of the wheel."""
    browser.ask("document.getElementById('tab-map').click()")
    browser.wait("performance.getEntriesByName('paint').length > 0")
    for _ in range(10):
        browser.ask(
            "document.querySelector('.lasso').dispatchEvent(new WheelEvent('wheel', { deltaY: -1, clientX: 400, "
            "clientY: 400, cancelable: true }))"
        )
        time.sleep(0.1)
    times: Any = browser.ask("performance.getEntriesByName('paint').map(one => one.duration)")
    return float(np.median(times))


def keys_table(records: list[dict[str, Any]]) -> list[str]:
    return [
        "| table | keys | median, ms | 95th percentile, ms | empty request: median | 95th percentile | map, ms | "
        "address after, s | load |",
        "|---|---|---|---|---|---|---|---|---|",
        *(
            f"| {one['keys']} | {one['n']} | {one['median']:.0f} | {one['p95']:.0f} | {one['empty_median']:.0f} | "
            f"{one['empty_p95']:.0f} | {one['paint']:.0f} | {one['seconds_to_address']:.1f} | {one['load']:.1f} |"
            for one in records
        ),
    ]
