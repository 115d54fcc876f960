"""Rewrite messages of estimators for the command: options for parameters, names for column numbers."""

import re
from collections.abc import Sequence

OPTIONS = {"method": "--method", "time_limit": "--time-limit", "ratio": "--ratio"}


def as_option(message: str) -> str:
    """method="supervised" becomes --method supervised."""
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
