"""The runner on a toy table: what is run, recorded, passed over, and resumed."""

import json
import signal
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semisvm import datasets
from semisvm_papers import provenance
from semisvm_papers.beside import side_by_side
from semisvm_papers.jobs import pending_jobs
from semisvm_papers.protocols.scoring import labels_by_count
from semisvm_papers.records import Record, read_records
from semisvm_papers.runner import run
from semisvm_papers.table import Published, Table

from .toys import TOY, InterruptedNearest, Nearest, WithMeasures, resolver, toy_table


@pytest.fixture(autouse=True)
def fresh_counts():
    for toy in (Nearest, InterruptedNearest):
        toy.fits = 0
        toy.built = []


def test_every_runnable_cell_is_run_once_per_split():
    records = run(toy_table(), resolve=resolver())
    assert [(record.method, record.split) for record in records] == [
        (method, split) for split in range(3) for method in ("nearest", "broken")
    ]
    assert all(record.dataset == "moons" and record.table == "toy" for record in records)


def test_error_is_that_of_the_unlabeled_rows():
    first = run(toy_table(), splits=1, resolve=resolver())[0]
    X, y = datasets.make_two_moons(40, nuisance=0, random_state=0)
    distances = np.linalg.norm(X[2:, None] - X[None, :2], axis=2)
    assert first.error_pct == pytest.approx(100 * np.mean(distances.argmin(axis=1) != y[2:]))
    assert first.objective == 3.0
    assert first.n_iter == 3
    assert first.seed == first.split == 0
    assert first.versions["numpy"] == np.__version__
    assert first.versions["blas"] == provenance.kernels() != ""


def test_kernels_are_those_of_numpy_and_scipy(monkeypatch):
    def pool(path, architecture, api="blas"):
        return {"filepath": path, "user_api": api, "internal_api": "openblas", "architecture": architecture}

    found = [
        pool("/lib/numpy.libs/a.so", "Haswell"),
        pool("/lib/scipy.libs/b.so", "Haswell"),
        pool("/lib/scs.libs/c.so", "Zen"),
        pool("/lib/scipy.libs/d.so", "Zen", "openmp"),
    ]
    monkeypatch.setattr(provenance, "threadpool_info", lambda: found)
    assert provenance.kernels.__wrapped__() == "openblas Haswell"
    found[:2] = [pool("/lib/shared.so", None)]
    assert provenance.kernels.__wrapped__() == "openblas Zen, openblas unknown"


def test_parameters_are_converted_and_the_true_ratio_given():
    run(toy_table(), splits=1, resolve=resolver())
    _, y = datasets.make_two_moons(40, nuisance=0, random_state=0)
    assert Nearest.built[0] == {
        "gamma": pytest.approx(1 / (2 * 0.5**2)),
        "C": 10,
        "C_unlabeled": "equal",
        "ratio": pytest.approx(y[2:].mean()),
        "random_state": 0,
    }


def test_a_failing_method_is_recorded_not_fatal():
    failed = [record for record in run(toy_table(), resolve=resolver()) if record.method == "broken"]
    assert [record.failure for record in failed] == ["ArithmeticError: it does not converge"] * 3
    assert failed[0].error_pct is None


def test_warnings_are_kept_in_the_record():
    class Warns(Nearest):
        def fit(self, X, y):
            warnings.warn("gap 0.1 left")
            return super().fit(X, y)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        records = run(toy_table(), splits=1, methods=["nearest"], resolve=resolver(Nearest=Warns))
    assert [record.warning for record in records] == ["gap 0.1 left"]


def test_finished_cells_are_not_run_again(tmp_path):
    out = tmp_path / "new" / "toy.jsonl"
    first = run(toy_table(), splits=2, out=out, resolve=resolver())
    assert Nearest.fits == 2
    second = run(toy_table(), out=out, resolve=resolver())
    assert Nearest.fits == 3
    assert [record for record in second if record.split < 2] == first
    assert read_records(out) == second


def test_failures_are_tried_again_on_request(tmp_path):
    out = tmp_path / "toy.jsonl"
    run(toy_table(), out=out, resolve=resolver())
    repaired = resolver(Broken=Nearest)
    Nearest.fits = 0
    run(toy_table(), out=out, resolve=repaired)
    assert Nearest.fits == 0
    records = run(toy_table(), out=out, resolve=repaired, retry_failures=True)
    assert Nearest.fits == 3
    assert len(records) == 6
    assert all(record.failure is None for record in records)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    out = tmp_path / "toy.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(toy_table(), out=out, methods=["nearest"], resolve=resolver(Nearest=InterruptedNearest))
    assert [record.split for record in read_records(out)] == [0, 1]
    run(toy_table(), out=out, methods=["nearest"], resolve=resolver())
    assert Nearest.fits == 1
    assert [record.split for record in read_records(out)] == [0, 1, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is not known there")
def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    out = tmp_path / "toy.jsonl"
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import toys\n"
        "from semisvm_papers.runner import run\n"
        f"run(toys.toy_table(), out={str(out)!r}, methods=['nearest'], resolve=toys.resolver(Nearest=toys.Killer))"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == -signal.SIGKILL
    assert [record.split for record in read_records(out)] == [0]
    records = run(toy_table(), out=out, methods=["nearest"], resolve=resolver())
    assert Nearest.fits == 2
    assert [record.split for record in records] == [0, 1, 2]


def test_an_unfinished_line_is_run_again_and_spoils_nothing(tmp_path):
    out = tmp_path / "toy.jsonl"
    run(toy_table(), out=out, methods=["nearest"], resolve=resolver())
    whole = out.read_text()
    out.write_text(whole[: len(whole) - 40])
    Nearest.fits = 0
    records = run(toy_table(), out=out, methods=["nearest"], resolve=resolver())
    assert Nearest.fits == 1
    assert len(records) == 3
    assert len(read_records(out)) == 3
    assert json.loads(out.read_text().splitlines()[-1])["split"] == 2


def test_other_tables_in_the_same_file_stay_apart(tmp_path):
    out = tmp_path / "all.jsonl"
    run(toy_table(), splits=1, out=out, resolve=resolver())
    text = out.read_text().replace('"table": "toy"', '"table": "other"')
    out.write_text(text)
    records = run(toy_table(), splits=1, out=out, resolve=resolver())
    assert Nearest.fits == 2
    assert {record.table for record in records} == {"toy"}


def test_missing_data_are_passed_over_with_a_word(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("SEMISVM_DATA", str(tmp_path))
    monkeypatch.setenv("SEMISVM_CACHE", str(tmp_path))
    table = Table.load("s3vmopt-table8")
    records = run(table, splits=1, datasets=["coil20"], resolve=lambda name: Nearest)
    assert records == []
    assert "Coil20 is passed over: coil20.npz is not in" in caplog.text


def test_jobs_left_and_choices():
    table = toy_table()
    assert len(pending_jobs(table, resolve=resolver())) == 6
    assert len(pending_jobs(table, splits=2, methods=["Nearest"], resolve=resolver())) == 2
    assert len(pending_jobs(table, splits=50, methods=["nearest"], resolve=resolver())) == 3
    assert pending_jobs(table, datasets=["lost"], resolve=resolver()) == []
    longer = Table.parse("longer", TOY.replace('dataset = "moons"', 'dataset = "moons"\nn_splits = 5'))
    assert len(pending_jobs(longer, methods=["nearest"], resolve=resolver())) == 5
    assert len(pending_jobs(longer, splits=4, methods=["nearest"], resolve=resolver())) == 4
    with pytest.raises(ValueError, match=r"'mars' is not among the data sets of toy: moons, lost."):
        pending_jobs(table, datasets=["mars"], resolve=resolver())


def test_watch_sees_each_record():
    seen = []
    assert run(toy_table(), resolve=resolver(), watch=seen.append) == seen


def record(method, split, error, failure=None):
    return Record("toy", "moons", method, split, split, error, 0.1, None, None, None, {}, "2000-01-01", failure)


def test_side_by_side():
    records = [record("nearest", 0, 40.0), record("nearest", 1, 44.0), record("broken", 0, None, "ValueError: no")]
    text = side_by_side(toy_table(), records, resolve=resolver())
    lines = [line.split("  ") for line in text.splitlines()]
    cells = {tuple(part.strip() for part in line if part.strip()) for line in lines}
    assert ("moons", "nearest", "42.0 ± 2.83", "2", "40 ± 2.5", "+2.00") in cells
    assert ("moons", "broken", "failed", "1.5") in cells
    assert ("moons", "future", "not available", "3") in cells
    assert ("moons", "outside", "not runnable") in cells
    assert ("lost", "nearest", "not runnable", "7") in cells
    assert "lost: not runnable, nobody has the data." in text
    assert "moons, broken: failed, ValueError: no" in text
    assert ("moons", "nearest", "not run", "40 ± 2.5") in {
        tuple(part.strip() for part in line.split("  ") if part.strip())
        for line in side_by_side(toy_table(), [], resolve=resolver()).splitlines()
    }


def test_small_figures_keep_their_digits():
    level = Table.parse("toy", TOY.replace('method = "nearest"', 'method = "nearest"\nshows = "p_value"', 1))
    level = replace(level, rows=(replace(level.rows[0], published={"nearest": Published(0.05)}),))
    found = replace(record("nearest", 0, None), measures={"p_value": 0.0123})
    (line,) = [one for one in side_by_side(level, [found], resolve=resolver()).splitlines() if "nearest" in one]
    assert line.split() == ["moons", "nearest", "0.0123", "1", "0.05", "-0.0377"]


def test_certificates_stand_below_the_table():
    proofs = [
        replace(record("nearest", split, 0.0), measures={"certified": sure, "lower_bound": low, "upper_bound": 12.5})
        for split, (sure, low) in enumerate([(1.0, 12.5), (0.0, 9.25), (1.0, 12.5)])
    ]
    text = side_by_side(toy_table(), proofs, resolve=resolver())
    assert "moons, nearest: optimum certified on 2 of 3 splits; split 1 lies between 9.25 and 12.5" in text


def test_labels_by_count_of_two_classes():
    scores = np.array([0.1, 3.0, -2.0, 0.2, 0.1])
    assert labels_by_count(scores, np.array([1, 1, 0, 1, 0])).tolist() == [1, 1, 0, 1, 0]
    assert labels_by_count(scores, np.zeros(5)).tolist() == [0] * 5
    assert labels_by_count(scores, np.ones(5)).tolist() == [1] * 5


def test_labels_by_count_of_three_classes():
    # TableColumn 2 is far below the others everywhere; its shift brings its one row back.
    truth = np.array([0, 0, 1, 1, 2])
    scores = np.array([[1.0, 0, -9], [1, 0, -9], [0, 1, -9], [0, 1, -9], [0.4, 0.4, -8]])
    assert np.argmax(scores, axis=1)[-1] == 0
    assert labels_by_count(scores, truth).tolist() == truth.tolist()
    absent = labels_by_count(scores, np.array([0, 0, 1, 1, 1]))
    assert absent.tolist()[:4] == [0, 0, 1, 1]


def test_a_measure_is_recorded_kept_and_shown(tmp_path):
    table = Table.parse("toy", TOY.replace('method = "nearest"', 'method = "nearest"\nshows = "gap"', 1))
    nearest = table.columns[0]
    measured = replace(nearest, protocol=WithMeasures({"gap": 7.25, "curve": [1.0, 2.00000001]}))
    table = replace(table, columns=(measured, *table.columns[1:]))
    out = tmp_path / "toy.jsonl"
    run(table, splits=2, out=out, methods=["nearest"], resolve=resolver())
    records = read_records(out)
    assert [record.figure("gap") for record in records] == [7.25, 7.25]
    assert records[0].figure("curve") == [1.0, 2.0]
    assert records[0].figure("seconds") == records[0].seconds
    assert records[0].figure("depth") is None
    assert "7.25 ± 0" in side_by_side(table, records, resolve=resolver())


def test_a_cell_that_is_declared_anew_is_run_anew(tmp_path):
    out = tmp_path / "toy.jsonl"
    run(toy_table(), out=out, methods=["nearest"], resolve=resolver())
    changed = Table.parse("toy", TOY.replace("C = 10 }", "C = 20 }"))
    assert len(pending_jobs(toy_table(), read_records(out), methods=["nearest"], resolve=resolver())) == 0
    assert len(pending_jobs(changed, read_records(out), methods=["nearest"], resolve=resolver())) == 3
    records = run(changed, splits=1, out=out, methods=["nearest"], resolve=resolver())
    assert [record.split for record in records] == [0]
    assert Nearest.built[-1]["C"] == 20
    spelled_out = TOY.replace("true_ratio = true", 'true_ratio = true\nprotocol = "transductive"\nassign = "own"')
    assert Table.parse("toy", spelled_out).declarations == toy_table().declarations
    # another column leaves it as it is
    other = Table.parse("toy", TOY.replace('estimator = "Broken"', 'estimator = "Nearest"'))
    assert other.declarations["toy", "moons", "nearest"] == toy_table().declarations["toy", "moons", "nearest"]
    assert other.declarations["toy", "moons", "broken"] != toy_table().declarations["toy", "moons", "broken"]


def test_a_record_without_the_measure_a_cell_shows_is_made_anew(tmp_path):
    out = tmp_path / "toy.jsonl"
    run(toy_table(), out=out, methods=["nearest"], resolve=resolver())
    shows = Table.parse("toy", TOY.replace('dataset = "moons"', 'dataset = "moons"\nshows = "error_V_pct"'))
    assert len(pending_jobs(shows, read_records(out), methods=["nearest"], resolve=resolver())) == 3
    answered = [replace(record, measures={"error_V_pct": 1.0}) for record in read_records(out)]
    assert pending_jobs(shows, answered, methods=["nearest"], resolve=resolver()) == []
    failed = [replace(record, failure="ValueError: no") for record in read_records(out)]
    assert pending_jobs(shows, failed, methods=["nearest"], resolve=resolver()) == []


def test_records_that_lack_a_field_are_read_but_those_without_a_declaration_made_anew(tmp_path):
    out = tmp_path / "toy.jsonl"
    run(toy_table(), splits=1, out=out, methods=["nearest"], resolve=resolver())
    content = json.loads(out.read_text())
    for lost, left in ("measures", 2), ("declaration", 3):
        old = {name: value for name, value in content.items() if name != lost}
        out.write_text(json.dumps(old) + "\n")
        assert len(read_records(out)) == 1
        assert len(pending_jobs(toy_table(), read_records(out), methods=["nearest"], resolve=resolver())) == left
