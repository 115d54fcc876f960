"""What the report of a model says of the rows that it filled in."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli.wording import as_option

if TYPE_CHECKING:
    from semisvm.cli.filling import Tally
    from semisvm.estimators.default.evidence import Evidence


@dataclass(frozen=True)
class Facts:
    """What to expect of the filled cells, in a sentence and in numbers."""

    verdict: str
    shares: tuple[float, ...]
    """Expected shares of the classes among the unlabeled rows."""
    intervals: tuple[tuple[float, float], ...]
    """80 % intervals of these shares."""
    n_changed: int
    """Unlabeled rows that a supervised SVM on the labels would put into another class."""
    n_judged: int
    """Labels that were predicted by models that had not seen them."""
    expected_error: float | None
    expected_interval: tuple[float, float] | None
    baselines: dict[str, float]
    """Expected errors of simpler methods, by their names."""
    expected_error_of_all: float | None = None
    """The expected error if every row were filled; None where every row is."""


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


def facts_of_filled(facts: Facts, evidence: "Evidence", limits: np.ndarray, tally: "Tally") -> Facts:
    """What to expect where rows below `limits`, the least confidence of each class, were left blank.

    The error is estimated as for all rows: from the left-out labels whose confidence is above the limits, and from the
    confidence of the filled rows.
    """
    if facts.expected_error is None:
        return facts
    P = np.nan_to_num(np.asarray(evidence.probabilities))
    above = P.max(axis=1) >= limits[P.argmax(axis=1)]
    judged = replace(evidence, drawn=evidence.drawn & above, doubt=1.0 - tally.mean_confidence)
    error, interval = judged.expected_error(), judged.interval
    if not tally.n_filled:
        said = "No row is sure enough to be filled."
    elif error is None or interval is None:
        said = f"Too few labels ({judged.n_judged}) are as sure to estimate the error of the filled cells."
    else:
        low, high = interval
        said = (
            f"Expect {100 * error:.0f} % ({100 * low:.0f} to {100 * high:.0f}) of the {tally.n_filled:,} filled cells "
            "to be wrong."
        )
    return replace(
        facts,
        verdict=f"{said} If all {tally.n_filled + tally.n_left:,} blank rows were filled: {facts.verdict}",
        expected_error=error if tally.n_filled else None,
        expected_interval=interval if tally.n_filled else None,
        expected_error_of_all=facts.expected_error,
    )
