"""What the report of a model says of the rows that it filled in."""

from dataclasses import dataclass
from typing import Any

from semisvm.cli.wording import as_option


@dataclass(frozen=True)
class Facts:
    """What to expect of the filled cells, in a sentence and in numbers."""

    verdict: str
    shares: tuple[float, ...]
    """Of the classes among the unlabeled rows, as expected."""
    intervals: tuple[tuple[float, float], ...]
    """80 % intervals of these shares."""
    n_changed: int
    """Unlabeled rows whose class differs from what the labels alone would say."""
    n_judged: int
    """Labels that were predicted by models that had not seen them."""
    expected_error: float | None
    expected_interval: tuple[float, float] | None
    baselines: dict[str, float]
    """Expected error of simpler ways, by their names."""


def facts_of(report: Any) -> Facts:
    """From the dictionary of a report."""
    content = report.as_dict()
    shares = tuple(float(one["expected"]) for one in content["shares"])
    verdict = as_option(str(content["verdict"]))
    interval = content["expected_interval"]
    return Facts(
        verdict,
        shares,
        tuple((float(one["low"]), float(one["high"])) for one in content["shares"]),
        content["n_changed"],
        content["n_judged"],
        content["expected_error"],
        None if interval is None else (float(interval[0]), float(interval[1])),
        {str(name): float(error) for name, error in content["baselines"].items()},
    )
