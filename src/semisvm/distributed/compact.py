"""Parts of losses as bytes, short where most of their numbers are equal.

Rows of a group, weights and labels are arrays of one number per row that hold little information: most rows are
consecutive, weights are equal, labels are one of two numbers. An array that is constant in every column
travels as one row, ascending row numbers and arrays of two values as a bit per row, all others as they are.
"""

import io
import pickle
from typing import Any

import numpy as np

SMALL = 512
"""Arrays of fewer bytes are sent as they are."""


def pack(value: Any) -> bytes:
    """The value as bytes, for `unpack`."""
    to = io.BytesIO()
    _Packer(to, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return to.getvalue()


def unpack(packed: bytes) -> Any:
    return pickle.loads(packed)  # what `pack` wrote in the same program


class _Packer(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is not np.ndarray or obj.nbytes <= SMALL or obj.dtype.kind not in "fi":
            return NotImplemented
        return _constant(obj) or _ascending(obj) or _two_values(obj) or NotImplemented


def _constant(a: np.ndarray) -> Any:
    first = a[:1]
    return (_repeat, (first.copy(), a.shape)) if (a == first).all() else None


def _ascending(a: np.ndarray) -> Any:
    if a.dtype.kind != "i" or a.ndim != 1 or not (np.diff(a) > 0).all():
        return None
    first, length = int(a[0]), int(a[-1] - a[0]) + 1
    if length > 8 * a.nbytes:
        return None
    mask = np.zeros(length, dtype=bool)
    mask[a - first] = True
    return _places, (np.packbits(mask), length, first, a.dtype)


def _two_values(a: np.ndarray) -> Any:
    one = a.flat[0]
    mask = a == one
    others = a[~mask]
    if not (others == others[0]).all():
        return None
    return _either, (np.packbits(mask), a.shape, np.array([others[0], one], dtype=a.dtype))


def _repeat(first: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(first, shape).copy()


def _places(bits: np.ndarray, length: int, first: int, dtype: np.dtype) -> np.ndarray:
    return (np.flatnonzero(np.unpackbits(bits, count=length)) + first).astype(dtype)


def _either(bits: np.ndarray, shape: tuple[int, ...], values: np.ndarray) -> np.ndarray:
    return values[np.unpackbits(bits, count=int(np.prod(shape)))].reshape(shape)
