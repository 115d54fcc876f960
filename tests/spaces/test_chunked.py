"""A space on chunks of rows is the space on the rows, however they are cut."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import chunked
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Gaussian, SquaredHinge
from semisvm.objective import Problem
from semisvm.spaces import Centered, Linear, reduced_set
from semisvm.spaces.chunked.arrays import ArrayRows
from semisvm.spaces.chunked.files import FileRows
from semisvm.spaces.chunked.generated import GeneratedRows
from semisvm.spaces.chunked.parquet import ParquetRows
from semisvm.spaces.chunked.row_source import RowLayout
from semisvm.spaces.chunked.turns import in_turns

N, D, K = 60, 5, 2
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, D))
X_SPARSE = sp.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))
LANDMARKS = np.arange(0, N, 5)
UNLABELED = np.arange(8, N)


def problem_on(space, centered):
    y = np.zeros((N, K))
    y[:8] = np.where(RNG.normal(size=(8, K)) > 0, 1.0, -1.0)
    y[0], y[1] = 1.0, -1.0
    weights = np.full((N, K), 0.5)
    if centered:
        space = Centered(space, UNLABELED)
    return Problem(space, y, np.arange(8), UNLABELED, SquaredHinge(), Gaussian(3.0), weights)


def in_memory(kind):
    if kind == "landmarks":
        points = Points.of(X)
        return reduced_set(RBF(0.3), points, points.take(LANDMARKS))
    return Linear(X_SPARSE if kind == "sparse" else X.astype(np.float32) if kind == "float32" else X)


def in_chunks(kind, cuts):
    rows = {"sparse": X_SPARSE, "float32": X.astype(np.float32)}.get(kind, X)
    starts = np.array([0, *sorted(cuts), N])
    source = ArrayRows(RowLayout(starts, rows.shape[1], rows.dtype, sp.issparse(rows)), rows)
    return source.on_landmarks(RBF(0.3), source.take(LANDMARKS)) if kind == "landmarks" else source.linear()


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["dense", "float32", "sparse", "landmarks"]),
    st.lists(st.integers(0, N), max_size=12),
    st.booleans(),
    st.integers(0, 2**16),
)
def test_value_and_gradient_do_not_depend_on_the_chunks(kind, cuts, centered, seed):
    # cuts may coincide (empty chunks), and most chunks hold no label: the first eight rows do
    whole, parts = problem_on(in_memory(kind), centered), problem_on(in_chunks(kind, cuts), centered)
    parts = parts.replace(y=whole.y)
    theta = np.random.default_rng(seed).normal(size=(whole.space.dimension, K))
    bias = np.array([0.3, -0.2])
    a, b = whole.objective().at(theta, bias), parts.objective().at(theta, bias)
    assert_allclose(b.value, a.value, rtol=1e-12)
    for one, other in ((b.gradient.theta, a.gradient.theta), (b.point.outputs, a.point.outputs)):
        assert np.linalg.norm(one - other) <= 1e-12 * np.linalg.norm(other)
    assert_allclose(b.gradient.bias, a.gradient.bias, rtol=1e-12, atol=1e-12)
    u = whole.objective().complete(a.gradient)
    product, _ = whole.objective().hessian(a)(u)
    ours, _ = parts.objective().hessian(b)(parts.objective().complete(b.gradient))
    assert np.linalg.norm(ours - product) <= 1e-11 * np.linalg.norm(product)


@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "landmarks"])
def test_blocks_norms_and_predictions(kind):
    whole, parts = in_memory(kind), in_chunks(kind, [7, 7, 30])
    rows, cols = np.array([59, 3, 30]), np.array([0, 11])
    assert_allclose(parts.block(rows, cols), whole.block(rows, cols), atol=1e-10)
    assert_allclose(parts.block(slice(None), cols), whole.block(slice(None), cols), atol=1e-10)
    assert_allclose(parts.norms(), whole.norms(), rtol=1e-6)
    theta = RNG.normal(size=(parts.dimension, 1))
    fresh = X_SPARSE if kind == "sparse" else X
    scores = parts.predictor(theta, np.array([0.5])).scores(fresh)
    assert_allclose(scores, parts.outputs(theta) + 0.5, atol=1e-5)


def sources(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    folder = tmp_path / "parts"
    folder.mkdir()
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(D)])
    for place, rows in enumerate((slice(0, 25), slice(25, 25), slice(25, N))):
        frame[rows].assign(name="text").to_parquet(folder / f"{place}.parquet", row_group_size=10)
    return {
        FileRows: chunked(tmp_path / "rows.npy", chunk_rows=7),
        ParquetRows: chunked(folder),
        GeneratedRows: chunked(lambda: (X[i : i + 13] for i in range(0, N, 13))),
        ArrayRows: chunked(X, chunk_rows=11),
    }


@pytest.mark.parametrize("source", [FileRows, ParquetRows, GeneratedRows, ArrayRows], ids=lambda c: c.__name__)
def test_every_source_gives_the_rows(source, tmp_path):
    rows = sources(tmp_path)[source]
    assert type(rows) is source
    assert rows.shape == (N, D)
    assert_array_equal(rows.take(np.array([40, 3, 59, 0])).X, X[[40, 3, 59, 0]])
    theta = RNG.normal(size=(D, 1))
    assert_allclose(rows.linear().outputs(theta), X @ theta, atol=1e-12)
    assert_allclose(rows.spread(), (X.mean(), X.var()), rtol=1e-12)
    assert_allclose(rows.box(), (X.min(axis=0), X.max(axis=0)))
    assert_array_equal(rows.answers(lambda block: np.asarray(block)[:, 0]), X[:, 0])


def test_spread_of_sparse_rows_counts_the_zeros():
    dense = X_SPARSE.toarray()
    assert_allclose(chunked(X_SPARSE, chunk_rows=9).spread(), (dense.mean(), dense.var()), rtol=1e-12)


def test_a_part_of_a_memory_map_is_found_in_its_file(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")[13:]
    rows = chunked(mapped, chunk_rows=10)
    assert isinstance(rows, FileRows)
    assert_array_equal(rows.take(np.arange(N - 13)).X, X[13:])
    # columns in another order, or of whole numbers, are not rows as they lie there
    assert isinstance(chunked(np.load(tmp_path / "rows.npy", mmap_mode="r")[:, 1:]), ArrayRows)


def test_threads_change_nothing_but_the_order_of_sums():
    source = ArrayRows.of(X, chunk_rows=5)
    sums = []
    for n_threads in (1, 2, 5):
        parts: dict = {}
        source.visit(lambda t, rows, block, parts=parts: parts.setdefault(t, []).append(rows.start), n_threads)
        sums.append(sorted(start for thread in parts.values() for start in thread))
        assert all(starts == sorted(starts) for starts in parts.values())
    assert sums[0] == sums[1] == sums[2] == list(range(0, N, 5))


def test_an_error_in_any_thread_ends_the_pass():
    def work(thread, item):
        if item == 7:
            raise ValueError("seven")

    before = threading.active_count()
    with pytest.raises(ValueError, match="seven"):
        in_turns(iter(range(100)), work, 3)
    assert threading.active_count() == before


def test_what_cannot_be_meant_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(TypeError, match="int was given and rows to read in chunks are needed"):
        chunked(3)
    with pytest.raises(FileNotFoundError, match=r"holds no \.parquet file and at least one is needed"):
        chunked(tmp_path)
    with pytest.raises(ValueError, match="blocks of one width, all float32"):
        chunked(lambda: iter([np.zeros((2, 3)), np.zeros((2, 4))]))
    with pytest.raises(TypeError, match="rows that stay on disk or on a cluster were asked for as one array"):
        np.asarray(chunked(X))
    blocks = [[X[:30], X[30:]], [X[:20], X[20:]]]
    fickle = chunked(lambda: iter(blocks.pop(0)))
    with pytest.raises(ValueError, match="Block 0 of the generator is not the one of the first pass"):
        fickle.linear().norms()


def test_a_column_with_nan_is_named(tmp_path):
    bad = X.copy()
    bad[33, 2] = np.nan
    with pytest.raises(ValueError, match="Column 2 contains NaN or infinity"):
        chunked(bad, chunk_rows=10).linear().represent(np.ones((N, 1)))


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_of_columns_whose_sums_are_not_finite_the_first_is_named():
    large = X.copy()
    large[:, 1] = large[:, 3] = 1e20
    with pytest.raises(ValueError, match="Column 1 contains NaN or infinity"):
        chunked(large, chunk_rows=10).linear().represent(np.full((N, 1), 1e300))


def test_rows_of_equal_chunks_and_no_rows_at_all():
    for n_rows, starts in ((10, [0, 4, 8, 10]), (8, [0, 4, 8]), (0, [0, 0])):
        assert_array_equal(RowLayout.evenly(n_rows, 4, 3, np.dtype(float)).starts, starts)
