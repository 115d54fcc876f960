"""The one place that knows which scikit-learn is installed."""

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9 there are no callbacks to support

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callback protocol."""

        def _init_callback_context(self, **_):
            return None

    def with_callbacks(method):  # type: ignore[misc]
        return method


__all__ = ["CallbackSupportMixin", "with_callbacks"]
