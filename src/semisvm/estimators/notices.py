"""Warnings that point at the user's own line, however many calls lie between."""

import sys
import warnings

INSIDE = ("semisvm", "sklearn", "joblib")
"""Packages whose lines are not the user's."""


def notice(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as the nearest caller outside this package and scikit-learn."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in INSIDE:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)
