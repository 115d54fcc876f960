import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from semisvm.annotate.request import AnnotateRequest

from .sessions import NoLearning, opened

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


def clouds(rows: int = 60, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two clouds far apart, and the truth."""
    random = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = random.normal(size=(rows, 3)) + np.where(y[:, None] == 1, 3.0, -3.0)
    return pd.DataFrame(np.round(X, 3), columns=["a", "b", "c"]), np.array(["left", "right"])[y]


class Served:
    """`semisvm annotate` in a process of its own, and a person's requests to it."""

    def __init__(self, table: Path, *words: str, label: str = "kind"):
        command = [sys.executable, "-m", "semisvm.cli", "annotate", str(table), "--label", label, "--no-open", *words]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if line.startswith("Ctrl-C"):
                break
        else:
            raise RuntimeError(self.process.stderr.read())
        found = re.search(r"open (http://(127\.0\.0\.1:(\d+))/\?token=(\S+))", "".join(self.said))
        self.address, self.host, self.port, self.token = found[1], found[2], int(found[3]), found[4]
        self.table, self.cookie = table, None

    def ask(self, method: str, path: str, body=None, **headers) -> tuple[int, dict, bytes]:
        """(status, headers, body); headers named with _ for -, None to leave one out."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"Host": self.host}
        if method == "POST":
            sent |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        if self.cookie is not None:
            sent["Cookie"] = self.cookie
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        line.putrequest(method, path, skip_host=True)
        payload = None if body is None else json.dumps(body).encode()
        for name, value in sent.items():
            if value is not None:
                line.putheader(name, value)
        if payload is not None:
            line.putheader("Content-Length", str(len(payload)))
        line.endheaders(payload)
        answer = line.getresponse()
        shown = answer.status, dict(answer.getheaders()), answer.read()
        line.close()
        return shown

    def enter(self) -> "Served":
        """Exchange the token for the cookie."""
        status, headers, _ = self.ask("GET", f"/?token={self.token}")
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def view(self) -> dict:
        return json.loads(self.ask("GET", "/view")[2])

    def post(self, path: str, **body) -> dict:
        status, _, shown = self.ask("POST", path, body)
        assert status == 200, shown
        return json.loads(shown)

    def answer(self, truth, times: int = 1) -> dict:
        """Answer what is asked, rightly."""
        view = self.view()
        for _ in range(times):
            row = view["question"]["row"]
            view = self.post("/answer", row=row, label=str(truth[row]))
        return view

    def wait(self, ready, seconds: float = 60) -> dict:
        """The view, once it is as wanted."""
        end = time.monotonic() + seconds
        while not ready(view := self.view()):
            assert time.monotonic() < end, view
            time.sleep(0.05)
        return view

    def end(self) -> tuple[int, str]:
        """Ctrl-C; (exit status, the rest of what was said)."""
        self.process.send_signal(signal.SIGINT)
        out, error = self.process.communicate(timeout=60)
        return self.process.returncode, out + error


@pytest.fixture(autouse=True)
def closed_decisions(monkeypatch):
    """Files of decisions that a test opens in this process are closed after it."""
    from semisvm.annotate.decisions import Decisions

    opened, begin = [], Decisions.__init__

    def remembered(self, *words, **options):
        begin(self, *words, **options)
        opened.append(self)

    monkeypatch.setattr(Decisions, "__init__", remembered)
    yield
    for one in opened:
        one.close()


@pytest.fixture
def serve():
    """Starts pages, and ends what is left of them."""
    begun = []

    def start(*words, **options) -> Served:
        begun.append(Served(*words, **options))
        return begun[-1]

    yield start
    for one in begun:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


@pytest.fixture
def table(tmp_path):
    """A table without a label; (path, truth)."""
    frame, truth = clouds()
    path = tmp_path / "clouds.csv"
    frame.assign(kind="").to_csv(path, index=False)
    return path, truth


@pytest.fixture
def request_(table):
    return AnnotateRequest(table[0], "kind")


@pytest.fixture
def session(request_):
    one = opened(request_)
    one.learn_with(NoLearning())
    return one
