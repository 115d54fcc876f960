"""How much longer an inner loop may go on."""

import time
from dataclasses import dataclass


class BudgetSpent(Exception):
    """Raised inside a loop that has no iterate to yield when its time is over."""


@dataclass(frozen=True)
class Budget:
    """A deadline on the monotonic clock; None never ends."""

    deadline: float | None = None

    @classmethod
    def of(cls, seconds: float | None) -> "Budget":
        return cls(None if seconds is None else time.monotonic() + seconds)

    @property
    def spent(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def check(self) -> None:
        if self.spent:
            raise BudgetSpent


UNLIMITED = Budget()
