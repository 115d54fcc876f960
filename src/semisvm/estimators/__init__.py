"""The methods as scikit-learn estimators. A module that defines a class and lists it in `__all__` offers it here."""

from importlib import import_module
from pathlib import Path
from typing import Any

from semisvm.discovery import offered

_WHERE = {
    **offered(Path(__file__).parent, __name__),
    "S3VM": "semisvm.estimators.default",
    "s3vm_objective": "semisvm.estimators.objective",
}
__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_WHERE[name]), name)
    return found
