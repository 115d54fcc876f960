"""What was decided is on disk, survives a crash, and belongs to one table and one column."""

import json
import os

import pytest

from semisvm.annotate.decisions import Decision, Decisions
from semisvm.annotate.lock import Lock


def opened(folder, fingerprint="abc", label="kind"):
    return Decisions(folder / "t.decisions.jsonl", folder / "t.csv", label, fingerprint)


def test_decisions_are_read_back_in_order_with_their_times(tmp_path):
    log = opened(tmp_path)
    log.append(Decision("answer", (3,), "a", drawn=True, guess="b", confidence=0.7, learned_from=4))
    log.append(Decision("accept", parts={"a": [1, 2]}))
    log.close()
    again = opened(tmp_path)
    assert [one.kind for one in again.standing] == ["answer", "accept"]
    first = again.standing[0]
    assert (first.rows, first.label, first.drawn, first.guess, first.learned_from) == ((3,), "a", True, "b", 4)
    assert first.time.startswith("20")
    assert again.standing[1].parts == {"a": [1, 2]}


def test_an_undo_is_a_line_of_its_own(tmp_path):
    log = opened(tmp_path)
    log.append(Decision("answer", (3,), "a"))
    log.append(Decision("skip", (4,)))
    log.append(Decision("undo"))
    assert [one.kind for one in log.standing] == ["answer"]
    log.close()
    assert len((tmp_path / "t.decisions.jsonl").read_text().splitlines()) == 4
    assert [one.kind for one in opened(tmp_path).standing] == ["answer"]


@pytest.mark.parametrize("torn", [b'{"kind": "ans', b'{"kind": "answer", "rows": [9], "label": "b"}'])
def test_a_torn_last_line_is_taken_away_and_the_rest_stands(tmp_path, torn):
    log = opened(tmp_path)
    log.append(Decision("answer", (3,), "a"))
    log.close()
    path = tmp_path / "t.decisions.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    again = opened(tmp_path)
    assert [one.rows for one in again.standing] == [(3,)]
    again.append(Decision("answer", (5,), "b"))
    again.close()
    assert path.read_bytes().startswith(whole)
    assert [one.rows for one in opened(tmp_path).standing] == [(3,), (5,)]


def test_a_header_that_was_torn_begins_anew(tmp_path):
    (tmp_path / "t.decisions.jsonl").write_bytes(b'{"semisvm_dec')
    log = opened(tmp_path)
    log.append(Decision("answer", (3,), "a"))
    log.close()
    assert [one.rows for one in opened(tmp_path).standing] == [(3,)]


def test_every_decision_is_flushed_to_the_disk(tmp_path, monkeypatch):
    flushed = []
    log = opened(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.append(os.fstat(descriptor).st_size))
    log.append(Decision("answer", (3,), "a"))
    assert flushed == [(tmp_path / "t.decisions.jsonl").stat().st_size]


def test_a_disk_that_is_full_loses_no_line_and_is_reported(tmp_path, monkeypatch):
    log = opened(tmp_path)
    log.append(Decision("answer", (3,), "a"))

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            log.append(Decision("answer", (4,), "b"))
    assert [one.rows for one in log.standing] == [(3,)]
    log.append(Decision("answer", (5,), "b"))
    assert [one.rows for one in opened(tmp_path).standing] == [(3,), (5,)]


def test_a_line_in_the_middle_that_is_no_json_is_refused(tmp_path):
    opened(tmp_path).close()
    with open(tmp_path / "t.decisions.jsonl", "a") as file:
        file.write("oh\n{}\n")
    with pytest.raises(ValueError, match=r"Line 2 of .* is not JSON"):
        opened(tmp_path)


def test_another_column_another_table_and_another_file_are_refused(tmp_path):
    opened(tmp_path).close()
    with pytest.raises(ValueError, match=r"on column 'kind' .*not on 'color'"):
        opened(tmp_path, label="color")
    with pytest.raises(ValueError, match="changed since"):
        opened(tmp_path, fingerprint="other")
    (tmp_path / "t.decisions.jsonl").write_text(json.dumps({"a": 1}) + "\n")
    with pytest.raises(ValueError, match="holds no decisions"):
        opened(tmp_path)


def test_a_save_in_place_changes_what_the_table_may_be(tmp_path):
    log = opened(tmp_path, "first")
    log.note_saving("second")
    log.close()
    opened(tmp_path, "second").close()
    opened(tmp_path, "first").close()  # cut off before the table was replaced
    log = opened(tmp_path, "second")
    log.note_saving("third")
    log.close()
    with pytest.raises(ValueError, match="changed since"):
        opened(tmp_path, "first")


def test_a_second_page_is_refused_and_a_lock_that_nobody_holds_is_not(tmp_path):
    path = tmp_path / "t.decisions.lock"
    path.write_text("99999999\n")
    lock = Lock(path, tmp_path / "t.csv")
    assert path.read_text() == f"{os.getpid()}\n"
    with pytest.raises(OSError, match=f"open in another page .process {os.getpid()}."):
        Lock(path, tmp_path / "t.csv")
    lock.release()
    assert not path.exists()
    Lock(path, tmp_path / "t.csv").release()
