"""What the papers say, each statement with a verdict from our records, or with the reason why it is not judged."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files as package_files

from semisvm_papers.claim_checks import Check, Measured, NoRecordError, find
from semisvm_papers.claim_settings import Declared, Setting, find_setting

PAPERS = {
    "QN": "quasi-Newton S3VM",
    "SO": "survey",
    "MM": "label means",
    "CT": "CCCP-TSVM",
    "LP": "Laplacian SVM",
}
"""The papers by the letters that their statements begin with."""
REASONS: Mapping[str, str] = {
    "setting": "says how an experiment was set up, and nothing of ours is held against it",
    "machine": "is of the paper's computer, or an absolute time on it",
    "theory": "is a cost or a bound in theory, which no run decides",
    "quoted": "is taken from another paper",
    "no data": "its data are not to be had",
    "no measure": "does not say how it was measured",
    "not run": "needs a run that has no record",
}
"""The closed list of reasons not to judge a statement."""


class Judged(Enum):
    """The verdict on a statement; the value is the text for it."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    FOLLOWED = "followed"
    NOT_FOLLOWED = "not followed"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Claim:
    """One statement: a check of a result, the setting of an experiment, or a reason not to judge it."""

    id: str
    says: str
    number: float | None = None
    unit: str = ""
    check: Check | None = None
    setting: Setting | None = None
    not_judged: str | None = None

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.check, self.setting, self.not_judged)) != 1:
            raise ValueError(f"The statement {self.id} needs one of a check, a setting and a reason in not_judged.")
        if self.not_judged is not None and self.not_judged not in REASONS:
            raise ValueError(f"not_judged = {self.not_judged!r} of {self.id} is no reason: use {', '.join(REASONS)}.")

    @property
    def printed(self) -> str:
        """The number and its unit."""
        return "" if self.number is None else f"{self.number:g} {self.unit}".strip()


@dataclass(frozen=True)
class JudgedClaim:
    """A statement with its verdict, and our figure or the reason."""

    claim: Claim
    verdict: Judged
    ours: str = ""
    reason: str | None = None


def list_claims() -> list[Claim]:
    """All statements, in the order of the papers."""
    text = package_files(__package__).joinpath("claims.toml").read_text(encoding="utf-8")
    return [_claim(entry) for entry in tomllib.loads(text)["claim"]]


def judged_claims(claims: Iterable[Claim], measured: Measured, declared: Declared | None = None) -> list[JudgedClaim]:
    """Every statement with its verdict."""
    return [_judged(claim, measured, declared or Declared()) for claim in claims]


def claims_sentence(judged: Sequence[JudgedClaim]) -> str:
    """How many statements hold, and why the others are not judged."""
    counts = {verdict: sum(one.verdict is verdict for one in judged) for verdict in Judged}
    reasons = {name: sum(one.reason == name for one in judged) for name in REASONS}
    why = ", ".join(f"{number} {name}" for name, number in reasons.items() if number)
    n_settings = counts[Judged.FOLLOWED] + counts[Judged.NOT_FOLLOWED]
    return (
        f"Of {len(judged)} statements of the papers {counts[Judged.HOLDS]} hold and {counts[Judged.DOES_NOT_HOLD]} do "
        f"not hold; of {n_settings} that say how an experiment was set up, our runs follow {counts[Judged.FOLLOWED]}; "
        f"{counts[Judged.NOT_JUDGED]} are not judged" + (f" ({why})." if why else ".")
    )


def _judged(claim: Claim, measured: Measured, declared: Declared) -> JudgedClaim:
    if claim.setting is not None:
        return _judged_setting(claim, claim.setting, declared)
    if claim.check is None:
        return JudgedClaim(claim, Judged.NOT_JUDGED, reason=claim.not_judged)
    try:
        finding = find(claim.check, claim.number, measured)
    except NoRecordError:
        return JudgedClaim(claim, Judged.NOT_JUDGED, reason="not run")
    return JudgedClaim(claim, Judged.HOLDS if finding.holds else Judged.DOES_NOT_HOLD, finding.ours)


def _judged_setting(claim: Claim, setting: Setting, declared: Declared) -> JudgedClaim:
    found = find_setting(setting, claim.number, declared)
    if found is None:
        return JudgedClaim(claim, Judged.NOT_JUDGED, reason="not run")
    return JudgedClaim(claim, Judged.FOLLOWED if found.followed else Judged.NOT_FOLLOWED, found.ours)


def _claim(entry: dict) -> Claim:
    check, setting = entry.pop("check", None), entry.pop("setting", None)
    return Claim(
        check=None if check is None else Check(**check),
        setting=None if setting is None else Setting(**setting),
        **entry,
    )
