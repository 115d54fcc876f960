"""How much each family is trusted, by what it said of labels that it had not seen.

Scores z of a family become probabilities p ~ exp(a z), where the slope a is the one that suits the left-out labels
best, with a normal prior on log a. The weight of a family follows its mean log-loss L on the left-out labels:

    w  proportional to  prior exp(-1/2 min(l, 30) (L - min L))

The prior of the S3VMs is 1 + 10 / l, four times as much on texts: the fewer labels there are, the less the left-out
ones can tell, and the more the unlabeled rows are worth. That of forests is 3/2, because a tree that leaves out a label
leaves out a third of the others as well; that of all others is 1.

The left-out probabilities of the average are honest: models, slopes and weights of a fold have seen none of its labels.
Slopes and weights of a fold come from models that leave out this fold and another one, and say something of the latter.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import beta

from semisvm.estimators.class_shares import shares_of_labels
from semisvm.estimators.default.families import (
    FORESTS,
    LABELS_ALONE,
    S3VMS,
    SMALLEST_PROBABILITY,
    SVMS,
    Family,
    Labeled,
)
from semisvm.estimators.default.label_sets import LabelSets, LeftOutLabels
from semisvm.estimators.default.settings import IMAGINED_LABELS

SHARPNESS, MOST_LABELS = 0.5, 30
LEAST_WEIGHT = 0.02
LOG_SLOPES = np.linspace(-3.0, 3.0, 25)
USUAL_LOG_SLOPE, DEVIATION = 0.3, 0.7
EARLY_TRUST, TRUST_ON_TEXTS, TRUST_IN_FORESTS = 10.0, 4.0, 1.5
OURS = "S3VM()"


@dataclass(frozen=True, eq=False)
class FamilyWeights:
    """Slope and weight of every family, (1 + folds, families): those of all labels, then those of each fold."""

    slopes: np.ndarray
    weights: np.ndarray
    cut: np.ndarray | None = None
    """What is taken off the scores of the average, where class shares settle it."""

    def average(self, scores: list[np.ndarray], place: int = 0) -> np.ndarray:
        """Probabilities of the average from the scores of every family."""
        parts = zip(self.weights[place], self.slopes[place], scores, strict=True)
        return self.moved(sum(weight * probabilities(z, slope) for weight, slope, z in parts if weight > 0))

    def moved(self, P: np.ndarray) -> np.ndarray:
        """p_c exp(-cut_c), of the second of two classes or of all, with a sum of one."""
        if self.cut is None:
            return P
        P = P * np.exp(-self.cut if P.shape[1] > 2 else np.array([0.0, -self.cut[0]]))
        return P / P.sum(axis=1, keepdims=True)


def probabilities(scores: np.ndarray, slope: float) -> np.ndarray:
    """(1 - e) softmax(a z) + e / k."""
    t = slope * scores
    t -= t.max(axis=1, keepdims=True)
    p = np.exp(t, out=t)
    p /= p.sum(axis=1, keepdims=True)
    p *= 1.0 - SMALLEST_PROBABILITY
    p += SMALLEST_PROBABILITY / p.shape[1]
    return p


def weigh(families: list[Family], sets: LabelSets, weights: np.ndarray, *, texts: bool) -> FamilyWeights:
    """From the left-out scores of every family; `weights` are those of the labels."""
    seen = LeftOutLabels(sets, weights)
    found = [_slopes_and_losses(family, seen) for family in families]
    slopes, losses = (np.stack(part, axis=1) for part in zip(*found, strict=True))
    prior = np.array([_prior(family, len(sets.codes), texts=texts) for family in families])
    w = _normalized(prior * _likelihood(losses, seen.n_labels))
    w[w < LEAST_WEIGHT] = 0.0
    return FamilyWeights(slopes, _normalized(w))


def _likelihood(losses: np.ndarray, n_labels: np.ndarray) -> np.ndarray:
    """exp(-1/2 min(l, 30) (L - min L)) of (sets, families)."""
    labels = np.minimum(n_labels, MOST_LABELS)[:, None]
    return np.exp(-SHARPNESS * labels * (losses - losses.min(axis=1, keepdims=True)))


def _normalized(w: np.ndarray) -> np.ndarray:
    return w / w.sum(axis=1, keepdims=True)


def _prior(family: Family, n_labels: int, *, texts: bool) -> float:
    if family.name == S3VMS:
        return (1.0 + EARLY_TRUST / n_labels) * (TRUST_ON_TEXTS if texts else 1.0)
    return TRUST_IN_FORESTS if family.name in FORESTS else 1.0


def _slopes_and_losses(family: Family, seen: LeftOutLabels) -> tuple[np.ndarray, np.ndarray]:
    """(slope, mean log-loss) for every set."""
    z = np.concatenate(family.left_out)
    codes = seen.sets.codes[seen.places]
    log_slopes = np.zeros(1) if family.probabilistic else LOG_SLOPES
    losses = np.array([-np.log(probabilities(z, np.exp(t))[np.arange(len(z)), codes]) for t in log_slopes])
    total = losses @ seen.counted.T
    doubt = 0.0 if family.probabilistic else (log_slopes - USUAL_LOG_SLOPE) ** 2 / (2.0 * DEVIATION**2)
    best = np.argmin(total + np.reshape(doubt, (-1, 1)), axis=0)
    sets = np.arange(len(best))
    return np.exp(log_slopes[best]), total[best, sets] / np.maximum(seen.n_labels, 1e-12)


# ---------------------------------------------------------------- what may be expected

OWN_WORTH = 30.0
"""The weight of the model's own doubt about the unlabeled rows, in labels."""
INDEPENDENT = 0.42
"""Share of the labels and of the model's doubt that counts as independent evidence: the interval covers as it says."""
COVERAGE = 0.8
ENOUGH_LABELS = 10
"""The least number of labels for an estimate by folds."""
CLEAR_GAIN = 1.25
"""Standard errors, sqrt(1 / 4l), by which the share of left-out labels that come out wrong is smaller."""
CLEAR_LEAD = 0.6
"""Weight of the S3VMs in the average."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What models that had not seen a label said of it."""

    rows: np.ndarray
    """Row numbers of the labels."""
    codes: np.ndarray
    probabilities: np.ndarray
    """(labels, classes) of the average."""
    wrong: dict[str, np.ndarray]
    """How often each label came out wrong, 0 to 1: by the average, "S3VM()", and by every family."""
    loss_of_shares: float
    """Mean log-loss of the class shares of the other folds."""
    weights: dict[str, float]
    """Share of every family in the average."""
    drawn: np.ndarray
    """Labels that were drawn at random; only these say what may be expected of other rows."""
    doubt: float
    """Mean of 1 - max P over the unlabeled rows."""

    @property
    def n_judged(self) -> int:
        return int(np.count_nonzero(self.drawn))

    @property
    def enough(self) -> bool:
        return self.n_judged >= ENOUGH_LABELS

    def expected_error(self, name: str = OURS) -> float | None:
        """Share of the unlabeled rows that is expected to come out wrong; None where there are too few labels."""
        if not self.enough:
            return None
        n, errors = self.n_judged, float(self.wrong[name][self.drawn].sum())
        # of the average: (errors + 30 doubt) / (n + 30)
        return (errors + OWN_WORTH * self.doubt) / (n + OWN_WORTH) if name == OURS else errors / n

    @property
    def interval(self) -> tuple[float, float] | None:
        """80 % interval of the expected error, from a beta distribution."""
        expected = self.expected_error()
        if expected is None:
            return None
        n = INDEPENDENT * (self.n_judged + OWN_WORTH)
        a, b = max(expected * n, 1e-6), max((1.0 - expected) * n, 1e-6)
        low, high = beta.ppf([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2], a, b)
        return float(low), float(high)

    @property
    def better_than_guessing(self) -> bool:
        """Whether the average has a smaller mean log-loss on the left-out labels than the class shares."""
        own = self.probabilities[np.arange(len(self.codes)), self.codes]
        return bool(-np.log(own).mean() < self.loss_of_shares)

    @property
    def unlabeled_rows_helped(self) -> bool | None:
        """Whether the left-out labels speak clearly for what knows the unlabeled rows.

        They do where the S3VMs lead the average, or where it clearly gains on the labels alone and half of it knows the
        unlabeled rows. None where there are too few labels, or no unlabeled rows.
        """
        if not self.enough or S3VMS not in self.weights:
            return None
        gain = np.mean(self.wrong[LABELS_ALONE][self.drawn] - self.wrong[OURS][self.drawn])
        gains = gain > CLEAR_GAIN * np.sqrt(0.25 / self.n_judged) and self.weights[SVMS] + self.weights[S3VMS] > 0.5
        return bool(self.better_than_guessing and (gains or self.weights[S3VMS] > CLEAR_LEAD))


def gather(
    families: list[Family], weights: FamilyWeights, labeled: Labeled, drawn: np.ndarray, doubt: float
) -> Evidence:
    """The average and every family, judged on the labels that folds leave out."""
    sets = labeled.sets
    uncut, folds = replace(weights, cut=None), range(sets.n_folds)
    of_folds = [uncut.average([family.left_out[place] for family in families], 1 + place) for place in folds]
    scores = {OURS: of_folds, **{family.name: family.left_out[: sets.n_folds] for family in families}}
    names = [family.name for family in families]
    return Evidence(
        rows=labeled.rows,
        codes=sets.codes,
        probabilities=sets.of_left_out(of_folds),
        wrong={name: _share_wrong(each, sets) for name, each in scores.items()},
        loss_of_shares=_loss_of_shares(sets),
        weights=dict(zip(names, weights.weights[0].tolist(), strict=True)),
        drawn=drawn,
        doubt=doubt,
    )


def _share_wrong(scores: list[np.ndarray], sets: LabelSets) -> np.ndarray:
    """Of the folds that leave a label out, the share that gets it wrong."""
    wrong = [np.argmax(z, axis=1) != sets.codes[fold] for z, fold in zip(scores, sets.folds, strict=True)]
    return sets.of_left_out([one[:, None].astype(float) for one in wrong])[:, 0]


def _loss_of_shares(sets: LabelSets) -> float:
    """Mean log-loss of the class shares of the other folds."""
    losses = []
    for kept, fold in zip(sets.kept[1:], sets.folds, strict=False):
        shares = shares_of_labels(sets.codes[kept], sets.n_classes, IMAGINED_LABELS).shares
        losses.append(-np.log(shares[sets.codes[fold]])[:, None])
    return float(sets.of_left_out(losses).mean())
