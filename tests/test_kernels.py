"""Kernels against their formulas, Gram matrices against blocks, and widths against direct computation."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

import semisvm.geometry.distances
import semisvm.geometry.kernels
import semisvm.geometry.widths
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import (
    RBF,
    Cosine,
    FunctionKernel,
    Kernel,
    LinearKernel,
    Polynomial,
    Precomputed,
    ProductKernel,
    kernel_from,
)
from semisvm.geometry.widths import width
from tests import guides

RNG = np.random.default_rng(0)
X = np.where(RNG.random((83, 6)) < 0.5, RNG.normal(size=(83, 6)), 0)
X[11] = 0
X[12] = X[13]
NEW = np.where(RNG.random((17, 6)) < 0.5, RNG.normal(size=(17, 6)), 0)

FORMULAS = {
    RBF(0.3): lambda A, B: rbf_kernel(A, B, gamma=0.3),
    LinearKernel(): lambda A, B: A @ B.T,
    Polynomial(1, 0.5, 1.0): lambda A, B: polynomial_kernel(A, B, degree=1, gamma=0.5, coef0=1.0),
    Polynomial(9, 0.2, 0.5): lambda A, B: polynomial_kernel(A, B, degree=9, gamma=0.2, coef0=0.5),
    Cosine(): cosine_similarity,
    FunctionKernel(rbf_kernel): rbf_kernel,
    guides.module("CONTRIBUTING.md", "Add a kernel").RationalQuadratic(0.3): lambda A, B: (
        1 / (1 + 0.3 * cdist(A, B, "sqeuclidean"))
    ),
}
FORMS = {"dense": np.asarray, "csr": csr_array}
each_kernel = pytest.mark.parametrize(
    "kernel", FORMULAS, ids=["rbf", "linear", "degree 1", "degree 9", "cosine", "function", "of the guide"]
)
each_form = pytest.mark.parametrize("form", FORMS)
each_precision = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@pytest.fixture(params=["small tiles", "as shipped", "threads"])
def tiles(request, monkeypatch):
    """Tiles of odd sizes, so that every edge of the tiling is met."""
    if request.param != "as shipped":
        monkeypatch.setattr(semisvm.geometry.kernels, "TILE", 20)
        monkeypatch.setattr(semisvm.geometry.distances, "SPARSE_COLUMNS", 30)
        monkeypatch.setattr(semisvm.geometry.distances, "STRIP_BYTES", 7 * 8 * 83)
    if request.param == "threads":
        monkeypatch.setattr(semisvm.geometry.kernels, "THREADED_ABOVE", 0)


def close(K, truth, dtype):
    assert K.dtype == dtype
    scale = np.abs(truth).max()
    return np.allclose(K, truth, rtol=0, atol=scale * (3e-6 if dtype == np.float32 else 1e-14))


@each_kernel
@each_form
@each_precision
@pytest.mark.usefixtures("tiles")
class TestEveryKernel:
    def points(self, form, dtype, rows=X):
        return Points.of(FORMS[form](rows.astype(dtype)))

    def test_block_is_the_formula(self, kernel, form, dtype):
        A, B = self.points(form, dtype, NEW), self.points(form, dtype)
        truth = FORMULAS[kernel](NEW.astype(dtype).astype(float), X.astype(dtype).astype(float))
        assert close(kernel.block(A, B), truth, dtype)
        out = np.empty((17, 83), dtype=dtype)
        assert kernel.block(A, B, out=out) is out
        assert close(out, truth, dtype)

    def test_block_of_a_dense_and_a_sparse_set(self, kernel, form, dtype):
        A, B = self.points("dense", dtype, NEW), self.points(form, dtype)
        assert close(kernel.block(A, B), FORMULAS[kernel](NEW, X), dtype)
        assert close(kernel.block(B, A), FORMULAS[kernel](X, NEW), dtype)

    def test_gram_is_the_formula_and_exactly_symmetric(self, kernel, form, dtype):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            K = kernel.gram(self.points(form, dtype))
        assert close(K, FORMULAS[kernel](X, X), dtype)
        assert np.array_equal(K, K.T)
        assert np.linalg.eigvalsh(K.astype(float))[0] > -np.finfo(dtype).eps * 100 * np.abs(K).max()

    def test_diagonal_agrees_with_gram_and_block(self, kernel, form, dtype):
        points = self.points(form, dtype)
        diagonal = kernel.diagonal(points)
        assert diagonal.dtype == np.float64
        assert close(np.diagonal(kernel.gram(points)).copy(), diagonal, dtype)
        some = points.take(np.array([40, 3, 11]))
        taken = kernel.block(some, points)[[0, 1, 2], [40, 3, 11]]
        if isinstance(kernel, ProductKernel):
            assert np.array_equal(taken, diagonal[[40, 3, 11]].astype(dtype))
        assert close(taken, diagonal[[40, 3, 11]], dtype)

    def test_rows_of_the_gram_matrix_are_blocks(self, kernel, form, dtype):
        points = self.points(form, dtype)
        rows = np.array([82, 0, 41, 41])
        assert close(kernel.block(points.take(rows), points), kernel.gram(points)[rows].astype(float), dtype)
        assert kernel.block(points.take(rows[:0]), points).shape == (0, 83)

    def test_gram_beyond_memory_is_refused(self, kernel, form, dtype, monkeypatch):
        points = self.points(form, dtype)
        monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", str(83 * 83 * points.dtype.itemsize - 1))
        with pytest.raises(MemoryError, match=r"The Gram matrix of 83 rows needs .* set n_components=..., or kernel="):
            kernel.gram(points)


def test_equal_rows_and_large_numbers_stay_within_one():
    points = Points.of(np.repeat(RNG.normal(size=(20, 50)) * 1e4 + 1e6, 3, axis=0))
    K = RBF(1.0).gram(points)
    assert K.max() == 1
    assert np.all(np.diagonal(K) == 1)


@each_precision
def test_rbf_of_data_far_from_zero(dtype):
    far = (RNG.normal(size=(60, 5)) + 3000).astype(dtype)
    new = (RNG.normal(size=(9, 5)) + 3000).astype(dtype)
    points = Points.of(far)
    truth = np.exp(-0.2 * cdist(far.astype(float), far.astype(float), "sqeuclidean"))
    assert np.allclose(RBF(0.2).gram(points), truth, atol=1e-5 if dtype == np.float32 else 1e-12)
    truth = np.exp(-0.2 * cdist(new.astype(float), far.astype(float), "sqeuclidean"))
    for B in (points, points.take(slice(0, 60))):
        assert np.allclose(RBF(0.2).block(Points.of(new), B), truth, atol=1e-5 if dtype == np.float32 else 1e-12)


def test_same_gram_on_one_thread_and_on_more(monkeypatch):
    points = Points.of(RNG.normal(size=(700, 9)))
    K = RBF(0.1).gram(points)
    monkeypatch.setattr(semisvm.geometry.kernels, "THREADED_ABOVE", 0)
    assert np.array_equal(RBF(0.1).gram(points), K)


@pytest.mark.parametrize("degree", [1, 3, 40])
@pytest.mark.parametrize(("dtype", "exponent"), [(np.float64, 300), (np.float32, 37)])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_polynomials_that_would_overflow_are_refused(degree, dtype, exponent, form):
    # rows of one column: the square of the kernel is (gamma x^2)^(2 degree)
    size = 10 ** (exponent / 2 / degree)
    rows, other = (Points.of(form(np.array([[1.0], [-1.0]], dtype=dtype))) for _ in range(2))
    assert np.isfinite(Polynomial(degree, 0.9 * size, 0.0).gram(rows).astype(np.float64) ** 2).all()
    assert np.isfinite(Polynomial(degree, 0.9 * size, 0.0).diagonal(rows)).all()
    for kernel in (Polynomial(degree, 1.1 * size, 0.0), Polynomial(degree, 0.1 * size, -size)):
        for values in (kernel.gram, kernel.diagonal, lambda A, kernel=kernel: kernel.block(A, other)):
            with pytest.raises(
                ValueError, match=rf"^The square of the polynomial kernel exceeds 1e{exponent} on these"
            ):
                values(rows)


@pytest.mark.parametrize(
    ("dtype", "small_enough", "gamma"),
    [(np.float64, 1e299, 1e301), (np.float64, 1e299, 1.7e308), (np.float32, 1e36, 1e38)],
)
def test_exponents_of_gaussians_that_would_overflow_are_refused(dtype, small_enough, gamma):
    rows = Points.of(np.array([[1.0], [-1.0]], dtype=dtype))
    np.testing.assert_array_equal(RBF(small_enough).gram(rows), np.eye(2))
    with pytest.raises(ValueError, match=r"^gamma \|x\|\^2 exceeds 1e.* use a smaller gamma"):
        RBF(gamma).gram(rows)


@each_precision
def test_sparse_rows_against_dense_rows_far_from_zero(dtype):
    rows = RNG.integers(-4, 5, size=(20, 3)).astype(dtype) + dtype(2**16)
    exact = rbf_kernel(rows.astype(np.float64) - 2.0**16, gamma=0.05)
    held = Points.of(rows)
    np.testing.assert_allclose(RBF(0.05).block(held.beside(csr_array(rows)), held), exact, rtol=1e-5)


class TestPrecomputed:
    K = (rbf_kernel(X) + rbf_kernel(X).T) / 2

    @each_form
    @each_precision
    def test_selects_columns_by_position(self, form, dtype):
        points = Points.of(FORMS[form](self.K.astype(dtype)))
        some = points.take(np.array([7, 3, 80]))
        K = self.K.astype(dtype)
        assert np.array_equal(Precomputed().gram(points), K)
        assert np.array_equal(Precomputed().block(some, points), K[[7, 3, 80]])
        assert np.array_equal(Precomputed().block(points, some), K[:, [7, 3, 80]])
        assert np.array_equal(Precomputed().gram(some), K[np.ix_([7, 3, 80], [7, 3, 80])])
        assert np.array_equal(Precomputed().diagonal(some), np.ones(3))
        out = np.empty((83, 3), dtype=dtype)
        assert Precomputed().block(points, some, out=out) is out
        assert np.array_equal(out, K[:, [7, 3, 80]])

    def test_new_rows_against_training_points(self):
        support = Points.of(self.K).take(np.array([5, 60]))
        values = rbf_kernel(NEW, X)
        assert np.array_equal(Precomputed().block(Points.of(values), support), values[:, [5, 60]])

    def test_too_few_columns_are_refused(self):
        support = Points.of(self.K).take(np.array([5, 60]))
        with pytest.raises(ValueError, match=r"shape \(17, 40\) was given and training point 60 is asked for: give k"):
            Precomputed().block(Points.of(np.ones((17, 40))), support)

    def test_gram_is_a_copy_and_rounding_is_evened_out(self):
        K = self.K.copy()
        K[3, 4] += 1e-15
        points = Points.of(K)
        gram = Precomputed().gram(points)
        assert np.array_equal(gram, gram.T)
        assert not np.shares_memory(gram, K)

    def test_asymmetric_matrix_is_refused(self):
        K = self.K.copy()
        K[3, 4] += 0.25
        with pytest.raises(
            ValueError, match=r"The precomputed kernel is not symmetric, .* by up to 0.25: use \(K \+ K.T\)"
        ):
            Precomputed().gram(Points.of(K))


class TestFunctionKernel:
    points = Points.of(X)

    def test_sparse_rows_arrive_sparse(self):
        kernel = FunctionKernel(lambda A, B: A @ B.T)
        assert np.allclose(kernel.gram(Points.of(csr_array(X))), X @ X.T)

    def test_wrong_shape_is_refused(self):
        with pytest.raises(ValueError, match=r"returned shape \(83,\) for 83 and 83 rows: .* shape \(83, 83\)"):
            FunctionKernel(lambda A, B: A[:, 0]).gram(self.points)

    @pytest.mark.parametrize("value", [np.nan, np.inf, 1j, "x"])
    def test_values_that_are_not_numbers_are_refused(self, value):
        with pytest.raises(ValueError, match="values that are not finite real numbers"):
            FunctionKernel(lambda A, B: np.full((len(A), len(B)), value)).gram(self.points)

    def test_asymmetric_function_is_refused(self):
        with pytest.raises(ValueError, match="The kernel function is not symmetric"):
            FunctionKernel(lambda A, B: A[:, :1] + 2 * B[:, :1].T).gram(self.points)

    def test_constant_the_function_keeps_is_not_written_to(self):
        kept = np.tile(np.arange(83.0), (83, 1)) * 1e-12 + 1
        before = kept.copy()
        FunctionKernel(lambda A, B: kept).gram(self.points)
        assert np.array_equal(kept, before)


class TestParameters:
    @pytest.mark.parametrize("gamma", [0, -1.0, np.inf, np.nan, "scale", True, None])
    def test_gamma(self, gamma):
        with pytest.raises(ValueError, match=r"gamma=.* was given: a positive finite number is needed"):
            RBF(gamma)

    @pytest.mark.parametrize("degree", [0, -2, 2.5, True, "3"])
    def test_degree(self, degree):
        with pytest.raises(ValueError, match=r"degree=.* was given: a polynomial kernel needs a whole number"):
            Polynomial(degree, 1.0, 0.0)

    def test_coef0(self):
        with pytest.raises(ValueError, match="coef0=nan was given: a polynomial kernel needs a finite number"):
            Polynomial(3, 1.0, np.nan)

    def test_names(self):
        assert kernel_from("rbf", 0.5) == RBF(0.5)
        assert kernel_from("linear", 0.5) == LinearKernel()
        assert kernel_from("poly", 0.5, 4, 1.0) == Polynomial(4, 0.5, 1.0)
        assert kernel_from("cosine", 0.5) == Cosine()
        assert kernel_from("precomputed", 0.5) == Precomputed()
        assert kernel_from(rbf_kernel, 0.5) == FunctionKernel(rbf_kernel)
        assert kernel_from(RBF(2.0), 0.5) == RBF(2.0)

    @pytest.mark.parametrize("name", ["gauss", None, 3])
    def test_unknown_name_lists_the_known_ones(self, name):
        with pytest.raises(ValueError) as refusal:
            kernel_from(name, 0.5)
        assert str(refusal.value) == (
            f'kernel={name!r} was given: use "rbf", "linear", "poly", "cosine", "precomputed", or a function k(A, B).'
        )

    def test_interfaces_cannot_be_made(self):
        for interface in (Kernel, ProductKernel):
            with pytest.raises(TypeError):
                interface()


@pytest.mark.parametrize("form", FORMS)
@each_precision
class TestWidth:
    def gamma(self, rule, form, dtype, rows=X, **options):
        return width(rule, Points.of(FORMS[form](rows.astype(dtype))), **options)

    def test_scale_is_that_of_scikit_learn(self, form, dtype):
        svc = SVC(gamma="scale").fit(FORMS[form](X.astype(dtype)), np.arange(83) % 2)
        assert self.gamma("scale", form, dtype) == pytest.approx(svc._gamma, rel=1e-6)

    def test_median_and_mean_of_all_distances(self, form, dtype):
        d = pdist(X.astype(dtype).astype(float))
        assert self.gamma("median", form, dtype) == pytest.approx(1 / (2 * np.median(d) ** 2), rel=1e-9)
        assert self.gamma("mean_distance", form, dtype) == pytest.approx(1 / (2 * d.mean() ** 2), rel=1e-9)

    def test_box(self, form, dtype):
        sides = X.astype(dtype).astype(float).max(0) - X.astype(dtype).astype(float).min(0)
        assert self.gamma("box", form, dtype) == pytest.approx(1 / (2 * sides @ sides), rel=1e-6)

    @pytest.mark.parametrize("rule", ["scale", "median", "mean_distance", "box"])
    def test_equal_points_give_one(self, form, dtype, rule):
        for value in (0.0, 0.1, -1e5):
            assert self.gamma(rule, form, dtype, np.full((30, 3), value)) == 1.0
        assert self.gamma(rule, form, dtype, np.full((1, 1), 2.0)) == 1.0

    def test_median_among_copies(self, form, dtype):
        rows = np.repeat([[1.0, 0.1]], 40, axis=0)
        rows[0] = [4.0, 4.1]
        assert self.gamma("median", form, dtype, rows) == pytest.approx(1 / (2 * (9 + 16)), rel=1e-6)

    def test_sample_of_many_points(self, form, dtype, monkeypatch):
        monkeypatch.setattr(semisvm.geometry.widths, "WIDTH_SAMPLE", 60)
        exact = 1 / (2 * np.median(pdist(X)) ** 2)
        sampled = self.gamma("median", form, dtype)
        assert sampled != pytest.approx(exact, rel=1e-9)
        assert sampled == pytest.approx(exact, rel=0.3)
        assert sampled == self.gamma("median", form, dtype, random_state=0)
        assert sampled != self.gamma("median", form, dtype, random_state=1)
        assert sampled == self.gamma("median", form, dtype, random_state=np.random.RandomState(0))


class TestWidthRules:
    def test_numbers_stay(self):
        assert width(0.25, Points.of(X)) == 0.25
        assert width(np.float32(2), Points.of(X)) == 2.0
        assert width(1, Points.of(X)) == 1.0

    @pytest.mark.parametrize("rule", [0, -0.5, np.nan, None, True])
    def test_other_numbers_are_refused(self, rule):
        with pytest.raises(ValueError, match=r"gamma=.* was given: a positive finite number is needed"):
            width(rule, Points.of(X))

    def test_unknown_rule_lists_the_known_ones(self):
        with pytest.raises(ValueError) as refusal:
            width("auto", Points.of(X))
        assert str(refusal.value) == (
            'gamma=\'auto\' was given: use "scale", "median", "mean_distance", "box", or a positive number.'
        )

    def test_rounding_does_not_pass_for_a_distance(self):
        rows = np.repeat(np.random.default_rng(2).normal(size=(2, 300)), 40, axis=0)[:50]  # 40 copies and 10 others
        apart = np.linalg.norm(rows[0] - rows[-1])
        assert width("median", Points.of(rows)) == pytest.approx(1 / (2 * apart**2))

    def test_far_points_keep_their_distances(self):
        rows = RNG.normal(size=(50, 3))
        assert width("median", Points.of(rows + 1e7)) == pytest.approx(width("median", Points.of(rows)), rel=1e-6)
