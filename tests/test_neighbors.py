"""Nearest neighbors against brute force."""

import sys
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

import semisvm.geometry.near_cells
import semisvm.geometry.neighbors
from semisvm.geometry.distances import Points
from semisvm.geometry.neighbors import near_neighbors, nearest_neighbors

RNG = np.random.default_rng(0)


def sparse_rows(n, d, density=0.2, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, d)) < density, rng.normal(size=(n, d)), 0).astype(dtype)


def distances_twin(X, metric="euclidean"):
    """All distances, by differences."""
    if metric == "cosine":
        norms = np.linalg.norm(X, axis=1)
        U = np.divide(X, norms[:, None], where=norms[:, None] > 0, out=np.zeros_like(X))
        D = ((U[:, None] - U[None]) ** 2).sum(-1) / 2
        zero = norms == 0
        D[zero[:, None] ^ zero] = 1
    else:
        D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    return D


def neighbors_twin(X, k, metric="euclidean"):
    """Sorted by (distance, position), self left out."""
    n, D = len(X), distances_twin(X, metric)
    others = [np.delete(np.arange(n), i) for i in range(n)]
    indices = np.array([o[np.argsort(D[i, o], kind="stable")][:k] for i, o in enumerate(others)])
    return indices, np.take_along_axis(D, indices, axis=1)


class TestNearestNeighbors:
    @pytest.mark.parametrize("metric", ["euclidean", "cosine"])
    @pytest.mark.parametrize("d", [2, 20])
    @pytest.mark.parametrize("kind", ["float64", "float32", "sparse"])
    def test_equals_twin(self, metric, d, kind, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.neighbors, "SCREEN_BYTES", 4 * 90 * 7)
        X = sparse_rows(90, d, density=0.9)
        X[5] = 0
        X[6] = 0
        if kind == "float32":
            X = X.astype(np.float32).astype(np.float64)
        points = Points.of({"float64": X, "float32": X.astype(np.float32), "sparse": csr_array(X)}[kind])
        indices, distances = nearest_neighbors(points, 6, metric)
        twin, truth = neighbors_twin(X, 6, metric)
        if metric == "euclidean":
            assert np.array_equal(indices, twin)
        # equal directions are equal up to rounding only: there the distances have to agree, not the positions
        precision = 1e-6 if kind == "float32" and metric == "cosine" else 1e-14
        assert np.allclose(distances, truth, rtol=1e-12, atol=precision)
        assert np.allclose(np.take_along_axis(distances_twin(X, metric), indices, 1), truth, rtol=1e-12, atol=precision)
        assert not np.any(indices == np.arange(90)[:, None])

    @pytest.mark.parametrize("d", [2, 20])
    @pytest.mark.parametrize("sparse", [False, True])
    def test_copies_are_neighbors_and_self_is_not(self, d, sparse):
        X = np.repeat(sparse_rows(12, d, density=0.8), 5, axis=0)
        indices, distances = nearest_neighbors(Points.of(csr_array(X) if sparse else X), 4)
        assert not np.any(indices == np.arange(60)[:, None])
        assert np.array_equal(indices // 5, np.repeat(np.arange(12), 5)[:, None] * np.ones((1, 4), int))
        assert np.all(distances == 0)

    @pytest.mark.parametrize("d", [2, 20])
    def test_all_points_equal(self, d):
        indices, distances = nearest_neighbors(Points.of(np.full((300, d), 0.1)), 3)
        assert np.array_equal(indices[0], [1, 2, 3])
        assert np.array_equal(indices[2], [0, 1, 3])
        assert np.array_equal(indices[200], [0, 1, 2])
        assert np.all(distances == 0)

    @pytest.mark.parametrize("d", [3, 8])
    def test_ties_go_by_position(self, d):
        X = RNG.integers(0, 2, (150, d)).astype(float)
        indices, distances = nearest_neighbors(Points.of(X), 9)
        twin, truth = neighbors_twin(X, 9)
        assert np.array_equal(indices, twin)
        assert np.allclose(distances, truth)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_tight_clusters_beyond_float32(self, dtype):
        """Products in float32 cannot tell the members of a cluster apart: the finer screen has to."""
        centers = np.repeat(RNG.normal(size=(2, 10)) * 10, 150, axis=0)
        X = (centers + RNG.normal(size=(300, 10)) * 1e-5).astype(dtype).astype(np.float64)
        indices, distances = nearest_neighbors(Points.of(X.astype(dtype)), 5)
        truth = neighbors_twin(X, 5)[1]
        assert np.allclose(distances, truth, rtol=1e-9)
        assert np.allclose(np.take_along_axis(distances_twin(X), indices, 1), truth, rtol=1e-9)
        assert not np.any(indices == np.arange(300)[:, None])

    def test_every_other_point(self):
        X = RNG.normal(size=(7, 3))
        assert np.array_equal(nearest_neighbors(Points.of(X), 6)[0], neighbors_twin(X, 6)[0])

    @pytest.mark.parametrize("k", [0, 5])
    def test_too_many_neighbors_are_refused(self, k):
        with pytest.raises(ValueError, match=f"{k} neighbors of each of 5 points were asked for: .* at most 4"):
            nearest_neighbors(Points.of(np.eye(5)), k)

    def test_unknown_metric_is_refused(self):
        with pytest.raises(ValueError, match='The metric \'manhattan\' is not known: use "euclidean" or "cosine"'):
            nearest_neighbors(Points.of(np.eye(5)), 2, "manhattan")


class TestApproximateNeighbors:
    @pytest.mark.parametrize("sparse", [False, True])
    def test_without_the_package_the_search_is_exact_and_says_what_would_be_faster(self, monkeypatch, sparse):
        monkeypatch.setitem(sys.modules, "pynndescent", None)
        X = sparse_rows(60, 9, density=0.9)
        with pytest.warns(
            UserWarning, match=r"All 60 points with 9 columns .* in about 0 s: pip install semisvm\[ann\]"
        ):
            found = nearest_neighbors(Points.of(csr_array(X) if sparse else X), 3, approximate_above=50)[0]
        assert np.array_equal(found, neighbors_twin(X, 3)[0])

    def test_a_line_on_the_terminal_follows_an_exact_search_of_many_points(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pynndescent", None)
        monkeypatch.setattr(semisvm.geometry.neighbors, "REDRAW_SECONDS", 0.0)
        monkeypatch.setattr(semisvm.geometry.neighbors, "TILE", 20)
        terminal = StringIO()
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stderr", terminal)
        with pytest.warns(UserWarning, match="are compared with one another"):
            nearest_neighbors(Points.of(RNG.normal(size=(60, 9))), 3, approximate_above=50)
        drawn = terminal.getvalue().split("\r\x1b[2K")
        assert drawn[1].startswith("Neighbors of 60 points with 9 columns: 11%")
        assert drawn[-2].startswith("Neighbors of 60 points with 9 columns: 100%")
        assert drawn[-1] == ""

    def test_few_points_are_searched_in_silence(self, monkeypatch, recwarn, capsys):
        nearest_neighbors(Points.of(RNG.normal(size=(60, 9))), 3)
        assert not recwarn
        assert capsys.readouterr().err == ""

    def test_few_columns_stay_exact(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pynndescent", None)
        X = RNG.normal(size=(60, 2))
        assert np.array_equal(nearest_neighbors(Points.of(X), 3, approximate_above=50)[0], neighbors_twin(X, 3)[0])

    @pytest.mark.parametrize("sparse", [False, True])
    def test_what_the_package_finds_is_ranked_and_completed(self, monkeypatch, sparse):
        X = sparse_rows(60, 9, density=0.9)
        twin, truth = neighbors_twin(X, 3)
        asked = {}

        def descent(rows, *, metric, n_neighbors, random_state):
            asked.update(metric=metric, rows=rows, random_state=random_state)
            found = np.column_stack([np.arange(60), twin[:, ::-1]])
            found[7, 1:] = -1  # a point without neighbors found
            return SimpleNamespace(neighbor_graph=(found, None))

        monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=descent))
        points = Points.of(csr_array(X) if sparse else X)
        indices, distances = nearest_neighbors(points, 3, approximate_above=50)
        assert np.array_equal(indices, twin)
        assert np.allclose(distances, truth)
        assert asked["metric"] == "euclidean"
        assert asked["random_state"] == 0
        assert isinstance(asked["rows"], csr_matrix if sparse else np.ndarray)

    def test_the_real_package(self):
        pytest.importorskip("pynndescent")
        X = RNG.normal(size=(1500, 8))
        found = nearest_neighbors(Points.of(X), 5, approximate_above=50)[0]
        exact = nearest_neighbors(Points.of(X), 5)[0]
        assert not np.any(found == np.arange(1500)[:, None])
        assert np.mean([len(np.intersect1d(a, b)) for a, b in zip(found, exact, strict=True)]) > 4.5


class TestSieve:
    """Candidates out of products in float32: exact whatever the lengths of the rows."""

    @pytest.mark.parametrize("scale", [1.0, 1e4])
    def test_a_far_row_does_not_hide_near_ones(self, scale, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.neighbors, "TILE", 32)
        X = RNG.normal(size=(150, 12))
        X[17] *= scale
        indices, distances = nearest_neighbors(Points.of(X), 7)
        twin, truth = neighbors_twin(X, 7)
        assert np.array_equal(indices, twin)
        assert np.allclose(distances, truth)

    def test_rows_whose_neighbors_are_equal_up_to_rounding_are_searched_in_double_precision(self, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.neighbors, "ROOM", 0)
        X = RNG.normal(size=(200, 10)) * 1e-4
        X[:, 0] += np.where(np.arange(200) % 2, 1.0, -1.0)
        indices, _ = nearest_neighbors(Points.of(X), 5)
        assert np.array_equal(indices, neighbors_twin(X, 5)[0])

    def test_each_product_of_two_points_is_taken_once(self, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.neighbors, "TILE", 25)
        taken, matmul = [], np.matmul
        monkeypatch.setattr(
            semisvm.geometry.neighbors.np, "matmul", lambda x, z, out: taken.append(out.size) or matmul(x, z, out=out)
        )
        nearest_neighbors(Points.of(RNG.normal(size=(100, 9))), 4)
        assert sum(taken) == 10 * 25**2  # of 16 tiles


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("size", [5e-324, 1e-309, 1e-200])
def test_rows_of_the_smallest_numbers_have_neighbors(size, metric):
    X = csr_array(np.sign(sparse_rows(12, 8, density=0.5)) * size)
    with np.errstate(all="raise", under="ignore"):
        indices, distances = nearest_neighbors(Points.of(X), 3, metric)
    assert indices.min() >= 0
    assert np.isfinite(distances).all()


def test_an_index_that_was_not_found_is_never_handed_on(monkeypatch):
    none = np.full((12, 3), -1), np.full((12, 3), np.inf)
    monkeypatch.setattr(semisvm.geometry.neighbors, "_search", lambda *_: none)
    with pytest.raises(ValueError, match="no neighbors"):
        nearest_neighbors(Points.of(csr_array(sparse_rows(12, 8))), 3)


class TestNearInCells:
    def test_rows_on_a_surface_have_nearly_all_their_neighbors(self, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.near_cells, "CELL", 16)
        monkeypatch.setattr(semisvm.geometry.near_cells, "CANDIDATES", 150)
        rng = np.random.default_rng(0)
        X = np.tanh(rng.normal(size=(600, 2)) @ rng.normal(size=(2, 20)))
        for rows in (X, csr_array(X)):
            indices, distances = near_neighbors(Points.of(rows), 5)
            twin, truth = neighbors_twin(X, 5)
            assert np.mean([len(set(a) & set(b)) / 5 for a, b in zip(indices, twin, strict=True)]) > 0.9
            assert np.all(indices != np.arange(600)[:, None])
            assert np.all(distances >= truth - 1e-7)

    def test_each_row_is_compared_with_a_bounded_number_of_others(self, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.near_cells, "CELL", 16)
        monkeypatch.setattr(semisvm.geometry.near_cells, "CANDIDATES", 60)
        # all rows but a few are one: one cell holds them
        X = np.zeros((500, 8), dtype=np.float32)
        X[:20] = np.random.default_rng(0).normal(size=(20, 8))
        cells = list(semisvm.geometry.near_cells._cells(X, np.zeros(500, dtype=np.float32)))
        assert sorted(np.concatenate([rows for rows, _ in cells])) == list(range(500))
        assert max(len(rows) for rows, _ in cells) <= 16
        assert max(len(candidates) for _, candidates in cells) <= 60
        assert all(np.isin(rows, candidates).all() for rows, candidates in cells)
        _, distances = near_neighbors(Points.of(X), 5)
        assert np.all(distances[20:] == 0)
