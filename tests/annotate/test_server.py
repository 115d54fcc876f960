"""The real server, as a person's browser and as a stranger's page would speak to it."""

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from .conftest import clouds

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A page on a table with markup in its cells, an image and twins, shared by the tests that change nothing."""
    from .conftest import Served

    folder = tmp_path_factory.mktemp("served")
    frame, _ = clouds(40)
    (folder / "pictures").mkdir()
    (folder / "pictures" / "one.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder.parent / "secret.png").write_bytes(b"secret")
    names = ["pictures/one.png", "../secret.png", "/etc/hostname", "pictures/none.png", "table.csv"] + [""] * 35
    frame = frame.assign(kind="", note=[MARKUP] * 40, picture=names)
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    served = Served(path, "--image", "picture").enter()
    yield served
    served.process.kill()
    served.process.communicate()


def test_line_12_13_the_address_is_of_this_machine_alone_and_its_token_counts_once(serve, table):
    place = serve(table[0])
    assert place.ask("GET", "/")[0] == 403
    assert place.ask("GET", "/view")[0] == 403
    assert place.ask("GET", "/page/main.js")[0] == 403
    assert place.ask("GET", "/?token=wrong")[0] == 403
    status, headers, _ = place.ask("GET", f"/?token={place.token}")
    assert status == 200
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert place.token not in cookie
    status, _, body = place.ask("GET", f"/?token={place.token}")
    assert status == 403
    assert b"used already" in body
    place.cookie = cookie.partition(";")[0]
    assert place.ask("GET", "/")[0] == 200
    # nobody listens on other addresses of the machine
    listening = subprocess.run(["cat", "/proc/net/tcp"], capture_output=True, text=True).stdout
    lines = [line.split()[1] for line in listening.splitlines()[1:] if line.split()[3] == "0A"]
    if lines:
        assert [one for one in lines if one.endswith(f":{place.port:04X}")] == [f"0100007F:{place.port:04X}"]


def test_answers_are_sent_without_delay():
    from semisvm.annotate.running import listening

    async def no_delay() -> int:
        found = asyncio.get_running_loop().create_future()

        def connected(_, writer):
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening(0) as line:
            server = await asyncio.start_server(connected, sock=line)
            _, writer = await asyncio.open_connection(*line.getsockname())
            sent_at_once = await found
            writer.close()
            server.close()
        return sent_at_once

    assert asyncio.run(no_delay())


def test_line_14_15_other_hosts_and_origins_are_refused_and_changes_are_posts(place):
    assert place.ask("GET", "/view", Host="evil.example")[0] == 403
    assert place.ask("GET", "/view", Host=f"evil.example:{place.port}")[0] == 403
    assert place.ask("GET", "/view", Host=f"localhost:{place.port}")[0] == 403
    assert place.ask("GET", "/view", Origin="http://evil.example")[0] == 403
    row = place.view()["question"]["row"]
    for origin in ("http://evil.example", "null", f"https://{place.host}", None):
        assert place.ask("POST", "/answer", {"row": row, "label": "a"}, Origin=origin)[0] == 403
    assert place.ask("POST", "/answer", {"row": row, "label": "a"}, Cookie=None)[0] == 403
    assert place.ask("POST", "/answer", {"row": row, "label": "a"}, Cookie="semisvm-1=x")[0] == 403
    assert place.ask("GET", "/answer")[0] == 405
    assert place.ask("GET", "/undo")[0] == 405
    assert place.ask("PUT", "/answer", {})[0] == 405
    assert place.view()["n_decisions"] == 0


def test_line_16_every_answer_comes_with_a_strict_policy(place):
    for path in ("/", "/view", "/page/main.js", "/missing"):
        _, headers, _ = place.ask("GET", path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    _, headers, _ = place.ask("GET", "/view", Cookie=None)
    assert "default-src 'none'" in headers["content-security-policy"]


def test_line_16_18_the_page_loads_nothing_from_elsewhere(place):
    text = place.ask("GET", "/")[2].decode()
    names = ["main.js", "style.css", "ask.js", "groups.js", "map.js", "check.js", "dom.js", "row.js", "server.js"]
    for name in [*names, "progress.js", "buttons.js"]:
        status, _, body = place.ask("GET", f"/page/{name}")
        assert status == 200, name
        text += body.decode()
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "innerHTML" not in text
    assert "eval(" not in text


@pytest.mark.parametrize("name", ["../server.py", "..%2fserver.py", "%2e%2e/guard.py", "nothing.js", "../page/main.js"])
def test_only_files_of_the_page_are_served(place, name):
    assert place.ask("GET", f"/page/{name}")[0] in (403, 404)


def test_line_17_images_are_those_below_the_folder_of_the_table(place):
    status, headers, _ = place.ask("GET", "/image/0")
    assert (status, headers["content-type"]) == (200, "image/png")
    for row in (1, 2, 3, 4, 5, 10**9):
        assert place.ask("GET", f"/image/{row}")[0] == 404, row


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/answer", {}), ("/answer", {"row": "1", "label": "a"}), ("/answer", {"row": 1, "label": 7}),
        ("/answer", [1]), ("/accept", {"rows": "all"}), ("/accept", {"rows": [1.5], "label": "a"}), ("/merge", {}),
    ],
)  # fmt: skip
def test_requests_that_make_no_sense_are_refused(place, path, body):
    status, _, shown = place.ask("POST", path, body)
    assert status == 400
    assert "cannot be read" in json.loads(shown)["why"]


def test_line_16_a_row_is_sent_as_text_and_unchanged_views_are_not_sent_twice(place):
    view = place.wait(lambda view: view["learning"] == "waiting")
    cells = {name: text for name, text, _ in view["question"]["cells"]}
    assert cells["note"] == MARKUP
    assert place.ask("GET", f"/view?since={view['version']}")[0] == 204
    assert place.ask("GET", "/row/99999")[0] == 404
    status, _, body = place.ask("GET", "/places")
    assert (status, len(body)) == (200, 40 * 12)
    assert len(place.ask("GET", "/marks")[2]) == 40 * 4


# ---------------------------------------------------------------- a whole session


def test_line_19_from_nothing_to_a_saved_table_with_a_kill_on_the_way(serve, table):
    path, truth = table
    page = serve(path).enter()
    assert "60 rows, 0 labels" in page.said[0]
    view = page.answer(truth, 8)
    assert view["n_labels"] == 8
    view = page.wait(lambda view: view["learning"] == "ready")
    assert {one["name"] for one in view["classes"]} == {"left", "right"}
    status, _, shown = page.ask("POST", "/answer", {"row": (view["question"]["row"] + 1) % 60, "label": "left"})
    assert status == 409
    assert "Another row" in json.loads(shown)["why"]
    groups = json.loads(page.ask("GET", "/groups")[2])
    assert {one["label"] for one in groups} <= {"left", "right"}
    view = page.post("/accept", rows=groups[0]["rows"], label=groups[0]["label"])
    assert view["n_accepted"] == len(groups[0]["rows"])
    page.process.send_signal(signal.SIGKILL)
    page.process.wait()

    page = serve(path).enter()
    assert any("resumed" in line for line in page.said)
    view = page.view()
    assert (view["n_labels"], view["n_accepted"]) == (8, len(groups[0]["rows"]))
    assert page.post("/undo")["n_accepted"] == 0
    page.wait(lambda view: view["learning"] == "ready")
    assert page.post("/save")["saved"].endswith("clouds.annotated.csv")
    status, said = page.end()
    assert (status, "decisions are kept" in said) == (0, True)
    assert "Traceback" not in said
    assert not (path.parent / "clouds.decisions.lock").exists()
    mask = os.umask(0)
    os.umask(mask)
    for name in ("clouds.annotated.csv", "clouds.decisions.jsonl"):
        assert stat.S_IMODE((path.parent / name).stat().st_mode) == 0o666 & ~mask, name
    saved = pd.read_csv(path.parent / "clouds.annotated.csv")
    assert (saved["kind_predicted"] == truth).all()
    assert saved["kind"].notna().sum() == 8
    assert set(saved["kind_origin"]) <= {"drawn", "suggested", "filled"}


def test_keys_are_answered_while_a_fit_runs_and_a_killed_page_takes_the_fit_along(serve, tmp_path):
    frame, truth = clouds(1500)
    random = np.random.default_rng(0)
    for k in range(40):
        frame[f"n{k}"] = random.normal(size=1500).round(3)
    path = tmp_path / "many.csv"
    frame.assign(kind="").to_csv(path, index=False)
    page = serve(path).enter()
    page.answer(truth, 6)
    page.wait(lambda view: view["learning"] == "learning")
    views = [page.answer(truth) for _ in range(20)]
    assert sum(view["learning"] == "learning" for view in views) >= 5, "the fit was over too soon to tell"
    # a key that waited for a fit would find another point of the curve each time
    assert len({len(view["curve"]) for view in views}) <= 5
    page.process.kill()
    # the pipe ends when no process holds it any more, the child that learns among them
    began = time.monotonic()
    page.process.communicate()
    assert time.monotonic() - began < 5


# ---------------------------------------------------------------- what is refused before the page opens


def test_a_second_page_and_a_port_that_is_taken_are_refused(call, place, table):
    done = call("annotate", str(place.table), "--label", "kind", "--no-open")
    assert done.exit_code == 1
    assert f"open in another page (process {place.process.pid})" in done.stderr
    done = call("annotate", str(table[0]), "--label", "kind", "--no-open", "--port", str(place.port))
    assert done.exit_code == 1
    assert f"Port {place.port} cannot be used" in done.stderr


def test_bad_input_is_refused_in_one_sentence(call, tmp_path):
    frame, _ = clouds(10)
    frame.assign(Kind="").to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "empty.csv").write_text("a,kind\n")
    for words, why in (
        (["none.csv", "--label", "kind"], "none.csv does not exist"),
        (["t.csv", "--label", "kidn"], "has no column 'kidn' (--label): did you mean 'Kind'"),
        (["t.csv", "--label", "zzz"], "its columns are a, b, c, Kind"),
        (["t.csv", "--label", "Kind", "--image", "imgae"], "has no column 'imgae' (--image)"),
        (["t.csv", "--label", "Kind", "--new"], "has a column 'Kind' already"),
        (["empty.csv", "--label", "kind"], "has no rows"),
        (["t.csv", "--label", "Kind", "--port", "99999"], "Port 99999 cannot be used"),
        (["t.pdf", "--label", "Kind"], "a .csv, .tsv, .jsonl, .parquet, .feather or .xlsx file is needed"),
    ):
        done = call("annotate", *words, "--no-open")
        assert done.exit_code == 1, words
        assert why in done.stderr, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.glob("*.lock"))


def test_a_column_that_would_be_overwritten_and_one_without_a_type_are_refused(call, tmp_path):
    frame, _ = clouds(10)
    frame.assign(kind="", kind_origin="mine").to_csv(tmp_path / "t.csv", index=False)
    assert "give it another name" in call("annotate", "t.csv", "--label", "kind", "--no-open").stderr
    frame.assign(kind=None).to_parquet(tmp_path / "t.parquet")
    assert "has no type" in call("annotate", "t.parquet", "--label", "kind", "--no-open").stderr


def test_a_folder_that_cannot_be_written_is_refused(call, table, monkeypatch):
    def read_only(*args, **options):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.mkstemp", read_only)
    done = call("annotate", str(table[0]), "--label", "kind", "--no-open")
    assert done.exit_code == 1
    assert "clouds.decisions.jsonl cannot be written (Read-only file system)" in done.stderr


def test_a_missing_extra_is_named(call, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = call("annotate", str(table[0]), "--label", "kind", "--no-open")
    assert done.exit_code == 1
    assert done.stderr == "This needs uvicorn: install it with  pip install 'semisvm[annotate]'.\n"
