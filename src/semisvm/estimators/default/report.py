"""What the default did, why, and what may be expected of it, in words and as a dictionary."""

from dataclasses import asdict, dataclass, field

from semisvm.estimators.default.evidence import COVERAGE, ENOUGH_LABELS, Evidence
from semisvm.estimators.default.families import LABELS_ALONE, SUPERVISED

COMMONEST = "commonest class"
FEW_LABELS_MEANT = "on recorded tables and sets, 10 to 15 labels meant errors of 7 to 43 % (middle 80 %)."


@dataclass(frozen=True)
class KernelShare:
    """One label-free kernel and its share of the averages over kernels."""

    kernel: str
    weight: float
    left_out_residual: float


@dataclass(frozen=True)
class ClassShare:
    """One class among the unlabeled rows: its expected share with an interval, the share filled in, its labels."""

    expected: float
    low: float
    high: float
    obtained: float
    n_labels: int


@dataclass(frozen=True)
class Expectation:
    """What may be expected of the filled cells; every figure comes from models that had not seen the label."""

    n_judged: int = 0
    """Labels that were predicted by such models."""
    error: float | None = None
    interval: tuple[float, float] | None = None
    baselines: dict[str, float] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    helped: bool | None = None

    @classmethod
    def of(cls, evidence: Evidence, largest_share: float) -> "Expectation":
        baselines = {name: evidence.expected_error(name) for name in SUPERVISED if name in evidence.weights}
        return cls(
            n_judged=evidence.n_judged,
            error=evidence.expected_error(),
            interval=evidence.interval,
            baselines={
                **{name: error for name, error in baselines.items() if error is not None},
                COMMONEST: 1.0 - largest_share,
            },
            used={name: w for name, w in sorted(evidence.weights.items(), key=lambda one: -one[1]) if w > 0},
            helped=evidence.unlabeled_rows_helped,
        )

    @property
    def supervised_share(self) -> float:
        """How much of the average never saw an unlabeled row."""
        return sum(weight for name, weight in self.used.items() if name in SUPERVISED)


@dataclass(frozen=True)
class Report:
    """str(report) is for people, as_dict() for programs."""

    method: str
    n_labeled: int
    n_unlabeled: int
    classes: tuple
    shares: tuple[ClassShare, ...]
    preparations: tuple[str, ...]
    kernels: tuple[KernelShare, ...]
    """Those that count, the most important first."""
    n_kernels: int
    """Those that were tried."""
    n_changed: int | None
    """Unlabeled rows whose class differs from what the labels alone would say; None where Ctrl-C came before that."""
    expectation: Expectation | None
    """None where a method was named."""
    seconds: float

    @property
    def expected_error(self) -> float | None:
        """Share of the unlabeled rows that is expected to be wrong; None where nothing can be said."""
        return None if self.expectation is None else self.expectation.error

    @property
    def expected_interval(self) -> tuple[float, float] | None:
        """80 % interval of the expected error."""
        return None if self.expectation is None else self.expectation.interval

    @property
    def baselines(self) -> dict[str, float]:
        """Expected error of other ways to fill the rows, by name."""
        return {} if self.expectation is None else self.expectation.baselines

    @property
    def used(self) -> dict[str, float]:
        """What the prediction rests on, with the share of each."""
        return {self.method: 1.0} if self.expectation is None else self.expectation.used

    @property
    def unlabeled_rows_helped(self) -> bool | None:
        """Whether the unlabeled rows clearly helped; None where the labels cannot decide it."""
        return None if self.expectation is None else self.expectation.helped

    @property
    def verdict(self) -> str:
        """What to expect of the filled cells."""
        if not self.n_unlabeled:
            return "There were no unlabeled rows to learn from."
        if self.expectation is None:
            return (
                f"{self._changed} The error of a method by name is not estimated: S3VM() does that, on labels that its "
                "models have not seen."
            )
        return f"{self._expected} {self._of_unlabeled_rows}"

    @property
    def _changed(self) -> str:
        if self.n_changed is None:
            return "The fit was interrupted before a model of the labels alone was trained to compare with."
        share = f"{self.n_changed:,} of {self.n_unlabeled:,} unlabeled rows ({self.n_changed / self.n_unlabeled:.0%})"
        return f"The unlabeled rows changed the class of {share} against the labels alone."

    @property
    def _expected(self) -> str:
        expected = self.expectation
        assert expected is not None
        if expected.error is None or expected.interval is None:
            few = f"{expected.n_judged} labels are too few to estimate the error, {ENOUGH_LABELS} are needed"
            return f"{few}; {FEW_LABELS_MEANT}"
        low, high = expected.interval
        return (
            f"Expect {_percent(expected.error)} % ({_percent(low)} to {_percent(high)}) of the filled cells to be "
            "wrong. "
            f"Guessing the commonest class: {_percent(expected.baselines[COMMONEST])}. "
            f"Labels alone: {_percent(expected.baselines[LABELS_ALONE])}."
        )

    @property
    def _of_unlabeled_rows(self) -> str:
        expected = self.expectation
        assert expected is not None
        if expected.helped is None:
            return "Whether the unlabeled rows helped cannot be known."
        if expected.helped:
            return (
                f"Unlabeled rows: they helped, and models that know them count for {1 - expected.supervised_share:.0%}."
            )
        return (
            f"Unlabeled rows: no clear gain, so models of the labels alone count for {expected.supervised_share:.0%}."
        )

    def as_dict(self) -> dict:
        content = asdict(self)
        del content["expectation"]
        return {
            **content,
            "n_judged": 0 if self.expectation is None else self.expectation.n_judged,
            "expected_error": self.expected_error,
            "expected_interval": self.expected_interval,
            "baselines": self.baselines,
            "used": self.used,
            "unlabeled_rows_helped": self.unlabeled_rows_helped,
            "verdict": self.verdict,
        }

    def line(self) -> str:
        """One line for a log."""
        return (
            f"S3VM(method={self.method!r}): {self.n_labeled:,} labeled and {self.n_unlabeled:,} unlabeled rows, "
            f"{self.seconds:.2f} s. {self.verdict}"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and all the rest below it."""
        from html import escape

        verdict = self.as_dict()["verdict"]
        rest = f"<details><summary>How it was done</summary><pre>{escape(str(self))}</pre></details>"
        return f"<p><b>{escape(verdict)}</b></p>{rest}"

    def __str__(self) -> str:
        lines = [
            self.verdict,
            f"{self.n_labeled:,} labeled and {self.n_unlabeled:,} unlabeled rows, {len(self.classes)} classes.",
        ]
        if self.n_unlabeled:
            lines.append("Class shares of the unlabeled rows (expected, 80 % interval, obtained):")
            lines += [
                f"  {name}: {s.expected:.1%} ({s.low:.1%} to {s.high:.1%}), {s.obtained:.1%}{_alone(s)}"
                for name, s in zip(self.classes, self.shares, strict=True)
            ]
        lines.append(f"Prepared as: {'; '.join(self.preparations)}.")
        if self.expectation is None:
            lines.append(f"Method: {self.method}, on {self.kernels[0].kernel}.")
        else:
            lines += ["What the prediction rests on:", *(f"  {w:5.1%}  {name}" for name, w in self.used.items())]
            lines.append(f"Label-free kernels that count, {len(self.kernels)} of {self.n_kernels}:")
            lines += [f"  {k.weight:5.1%}  {k.kernel} (residual {k.left_out_residual:.2f})" for k in self.kernels]
            lines += self._baseline_lines()
        return "\n".join([*lines, f"{self.seconds:.2f} s."])

    def _baseline_lines(self) -> list[str]:
        if self.expected_error is None:
            return []
        assert self.expectation is not None
        return [
            f"Expected error on {self.expectation.n_judged:,} labels that no model had seen, interval {COVERAGE:.0%}:",
            *(f"  {_percent(error):>3} %  {name}" for name, error in self.baselines.items()),
        ]


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def _alone(share: ClassShare) -> str:
    """A class that one label stands for, and how far it was filled."""
    if share.n_labels != 1:
        return ""
    return ", from one label" + (", filled beyond its interval" if share.obtained > share.high else "")
