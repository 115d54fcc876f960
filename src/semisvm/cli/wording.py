"""Rewrite messages of estimators for the command: options for parameters, names for column numbers."""

import re
from collections.abc import Sequence

OPTIONS = {"method": "--method", "time_limit": "--time-limit", "ratio": "--ratio"}
SENTENCES = {
    r" stopped at time_limit=(\S+) with stationarity .*": r" stopped at --time-limit \1, before its end: raise it.",
    r" stopped at max_iter=(\S+) with stationarity .*": r" stopped after \1 iterations, before its end.",
    r"( are available): .*\b(?:n_components|solver|rank|kernel)\b.*": (
        r"\1: train on fewer rows with --sample, or take --method auto."
    ),
    r"S3VM\(\) does that": "--method auto does that",
}
"""What Python's parameters would mend, and what mends it here."""


def as_option(message: str) -> str:
    """method="supervised" becomes --method supervised."""
    for said, instead in SENTENCES.items():
        message = re.sub(said, instead, message)
    for name, option in OPTIONS.items():
        message = re.sub(rf"\b{name}=[\"']?([\w.-]+)[\"']?", rf"{option} \1", message)
        message = re.sub(rf"(?<!-)\b{name}\b(?!-)" if "_" in name else rf"\braise {name}\b", option, message)
    return message


def in_words(message: str, feature_columns: Sequence[str]) -> str:
    """Replace the number of a feature by the name of its column."""

    def named(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"Column {feature_columns[number]!r}" if number < len(feature_columns) else found[0]

    return as_option(re.sub(r"\bColumn (\d+)\b", named, message))
