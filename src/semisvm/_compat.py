"""The one place that knows which scikit-learn is installed, and the only one that imports its private names."""

from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as effective_threads
from sklearn.utils.metaestimators import _safe_split as split_rows

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9 there are no callbacks to support

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callback protocol."""

        def _init_callback_context(self, **_):
            return None

    def with_callbacks(method):
        return method


__all__ = [
    "CallbackSupportMixin",
    "effective_threads",
    "split_rows",
    "take_rows",
    "with_callbacks",
]
