"""A headless Chromium spoken to through a pipe: pages at a given size and color scheme, keys, console, screenshots.

The protocol is Chromium's own (--remote-debugging-pipe): JSON messages, each ended by a zero byte, on descriptors 3
and 4.  Nothing but the standard library is needed.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--remote-debugging-pipe",
)  # fmt: skip
START = """
import fcntl, os, sys
high = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
os.dup2(high[0], 3)
os.dup2(high[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Puts the two ends of the pipes where Chromium looks for them."""
PATIENCE = 120.0
"""Seconds to wait for an answer: a loaded machine is slow, not broken."""


def find() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Chromium:
    """One page of one browser; use it in a `with` block."""

    def __init__(self, program: str, allowed: str = "file:"):
        """`allowed`: how addresses begin that the page may ask for."""
        self.allowed = allowed
        self._folder = tempfile.mkdtemp(prefix="chromium-")
        hears, self._out = os.pipe()
        self._in, tells = os.pipe()
        words = [program, *FLAGS, f"--user-data-dir={self._folder}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", START, str(hears), str(tells), *words],
            pass_fds=(hears, tells), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder},
        )  # fmt: skip
        os.close(hears)
        os.close(tells)
        self._held = b""
        self._number = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        self.loaded = 0

    def __enter__(self) -> "Chromium":
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, method: str, **params: object) -> dict:
        """The answer to one command; what happens meanwhile is noted."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            caught = self._next()
            if caught.get("id") == self._number:
                if "error" in caught:
                    raise RuntimeError(f"{method}: {caught['error']['message']}")
                return caught["result"]
            self._note(caught)

    def _next(self) -> dict:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._held:
            if not select.select([self._in], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"Chromium said nothing for {PATIENCE:.0f} seconds.")
            part = os.read(self._in, 2**20)
            if not part:
                raise RuntimeError("Chromium ended.")
            self._held += part
        message, _, self._held = self._held.partition(b"\0")
        return json.loads(message)

    def _note(self, caught: dict) -> None:
        name, shown = caught.get("method"), caught.get("params", {})
        if name == "Page.loadEventFired":
            self.loaded += 1
        elif name == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(shown["exceptionDetails"]))
        elif name == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(shown["args"]))
        elif name == "Log.entryAdded":
            self.complaints.append(shown["entry"]["text"])
        elif name == "Network.requestWillBeSent" and not shown["request"]["url"].startswith((self.allowed, "data:")):
            self.complaints.append(f"request of {shown['request']['url']}")

    def open(self, path: Path | str, width: int, *, dark: bool = False) -> None:
        """Show a file or an address at this width, and wait until it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        before = self.loaded
        self.call("Page.navigate", url=path if isinstance(path, str) else path.resolve().as_uri())
        while self.loaded == before:
            self._note(self._next())

    def ask(self, expression: str) -> object:
        """The value of a JavaScript expression."""
        shown = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return shown["result"].get("value")

    def wait(self, expression: str, seconds: float = PATIENCE) -> None:
        """Until a JavaScript expression is true; also while another page takes the place of this one."""
        end = time.monotonic() + seconds
        while not self._holds(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"Not true after {seconds:.0f} seconds: {expression}")
            time.sleep(0.05)

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.ask(f"Boolean({expression})"))
        except RuntimeError as error:
            if "navigated" not in str(error) and "context" not in str(error):
                raise
            return False

    def press(self, key: str, code: int) -> None:
        """Press a key and let it go; one that types a character says so."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path: Path) -> None:
        """The whole page as a PNG file."""
        shown = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shown["data"]))
