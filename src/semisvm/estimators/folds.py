"""Noticing cross-validation that tests on unlabeled rows."""

import sys
import warnings
from types import FrameType
from weakref import WeakSet

FRAMES = 60
"""Calls between a search of scikit-learn and an estimator's `score`, at most."""
_warned: WeakSet = WeakSet()
"""Splitters with a warning. Every fold calls again, and scikit-learn resets the record of shown warnings each time."""


def warn_inside_cross_validation() -> None:
    """Warn, once for all folds, if cross-validation of scikit-learn calls `score`."""
    frames = [
        frame for frame in _callers() if frame.f_globals.get("__name__", "").startswith("sklearn.model_selection")
    ]
    if not frames:
        return
    # The splitter is the one object that all folds of a search share, and no public call leads to it from `score`: it
    # is read from the local variables of the search. Where a version names them otherwise, every fold warns.
    held = [frame.f_locals.get(name) for frame in frames for name in ("cv_orig", "cv")]
    splitters = [splitter for splitter in held if splitter is not None and not isinstance(splitter, int)]
    if any(splitter in _warned for splitter in splitters):
        return
    _warned.update(splitters)
    place = frames[-1]
    warnings.warn_explicit(
        "A test fold holds unlabeled rows, which are missing in training and say nothing in a test: pass "
        "cv=semisvm.model_selection.LabeledKFold() to fold the labels and train with every unlabeled row.",
        UserWarning,
        place.f_code.co_filename,
        place.f_lineno,
        registry=place.f_globals.setdefault("__warningregistry__", {}),
    )


def _callers() -> list[FrameType]:
    """The calls that lead here, the nearest first."""
    frames: list[FrameType] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and len(frames) < FRAMES:
        frames.append(frame)
        frame = frame.f_back
    return frames
