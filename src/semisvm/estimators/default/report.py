"""What the default did, why, and whether the unlabeled rows helped, in words and as a dictionary."""

from dataclasses import asdict, dataclass

import numpy as np

ENOUGH_LABELS = 20
"""Labels from which counting the errors on them says something."""


@dataclass(frozen=True)
class KernelShare:
    """One kernel of the average and how much it counted."""

    kernel: str
    weight: float
    left_out_residual: float


@dataclass(frozen=True)
class Comparison:
    """The model beside one that saw the labeled rows alone, prepared alike."""

    n_unlabeled: int
    n_changed: int
    """Unlabeled rows whose class differs between the two."""
    n_judged: int
    """Labels that both models predicted without having seen them; 0 where there are too few."""
    supervised_errors: int | None
    semi_supervised_errors: int | None

    @classmethod
    def of(
        cls, ours: np.ndarray, baseline: np.ndarray, given: np.ndarray, left_out: tuple[np.ndarray, np.ndarray]
    ) -> "Comparison":
        """ours, baseline: classes of the unlabeled rows; left_out: those of the labeled rows, ours first."""
        changed = int(np.count_nonzero(ours != baseline))
        if len(given) < ENOUGH_LABELS:
            return cls(len(ours), changed, 0, None, None)
        errors = [int(np.count_nonzero(one != given)) for one in left_out]
        return cls(len(ours), changed, len(given), errors[1], errors[0])

    @property
    def verdict(self) -> str:
        if not self.n_unlabeled:
            return "There were no unlabeled rows to learn from."
        changed = f"{self.n_changed:,} of {self.n_unlabeled:,} unlabeled rows ({self.n_changed / self.n_unlabeled:.0%})"
        change = f"The unlabeled rows changed the class of {changed} against the supervised baseline."
        if self.supervised_errors is None or self.semi_supervised_errors is None:
            return f"{change} With fewer than {ENOUGH_LABELS} labels nothing can be said about whether that helped."
        counted = (
            f"of {self.n_judged:,} labels, each predicted without itself, {self.semi_supervised_errors:,} came out "
            f"wrong with unlabeled rows and {self.supervised_errors:,} without"
        )
        gain = self.supervised_errors - self.semi_supervised_errors
        # twice the standard deviation of a difference of so many errors
        certain = 2.0 * np.sqrt(max(1, self.supervised_errors + self.semi_supervised_errors))
        if abs(gain) <= certain:
            return f"{change} No clear sign that it helped or hurt: {counted}."
        helped = "It likely helped" if gain > 0 else 'It likely hurt, so look at method="supervised" too'
        return f"{change} {helped}: {counted}."


@dataclass(frozen=True)
class Report:
    """str(report) is for people, as_dict() for programs."""

    method: str
    n_labeled: int
    n_unlabeled: int
    classes: tuple
    shares: tuple[float, ...]
    """Expected share of each class among the unlabeled rows."""
    preparations: tuple[str, ...]
    kernels: tuple[KernelShare, ...]
    """Those that count, the most important first."""
    n_kernels: int
    """Those that were tried."""
    comparison: Comparison
    seconds: float

    def as_dict(self) -> dict:
        return {**asdict(self), "verdict": self.comparison.verdict}

    def line(self) -> str:
        """One line for a log."""
        leading = f", most on {self.kernels[0].kernel}" if self.kernels else ""
        return (
            f"S3VM(method={self.method!r}): {self.n_labeled:,} labeled and {self.n_unlabeled:,} unlabeled rows, "
            f"{len(self.kernels)} of {self.n_kernels} kernels{leading}, {self.seconds:.2f} s. {self.comparison.verdict}"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and all the rest below it."""
        from html import escape

        told = self.as_dict()["verdict"]
        rest = f"<details><summary>How it was done</summary><pre>{escape(str(self))}</pre></details>"
        return f"<p><b>{escape(told)}</b></p>{rest}"

    def __str__(self) -> str:
        shares = ", ".join(f"{c} {s:.0%}" for c, s in zip(self.classes, self.shares, strict=True))
        lines = [
            f"{self.n_labeled:,} labeled and {self.n_unlabeled:,} unlabeled rows, {len(self.classes)} classes; "
            f"expected among the unlabeled: {shares}.",
            f"Prepared as: {'; '.join(self.preparations)}.",
        ]
        if self.method == "auto":
            lines.append(
                f"Averaged a gradient S3VM, and half as much a supervised SVM, over {len(self.kernels)} of "
                f"{self.n_kernels} kernels, weighed by how well each predicts a label without seeing it and "
                "by how often its models agree with the average:"
            )
            lines += [f"  {k.weight:5.1%}  {k.kernel} (residual {k.left_out_residual:.2f})" for k in self.kernels]
        else:
            lines.append(f"Method: {self.method}, on {self.kernels[0].kernel}.")
        return "\n".join([*lines, self.comparison.verdict, f"{self.seconds:.2f} s."])
