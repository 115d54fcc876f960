"""Turning original files, as their public sources offer them, into the arrays of the compact files.

Each format takes the bytes of the downloaded files, in the order of ``origins`` in files.toml, and returns named
arrays.  What comes out is compared with the known content before anything is stored, so a changed or mistaken
original is refused, never loaded.
"""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy import sparse

Arrays = dict[str, np.ndarray]


def content_digest(arrays: Mapping[str, np.ndarray]) -> str:
    """sha256 over names, types, shapes and values: independent of how the arrays are packed in a file."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name} {little.dtype.str} {arrays[name].shape}\n".encode())
        digest.update(little.tobytes())
    return digest.hexdigest()


def _from_lds(files: Sequence[bytes]) -> Arrays:
    """A .mat file of the low density separation archive: X, y and ten splits counted from 1."""
    from scipy.io import loadmat

    content = loadmat(io.BytesIO(files[0]))
    y = content["y"].ravel().astype(np.int8)
    splits = {
        "idx_labelled": (content["idxLabs"].astype(np.int64) - 1).astype(np.uint16),
        "idx_unlabelled": (content["idxUnls"].astype(np.int64) - 1).astype(np.uint16),
    }
    X = content["X"]
    if sparse.issparse(X):
        return {**_csr_parts(sparse.csr_array(X).astype(np.float32)), "y": y, **splits}
    whole_steps = np.array_equal(X, X.astype(np.float32))
    return {"X": X.astype(np.float32) if whole_steps else X, "y": y, **splits}


def _from_idx(files: Sequence[bytes]) -> Arrays:
    """The four gzipped idx files of MNIST: a big-endian header (16 bytes for images, 8 for labels), then bytes."""
    images, labels, test_images, test_labels = (gzip.decompress(one) for one in files)
    return {
        "X_train": np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784),
        "y_train": np.frombuffer(labels, np.uint8, offset=8),
        "X_test": np.frombuffer(test_images, np.uint8, offset=16).reshape(-1, 784),
        "y_test": np.frombuffer(test_labels, np.uint8, offset=8),
    }


def _from_libsvm(files: Sequence[bytes]) -> Arrays:
    """Training and test part in LIBSVM text form, binary columns counted from 1, stacked."""
    from sklearn.datasets import load_svmlight_files

    n_features = 123
    X_train, y_train, X_test, y_test = load_svmlight_files(
        [io.BytesIO(one) for one in files], n_features=n_features, zero_based=False
    )
    parts = _csr_parts(sparse.csr_array(sparse.vstack([X_train, X_test], format="csr")).astype(np.uint8))
    return {
        **parts,
        "indices": parts["indices"].astype(np.uint8),
        "y": np.concatenate([y_train, y_test]).astype(np.int8),
        "n_train": np.array(len(y_train), dtype=np.int64),
    }


def _from_scikit_learn(files: Sequence[bytes]) -> Arrays:
    """The breast cancer set that scikit-learn carries with it: nothing to download."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    return {
        "X": bunch.data.astype(np.float32),
        "y": bunch.target.astype(np.uint8),
        "classes": bunch.target_names.astype("<U9"),
    }


def _csr_parts(X: sparse.csr_array) -> Arrays:
    X.sort_indices()
    return {
        "data": X.data,
        "indices": X.indices.astype(np.int32),
        "indptr": X.indptr.astype(np.int32),
        "shape": np.array(X.shape, dtype=np.int64),
    }


FORMATS: Mapping[str, Callable[[Sequence[bytes]], Arrays]] = {
    "lds": _from_lds,
    "idx": _from_idx,
    "libsvm": _from_libsvm,
    "scikit-learn": _from_scikit_learn,
}
