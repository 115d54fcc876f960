"""Points and squared distances against brute-force twins."""

import pickle

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from scipy.spatial.distance import cdist

import semisvm.geometry.distances
from semisvm.geometry.distances import (
    Points,
    half_products,
    paired_squared_distances,
    products,
    same_rows,
    squared_distances,
)

RNG = np.random.default_rng(0)


def sparse_rows(n, d, density=0.2, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, d)) < density, rng.normal(size=(n, d)), 0).astype(dtype)


class TestPoints:
    def test_fitting_arrays_are_not_copied(self):
        X = RNG.normal(size=(5, 3))
        X.flags.writeable = False
        points = Points.of(X)
        assert points.X is X
        assert len(points) == 5
        assert points.n_features == 3
        assert np.array_equal(points.index, np.arange(5))

    @pytest.mark.parametrize(
        ("given", "kept"),
        [(np.float32, np.float32), (np.float64, np.float64), (np.int64, np.float64), (bool, np.float64)],
    )
    def test_precision(self, given, kept):
        X = RNG.integers(0, 2, (4, 3)).astype(given)
        assert Points.of(X).dtype == kept
        assert Points.of(csr_matrix(X)).dtype == kept

    @pytest.mark.parametrize("n_columns", [3, 40], ids=["more entries than columns", "fewer"])
    def test_entries_out_of_order_and_twice_are_brought_in_order_in_a_copy(self, n_columns):
        given = csr_array(([1.0, 2.0, 4.0, 8.0], [2, 0, 2, 1], [0, 3, 4]), shape=(2, n_columns))
        points = Points.of(given)
        assert points.X.has_canonical_format
        assert points.X.nnz == 3
        assert np.array_equal(points.X.toarray()[:, :3], [[2, 0, 5], [0, 8, 0]])
        assert given.indices.tolist() == [2, 0, 2, 1]

    def test_fortran_order_becomes_rows(self):
        X = np.asfortranarray(RNG.normal(size=(5, 3)))
        assert Points.of(X).X.flags.c_contiguous
        assert np.array_equal(Points.of(X).X, X)

    def test_sparse_duplicates_are_summed_without_touching_the_input(self):
        X = csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
        assert np.array_equal(Points.of(X).squared_norms, [9.0])
        assert X.nnz == 2
        assert isinstance(Points.of(coo_array(np.eye(2))).X, csr_array)

    def test_vector_is_refused(self):
        with pytest.raises(ValueError, match=r"an array of shape \(3,\) was given: reshape it to 2-d"):
            Points.of(np.arange(3.0))

    @pytest.mark.parametrize("rows", [slice(2, 7), slice(1, 9, 3), np.array([5, 1, 1]), np.arange(10) % 2 == 0])
    @pytest.mark.parametrize("known", [False, True])
    @pytest.mark.parametrize("shift", [0.0, 1e3])
    def test_take_carries_what_is_known(self, rows, known, shift):
        X = RNG.normal(size=(10, 4)) + shift
        points = Points.of(X)
        if known:
            _ = points.squared_norms, points.squared_lengths, points.positions
        taken = points.take(rows).take(slice(0, 2))
        assert np.array_equal(taken.X, X[rows][:2])
        assert np.array_equal(taken.index, np.arange(10)[rows][:2])
        assert np.allclose(taken.squared_norms, (X[rows][:2] ** 2).sum(1))
        assert np.array_equal(taken.positions, points.positions[rows][:2])
        assert np.allclose(taken.squared_lengths, (points.positions[rows][:2] ** 2).sum(1))

    def test_sparse_take(self):
        X = sparse_rows(10, 6)
        taken = Points.of(csr_matrix(X)).take(np.array([7, 3]))
        assert np.array_equal(taken.X.toarray(), X[[7, 3]])
        assert np.array_equal(taken.index, [7, 3])

    def test_norms_of_float32_are_summed_in_float64(self):
        X = np.full((1, 10_000), 0.1, dtype=np.float32)
        assert Points.of(X).squared_norms.dtype == np.float64
        assert Points.of(X).squared_norms[0] == pytest.approx(1e4 * float(X[0, 0]) ** 2, rel=1e-14)

    def test_only_far_data_are_moved(self):
        X = RNG.normal(size=(50, 4))
        assert Points.of(X).cloud.origin is None
        assert Points.of(X).positions is not None
        assert np.allclose(Points.of(X + 100).cloud.origin, 100, atol=1)
        assert Points.of(np.empty((0, 3))).cloud.origin is None

    def test_pickle_keeps_the_data_set_together(self):
        points = Points.of(RNG.normal(size=(6, 2)))
        whole, part = pickle.loads(pickle.dumps((points, points.take(slice(2, 4)))))
        assert np.array_equal(np.column_stack(same_rows(part, whole)), [[0, 2], [1, 3]])


class TestSquaredDistances:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("a_sparse", [False, True])
    @pytest.mark.parametrize("b_sparse", [False, True])
    def test_every_mixture_equals_cdist(self, dtype, a_sparse, b_sparse, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.distances, "SPARSE_COLUMNS", 4)
        monkeypatch.setattr(semisvm.geometry.distances, "STRIP_BYTES", 300)
        A, B = sparse_rows(13, 7, dtype=dtype, seed=1), sparse_rows(11, 7, dtype=dtype, seed=2)
        a, b = Points.of(csr_array(A) if a_sparse else A), Points.of(csr_array(B) if b_sparse else B)
        D = squared_distances(a, b)
        assert D.dtype == dtype
        assert D.min() >= 0
        assert np.allclose(
            D, cdist(A.astype(float), B.astype(float), "sqeuclidean"), atol=2e-6 if dtype == np.float32 else 1e-14
        )

    def test_mixed_precision_takes_the_higher(self):
        A, B = RNG.normal(size=(3, 2)).astype(np.float32), RNG.normal(size=(4, 2))
        assert squared_distances(Points.of(A), Points.of(B)).dtype == np.float64

    def test_into_a_given_matrix(self):
        points, out = Points.of(RNG.normal(size=(5, 3))), np.empty((5, 5))
        assert squared_distances(points, points, out=out) is out
        assert np.allclose(out, cdist(points.X, points.X, "sqeuclidean"))

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_data_far_from_zero_lose_nothing(self, dtype):
        X = (RNG.normal(size=(40, 5)) + 1e4).astype(dtype)
        new = (RNG.normal(size=(9, 5)) + 1e4).astype(dtype)
        for A in (Points.of(X), Points.of(new), Points.of(X).take(np.array([3]))):
            truth = cdist(A.X.astype(float), X.astype(float), "sqeuclidean")
            assert np.allclose(squared_distances(A, Points.of(X)), truth, rtol=1e-4, atol=20 * np.finfo(dtype).eps)

    def test_zero_for_the_same_row_wherever_it_is_taken(self):
        points = Points.of(RNG.normal(size=(20, 30)).astype(np.float32) * 7)
        A, B = points.take(np.array([4, 9, 4, 2])), points.take(np.array([9, 9, 4, 11]))
        D = squared_distances(A, B)
        assert np.array_equal(np.argwhere(D == 0), [[0, 2], [1, 0], [1, 1], [2, 2]])
        assert np.all(np.diagonal(squared_distances(points, points)) == 0)

    def test_equal_positions_in_different_data_sets_are_not_the_same_row(self):
        A, B = Points.of(np.zeros((3, 2))), Points.of(np.ones((3, 2)))
        assert len(same_rows(A, B)[0]) == 0
        assert np.all(squared_distances(A, B) == 2)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_rounding_never_makes_a_distance_negative(self, dtype):
        X = np.random.default_rng(3).normal(size=(60, 300)).astype(dtype)
        D = squared_distances(Points.of(X), Points.of(X.copy()))
        assert D.min() >= 0
        # the rounding of a sum of 300 products of this size, in whatever order a BLAS takes them
        assert np.diagonal(D).max() < 4 * np.sqrt(300) * np.square(X).sum(axis=1).max() * np.finfo(dtype).eps

    def test_no_rows(self):
        points = Points.of(RNG.normal(size=(4, 3)))
        assert squared_distances(points.take(slice(0, 0)), points).shape == (0, 4)
        assert squared_distances(points, points.take(slice(0, 0))).shape == (4, 0)

    @pytest.mark.parametrize("sparse", [False, True])
    def test_pairs_are_exact(self, sparse, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.distances, "PAIR_BYTES", 100)
        X = sparse_rows(30, 6) + (0 if sparse else 1e6)
        X[7] = X[3]
        rows, cols = RNG.integers(0, 30, 50), RNG.integers(0, 30, 50)
        rows[0], cols[0] = 3, 7
        points = Points.of(csr_array(X) if sparse else X)
        there, back = (paired_squared_distances(points, *pair) for pair in ((rows, cols), (cols, rows)))
        assert there[0] == 0
        assert np.array_equal(there, back)
        assert np.allclose(there, ((X[rows] - X[cols]) ** 2).sum(1), rtol=1e-14)


class TestProducts:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("sparse", [False, True])
    @pytest.mark.parametrize("n", [1, 5, 13])
    def test_half(self, dtype, sparse, n, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.distances, "SPARSE_COLUMNS", 4)
        X = sparse_rows(n, 6, dtype=dtype)
        half = half_products(csr_array(X) if sparse else X, 3.0)
        assert half.dtype == dtype
        assert np.allclose(np.tril(half), np.tril(3 * X @ X.T), atol=1e-5 if dtype == np.float32 else 1e-14)

    def test_scale_on_either_side(self):
        A, B = RNG.normal(size=(3, 4)), RNG.normal(size=(9, 4))
        assert np.allclose(products(A, B, None, 2.5), 2.5 * A @ B.T)
        assert np.allclose(products(B, A, None, 2.5), 2.5 * B @ A.T)

    def test_no_columns(self):
        assert np.array_equal(half_products(np.empty((3, 0))), np.zeros((3, 3)))
