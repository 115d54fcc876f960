"""The real files: shapes, class counts and published splits as their sources state them."""

import gzip

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from semisvm import datasets
from semisvm.datasets import origins, storage

pytestmark = pytest.mark.data

MAC_WINDOWS = ("comp.sys.mac.hardware", "comp.os.ms-windows.misc")
LOADS = [
    ("load_g50c", {}, (550, 50), [275, 275], {50: 10}),
    ("load_g10n", {}, (550, 10), [276, 274], {50: 10}),
    ("load_text", {}, (1946, 7511), [961, 985], {50: 10}),
    ("load_uspst", {}, (2007, 256), [327, 273, 206, 178, 196, 140, 174, 173, 160, 180], {50: 10}),
    ("load_uspst", {"binary": True}, (2007, 256), [1180, 827], {50: 10}),
    ("load_usps", {}, (9298, 256), [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821], {}),
    ("load_usps", {"classes": (2, 5)}, (1645, 256), [929, 716], {}),
    ("load_mnist", {"classes": (3, 8)}, (13966, 784), [7141, 6825], {}),
    ("load_coil20", {}, (1440, 1024), [72] * 20, {}),
    ("load_coil20", {"binary": True}, (1440, 1024), [720, 720], {}),
    ("load_coil20", {"classes": (3, 6)}, (144, 1024), [72, 72], {}),
    ("load_coil3", {}, (216, 1024), [72] * 3, {}),
    ("load_ssl", {"name": "digit1"}, (1500, 241), [766, 734], {10: 12, 100: 12}),
    ("load_ssl", {"name": "usps"}, (1500, 241), [1200, 300], {10: 12, 100: 12}),
    ("load_ssl", {"name": "coil2"}, (1500, 241), [750, 750], {10: 12, 100: 12}),
    ("load_ssl", {"name": "coil"}, (1500, 241), [250] * 6, {10: 12, 100: 12}),
    ("load_ssl", {"name": "bci"}, (400, 117), [200, 200], {10: 12, 100: 12}),
    ("load_ssl", {"name": "g241c"}, (1500, 241), [750, 750], {10: 12, 100: 12}),
    ("load_ssl", {"name": "g241d"}, (1500, 241), [752, 748], {10: 12, 100: 12}),
    ("load_ssl", {"name": "text"}, (1500, 11960), [750, 750], {10: 12, 100: 12}),
    ("load_ssl", {"name": "secstr"}, (83679, 315), [47856, 35823], {100: 10, 1000: 10, 10000: 10}),
    ("load_uci", {"name": "australian"}, (690, 14), [383, 307], {}),
    ("load_uci", {"name": "heart_statlog"}, (270, 13), [150, 120], {}),
    ("load_uci", {"name": "house_votes_84"}, (435, 16), [267, 168], {}),
    ("load_uci", {"name": "house"}, (232, 16), [124, 108], {}),
    ("load_uci", {"name": "optdigits"}, (5620, 64), [554, 571, 557, 572, 568, 558, 558, 566, 554, 562], {}),
    ("load_uci", {"name": "pendigits"}, (10992, 16), [1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055], {}),
    ("load_uci", {"name": "satimage"}, (6435, 36), [1533, 703, 1358, 626, 707, 1508], {}),
    ("load_uci", {"name": "vehicle"}, (846, 18), [218, 212, 217, 199], {}),
    ("load_uci", {"name": "wdbc"}, (569, 30), [212, 357], {}),
    ("load_a9a", {}, (48842, 123), [37155, 11687], {}),
    ("load_isolet", {"groups": (1,)}, (1560, 617), [60] * 26, {}),
    ("load_isolet", {"classes": "BCDEGPTVZ"}, (1080, 617), [120] * 9, {}),
    ("load_orl_faces", {}, (400, 1024), [10] * 40, {}),
    ("load_pcmac", {}, (1943, 3289), [961, 982], {}),
    ("load_newsgroups", {"classes": MAC_WINDOWS, "features": "text"}, (1948,), [963, 985], {}),
    ("load_ag_news", {"features": "text"}, (15600,), [3900] * 4, {}),
    ("load_webkb", {"features": "text"}, (3143,), [712, 843, 365, 1223], {}),
    ("load_trec", {"features": "text"}, (5952,), [1300, 1344, 95, 1288, 916, 1009], {}),
    ("load_sst2", {"features": "text"}, (70042,), [31120, 38922], {}),
    ("load_sst_fine", {"features": "text"}, (11855,), [1510, 3140, 2242, 3111, 1852], {}),
    ("load_movie_reviews", {"features": "text"}, (10662,), [5331, 5331], {}),
    ("load_imdb", {"features": "text"}, (50000,), [25000, 25000], {}),
    ("load_table", {"name": "balance"}, (625, 4), [49, 288, 288], {}),
    ("load_table", {"name": "hypothyroid"}, (2000, 33), [103, 1897], {}),
    ("load_table", {"name": "adult", "as_frame": True}, (2000, 14), [1523, 477], {}),
]


@pytest.mark.parametrize(("loader", "arguments", "shape", "counts", "splits"), LOADS)
def test_shape_classes_and_splits(loader, arguments, shape, counts, splits):
    loaded = getattr(datasets, loader)(**arguments)
    assert loaded.X.shape == shape
    assert np.bincount(loaded.y).tolist() == counts
    assert len(loaded.classes) == len(counts)
    assert loaded.license
    assert {n_labeled: len(rows) for n_labeled, rows in loaded.splits.items()} == splits
    for n_labeled, published in loaded.splits.items():
        for rows in published:
            assert len(np.unique(rows)) == n_labeled
            assert 0 <= rows.min() <= rows.max() < shape[0]


def test_every_file_is_at_hand():
    assert [entry.file.name for entry in datasets.catalog() if not entry.present] == []


def test_labeled_and_unlabeled_rows_of_the_published_splits_complete_each_other():
    for name in ("lds_g50c", "lds_g10n", "lds_text", "lds_uspst"):
        arrays = storage.read_arrays(f"{name}.npz")
        for labeled, unlabeled in zip(arrays["idx_labelled"], arrays["idx_unlabelled"], strict=True):
            assert sorted([*labeled, *unlabeled]) == list(range(len(arrays["y"])))


def test_scales_of_the_papers():
    assert datasets.load_coil20(scale=255).X.max() == pytest.approx(255, abs=1)
    assert datasets.load_coil20().X.max() == pytest.approx(1, abs=0.01)
    assert datasets.load_coil3().X.max() > 200
    assert np.abs(datasets.load_uspst().X).max() == pytest.approx(0.9375)
    digits = datasets.load_usps()
    assert (digits.X.min(), digits.X.max()) == pytest.approx((0, 1), abs=1e-3)
    assert datasets.load_mnist(classes=(0, 1)).X.max() == pytest.approx(1)
    for text in (datasets.load_text(), datasets.load_ssl("text"), datasets.load_pcmac().with_unit_rows()):
        assert sparse.linalg.norm(text.X, axis=1) == pytest.approx(np.ones(len(text.y)), abs=1e-5)


def test_published_g50c_is_the_generated_one():
    published = datasets.load_g50c()
    means = [published.X[published.y == one].mean(axis=0) for one in (0, 1)]
    assert np.linalg.norm(means[1] - means[0]) == pytest.approx(2 * 1.6449, abs=0.3)
    assert np.mean((published.X.sum(axis=1) > 0) != published.y) == pytest.approx(0.05, abs=0.03)


def test_the_three_cars_are_hard_to_tell_apart():
    # Objects 3, 6 and 19 are cars: seen from one side they are nearer to each other than to themselves turned.
    objects = datasets.load_coil20()
    views = objects.X.reshape(20, 72, -1)
    across = np.linalg.norm(views[:, None] - views[None, :], axis=-1).mean(axis=-1) + 1e3 * np.eye(20)
    cars = np.array([3, 6, 19]) - 1
    for car in cars:
        assert set(np.argsort(across[car])[:2]) == set(cars) - {car}


def test_secstr_codes_one_letter_per_place():
    proteins = datasets.load_ssl("secstr")
    assert proteins.X.sum() == 15 * 83679
    raw = storage.read_arrays("ssl_secstr.npz")["T"]
    np.testing.assert_array_equal(proteins.X[[5]].indices - 21 * np.arange(15), raw[5])


def test_imdb_vectors_end_with_unlabeled_rows():
    reviews = datasets.load_imdb(features="glove")
    assert reviews.X.shape == (100_000, 100)
    assert np.unique(reviews.y, return_counts=True)[1].tolist() == [50_000, 25_000, 25_000]
    assert (reviews.y[50_000:] == -1).all()
    assert reviews.n_train == 25_000


def test_cifar10_and_reuters():
    images = datasets.load_cifar10()
    assert images.X.shape == (20000, 128)
    assert images.n_train == 15000
    wires = datasets.load_reuters(classes=("earn", "acq"))
    assert wires.classes.tolist() == ["earn", "acq"]
    assert wires.n_train == 2840 + 1596
    assert sparse.linalg.norm(wires.X, axis=1) == pytest.approx(np.ones(len(wires.y)), abs=1e-5)


@pytest.mark.parametrize("name", ["lds_g50c.npz", "lds_text.npz", "lds_uspst.npz"])
def test_lds_originals_give_the_compact_files(tmp_path, name):
    arrays = storage.read_arrays(name)
    X = arrays.get("X")
    if X is None:
        parts = (arrays["data"].astype(float), arrays["indices"], arrays["indptr"])
        X = sparse.csc_array(sparse.csr_array(parts, shape=tuple(arrays["shape"])))
    original = {"X": X, "y": arrays["y"][:, None].astype(float)}
    for theirs, ours in (("idxLabs", "idx_labelled"), ("idxUnls", "idx_unlabelled")):
        original[theirs] = arrays[ours].astype(float) + 1
    savemat(tmp_path / "original.mat", original)
    made = origins.FORMATS["lds"]([(tmp_path / "original.mat").read_bytes()])
    assert origins.content_digest(made) == storage.data_files()[name].content


def test_mnist_originals_give_the_compact_file():
    arrays = storage.read_arrays("mnist.npz")
    files = []
    for part in ("train", "test"):
        images, labels = arrays[f"X_{part}"], arrays[f"y_{part}"]
        sizes = np.array([2051, len(images), 28, 28], dtype=">i4").tobytes()
        files.append(gzip.compress(sizes + images.tobytes(), compresslevel=1))
        files.append(gzip.compress(np.array([2049, len(labels)], dtype=">i4").tobytes() + labels.tobytes()))
    made = origins.FORMATS["idx"](files)
    assert origins.content_digest(made) == storage.data_files()["mnist.npz"].content


def test_libsvm_originals_give_the_compact_file():
    people = datasets.load_a9a()
    texts = []
    for rows in (slice(0, people.n_train), slice(people.n_train, None)):
        part, labels = people.X[rows], people.classes[people.y[rows]]
        bounds = zip(part.indptr[:-1], part.indptr[1:], labels, strict=True)
        lines = [f"{label:+d} " + " ".join(f"{j + 1}:1" for j in part.indices[a:b]) for a, b, label in bounds]
        texts.append("\n".join(lines).encode())
    made = origins.FORMATS["libsvm"](texts)
    assert origins.content_digest(made) == storage.data_files()["a9a.npz"].content


def test_tables_keep_their_cells_and_their_names():
    frame = datasets.load_table("adult", as_frame=True)
    assert list(frame.X.columns[:2]) == ["age", "workclass"]
    assert "class" not in frame.X.columns
    assert frame.X.isna().to_numpy().sum() == 243
    poor = frame.only("<=50K")
    assert poor.X.shape == (1523, 14)
    assert len(datasets.table_names()) == 41
    with pytest.raises(ValueError, match="load_table knows no table 'titanic': choose one of adult, appendicitis"):
        datasets.load_table("titanic")
