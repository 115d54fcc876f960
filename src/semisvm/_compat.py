"""The one place that knows which scikit-learn is installed, and the only one that imports its private names."""

import numpy as np
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as effective_threads
from sklearn.utils.metaestimators import _safe_split as split_rows
from sklearn.utils.validation import _check_sample_weight

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9 there are no callbacks to support

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callback protocol."""

        def _init_callback_context(self, **_):
            return None

    def with_callbacks(method):
        return method


def check_sample_weight(sample_weight, X, dtype):
    """One non-negative weight per row of X, in a new array; ones where none are given."""
    return np.array(_check_sample_weight(sample_weight, X, dtype=dtype, ensure_non_negative=True))


__all__ = [
    "CallbackSupportMixin",
    "check_sample_weight",
    "effective_threads",
    "split_rows",
    "take_rows",
    "with_callbacks",
]
