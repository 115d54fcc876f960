"""What a saved table holds."""

import json

import numpy as np
import pandas as pd
import pytest

from semisvm.annotate.request import AnnotateRequest
from semisvm.annotate.saving import save
from semisvm.annotate.session import Refused

from .conftest import clouds
from .sessions import answer, learned, opened, ready


def saved(session, request, **read):
    fingerprint = save(request, session.result(), session.fingerprint, session.decisions.note_saving)
    return fingerprint, pd.read_csv(request.out, dtype=str, keep_default_na=False, **read)


def test_a_saved_table_has_its_cells_the_labels_and_three_columns(request_, session, table):
    session.receive(ready(60))
    answer(session, table[1], 6)
    session.receive(learned([1] * 60, 0.75))
    session.accept([int(np.flatnonzero(session.labels.open)[0])], session.labels.classes[0])
    before = table[0].read_bytes()
    _, frame = saved(session, request_)
    assert table[0].read_bytes() == before
    assert request_.out.name == "clouds.annotated.csv"
    given = pd.read_csv(table[0], dtype=str, keep_default_na=False)
    assert frame[["a", "b", "c"]].equals(given[["a", "b", "c"]])
    assert list(frame.columns) == ["a", "b", "c", "kind", "kind_predicted", "kind_confidence", "kind_origin"]
    known = session.labels.known
    assert (frame["kind"][known] == table[1][known]).all()
    assert (frame["kind"].drop(known) == "").all()
    assert set(frame["kind_origin"]) == {"drawn", "filled", "accepted"}
    assert (frame["kind_confidence"][known].astype(float) == 1).all()
    filled = frame[frame["kind_origin"] == "filled"]
    assert set(filled["kind_predicted"]) == {session.labels.classes[1]}
    assert set(filled["kind_confidence"]) == {"0.75"}


def test_a_table_saved_before_there_is_a_model_has_blanks(request_, session, table):
    answer(session, table[1], 1)
    _, frame = saved(session, request_)
    assert sorted(set(frame["kind_predicted"])) == ["", str(table[1][session.labels.known[0]])]
    assert sorted(set(frame["kind_origin"])) == ["", "drawn"]


def test_a_table_that_changed_on_disk_is_not_saved_over(request_, session, table):
    answer(session, table[1], 1)
    table[0].write_text("a,b,c,kind\n1,2,3,\n")
    with pytest.raises(ValueError, match="changed on disk"):
        saved(session, request_)
    assert not request_.out.exists()


def test_saving_in_place_can_be_resumed_and_undone(table):
    request = AnnotateRequest(table[0], "kind", in_place=True)
    session = opened(request)
    row = session.question.row
    answer(session, table[1], 3)
    saved(session, request)
    session.decisions.close()
    again = opened(request)
    assert again.labels.decided == session.labels.decided
    assert "kind_predicted" not in again.sheet.shown
    for _ in range(3):
        again.undo()
    assert again.labels.codes[row] == -1, "taken back, the label in the table is no label"
    once_more = opened(request)
    assert once_more.labels.codes[row] == -1


def test_a_new_column_is_written_at_the_end(tmp_path):
    frame, truth = clouds(20)
    path = tmp_path / "t.jsonl"
    frame.to_json(path, orient="records", lines=True)
    request = AnnotateRequest(path, "kind", new=True)
    session = opened(request)
    answer(session, truth, 2)
    save(request, session.result(), session.fingerprint, session.decisions.note_saving)
    back = pd.read_json(request.out, lines=True)
    assert back["kind"].notna().sum() == 2
    assert np.allclose(back[["a", "b", "c"]], frame)


def test_a_typed_column_of_a_parquet_file_keeps_its_type(tmp_path):
    frame, _ = clouds(20)
    path = tmp_path / "t.parquet"
    frame.assign(kind=pd.array([1, 2] + [None] * 18, dtype="Int64")).to_parquet(path)
    request = AnnotateRequest(path, "kind")
    session = opened(request)
    with pytest.raises(Refused, match="holds whole numbers and 'many'"):
        session.answer(session.question.row, "many")
    row = session.question.row
    session.answer(row, "3")
    save(request, session.result(), session.fingerprint, session.decisions.note_saving)
    back = pd.read_parquet(request.out)
    assert back["kind"][row] == 3
    assert back["kind"].notna().sum() == 3


def test_labels_of_a_table_are_mended_where_a_person_says_so(tmp_path):
    frame, _ = clouds(20)
    path = tmp_path / "t.csv"
    frame.assign(kind=["left", "righ"] + ["right"] * 3 + [""] * 15).to_csv(path, index=False)
    request = AnnotateRequest(path, "kind")
    session = opened(request)
    session.mend(0, "right")
    session.merge("righ", "right")
    _, back = saved(session, request)
    assert back["kind"][:5].tolist() == ["right"] * 5
    assert set(back["kind_origin"][:5]) == {"given"}


def test_numbers_of_a_table_stay_numbers(tmp_path):
    frame, _ = clouds(20)
    path = tmp_path / "t.jsonl"
    frame.assign(kind=[1, 2] + [None] * 18).astype({"kind": object}).to_json(path, orient="records", lines=True)
    request = AnnotateRequest(path, "kind")
    session = opened(request)
    row = session.question.row
    session.answer(row, "2")
    save(request, session.result(), session.fingerprint, session.decisions.note_saving)
    kinds = [json.loads(line)["kind"] for line in request.out.read_text().splitlines()]
    assert kinds[:2] == [1, 2]
    assert kinds[row] == 2


def test_a_class_that_the_model_did_not_say_has_no_confidence(request_, session, table):
    session.receive(ready(60))
    answer(session, table[1], 6)
    session.receive(learned([0] * 60, 0.9))
    rows = np.flatnonzero(session.labels.open)[:2].tolist()
    session.accept(rows[:1], session.labels.classes[0])
    session.accept(rows[1:], session.labels.classes[1])
    _, frame = saved(session, request_)
    assert frame["kind_confidence"][rows].tolist() == ["0.9", ""]
