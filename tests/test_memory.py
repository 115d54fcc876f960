"""Memory limits: what the system files say, and the sentence of a refusal."""

from pathlib import Path

import pytest

from semisvm.memory import available_bytes, chunk_rows, demand, in_words

GIB = 2**30


def system(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


MEMINFO = {"proc/meminfo": "MemTotal: 33554432 kB\nMemFree: 1024 kB\nMemAvailable: 20971520 kB\n"}


@pytest.fixture(autouse=True)
def _without_limit(monkeypatch):
    monkeypatch.delenv("SEMISVM_MEMORY_LIMIT", raising=False)


def test_refusal_says_what_how_much_and_what_instead(monkeypatch):
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", str(20 * GIB))
    with pytest.raises(MemoryError) as refusal:
        demand(200_000**2 * 8, "The Gram matrix of 200,000 rows", 'set n_components=..., or kernel="linear"')
    assert str(refusal.value) == (
        "The Gram matrix of 200,000 rows needs 298 GiB and 20 GiB are available: "
        'set n_components=..., or kernel="linear".'
    )


def test_demand_of_exactly_what_there_is_passes(monkeypatch):
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", "1000")
    demand(1000, "It", "take less")
    with pytest.raises(MemoryError):
        demand(1001, "It", "take less")


@pytest.mark.parametrize("limit", ["a lot", "-1", ""])
def test_mistyped_limit_is_refused(monkeypatch, limit):
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", limit)
    with pytest.raises(ValueError, match=f"SEMISVM_MEMORY_LIMIT is '{limit}': give a whole number of bytes"):
        available_bytes()


def test_this_machine_has_a_plausible_amount():
    assert 2**20 < available_bytes() < 2**50


def test_available_is_not_free(tmp_path):
    assert available_bytes(system(tmp_path, MEMINFO)) == 20 * GIB


def test_lower_limit_of_control_group_version_2(tmp_path):
    group = "sys/fs/cgroup/jobs/mine/"
    files = {
        "proc/self/cgroup": "0::/jobs/mine\n",
        group + "memory.max": "max\n",
        group + "memory.current": "0\n",
        group + "memory.stat": "anon 1\ninactive_file 0\n",
        "sys/fs/cgroup/jobs/memory.max": f"{4 * GIB}\n",
        "sys/fs/cgroup/jobs/memory.current": f"{2 * GIB}\n",
        "sys/fs/cgroup/jobs/memory.stat": f"anon 1\ninactive_file {GIB}\n",
    }
    assert available_bytes(system(tmp_path, MEMINFO | files)) == 3 * GIB


def test_lower_limit_of_control_group_version_1(tmp_path):
    group = "sys/fs/cgroup/memory/mine/"
    files = {
        "proc/self/cgroup": "3:cpu,cpuacct:/mine\n2:memory:/mine\n",
        group + "memory.limit_in_bytes": f"{5 * GIB}\n",
        group + "memory.usage_in_bytes": f"{GIB}\n",
        group + "memory.stat": "total_inactive_file 0\n",
    }
    assert available_bytes(system(tmp_path, MEMINFO | files)) == 4 * GIB


def test_higher_limit_of_control_group_changes_nothing(tmp_path):
    files = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": f"{50 * GIB}\n",
        "sys/fs/cgroup/memory.current": "0\n",
        "sys/fs/cgroup/memory.stat": "inactive_file 0\n",
    }
    assert available_bytes(system(tmp_path, MEMINFO | files)) == 20 * GIB


def test_system_without_proc_still_answers(tmp_path):
    assert available_bytes(tmp_path) > 2**20


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [(12, "12 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (20 * GIB, "20 GiB"), (999 * 2**20, "999 MiB")]
    + [(1000 * 2**20, "1 GiB"), (5000 * 2**40, "5,000 TiB")],
)
def test_sizes_in_words(n_bytes, words):
    assert in_words(n_bytes) == words


def test_chunk_stays_within_budget_but_has_a_row(monkeypatch):
    assert chunk_rows(100, 8, budget=8000) == 10
    assert chunk_rows(100, 8, budget=8799) == 10
    assert chunk_rows(10**9, 8, budget=8000) == 1
    assert chunk_rows(0, 8, budget=8000) == 8000
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", "3200")
    assert chunk_rows(100, 8) == 1
