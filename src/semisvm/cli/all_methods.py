"""`semisvm demo --all-methods`: every method on two small sets."""

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from semisvm.cli.terminal import progress, show

if TYPE_CHECKING:
    import numpy as np

DEMO_SECONDS = 75.0
_ONLY_FOR_SMALL_SETS = ("BranchAndBoundS3VM", "SDPRelaxationS3VM")


@dataclass(frozen=True, eq=False)
class DemoSet:
    """Rows with all their true labels. A method sees the labels of the rows ``labeled`` only."""

    X: "np.ndarray"
    y: "np.ndarray"
    labeled: "np.ndarray"

    @property
    def unlabeled(self) -> "np.ndarray":
        import numpy as np

        return np.setdiff1d(np.arange(len(self.y)), self.labeled)


@dataclass(frozen=True)
class _DemoFit:
    """The result of one estimator on one set; ``remark`` is the error message of a fit that failed."""

    error_pct: float | None
    seconds: float
    remark: str


def all_methods(as_json: bool = False) -> None:
    """Train every method on two small sets with few labels and print its error on the unlabeled rows."""
    sets = demo_sets()
    methods = demo_methods()
    deadline = time.monotonic() + DEMO_SECONDS
    found: dict[str, list[_DemoFit]] = {}
    with progress("demo", len(methods) * len(sets)) as advance:
        for place, (name, make) in enumerate(methods):
            fits = found.setdefault(name, [])
            for number, data in enumerate(sets.values()):
                left = (len(methods) - place) * len(sets) - number
                fits.append(_demo_fit(make, data, seconds=max(0.2, (deadline - time.monotonic()) / left)))
                advance()
    if as_json:
        results = [
            {"method": name, **{data: asdict(fit) for data, fit in zip(sets, fits, strict=True)}}
            for name, fits in found.items()
        ]
        print(json.dumps(results, indent=1))
        return
    lines = [(name, *(text for fit in fits for text in _texts(fit))) for name, fits in found.items()]
    for name, data in sets.items():
        n, l = len(data.y), len(data.labeled)
        print(
            f"{name}: {n} rows, {len(set(data.y.tolist()))} classes, {l} labels; error in % on the other {n - l} rows"
        )
    print()
    show(("method", *(text for name in sets for text in (name, "seconds"))), lines)
    if any("*" in text for line in lines for text in line):
        print("* with a warning, most often that the time of the demonstration ran out")


def demo_sets() -> "dict[str, DemoSet]":
    from sklearn.datasets import load_digits

    from semisvm.datasets import labeled_splits, make_g50c

    X, y = make_g50c(random_state=0)
    digits, classes = load_digits(return_X_y=True)
    digits, classes = digits[:600] / 16, classes[:600]
    return {
        "g50c": DemoSet(X, y, labeled_splits(y, per_class=10, n_splits=1)[0]),
        "digits": DemoSet(digits, classes, labeled_splits(classes, per_class=2, n_splits=1)[0]),
    }


def demo_methods() -> list[tuple[str, Callable[..., Any]]]:
    """Every classifier that learns from labels of all classes and handles a few hundred rows; supervised ones first."""
    from sklearn.base import ClassifierMixin

    import semisvm
    from semisvm.estimators.from_positives import FromPositives

    found = [(name, getattr(semisvm, name)) for name in semisvm.__all__ if name not in _ONLY_FOR_SMALL_SETS]
    classifiers = [
        (name, one)
        for name, one in found
        if isinstance(one, type) and issubclass(one, ClassifierMixin) and not issubclass(one, FromPositives)
    ]
    return sorted(classifiers, key=lambda method: (not method[0].startswith("Supervised"), method[0]))


def _demo_fit(make: Callable[..., Any], data: "DemoSet", seconds: float) -> _DemoFit:
    import numpy as np

    from semisvm.datasets import hide_labels

    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = make(random_state=0, time_limit=seconds).fit(data.X, hide_labels(data.y, data.labeled))
        except Exception as error:
            return _DemoFit(None, time.perf_counter() - begin, f"failed: {error}")
    wrong = np.asarray(model.transduction_)[data.unlabeled] != data.y[data.unlabeled]
    return _DemoFit(100 * float(np.mean(wrong)), time.perf_counter() - begin, "*" if caught else "")


def _texts(fit: _DemoFit) -> tuple[str, str]:
    error = fit.remark if fit.error_pct is None else f"{fit.error_pct:.1f}{fit.remark}"
    return error, f"{fit.seconds:.2f}"
