"""Reference for the prices in the compiled label tree: an estimate, and a gain that is certain.

If point x with label y joins a solved node and the support vectors A stay the same, the minimum rises by

    inc = r^2 / (1/c + 2 h),   r = max(0, 1 - y z(x)),   h = k(x,x) - k_A'M^-1 k_A + (1 - 1'M^-1 k_A)^2 / 1'M^-1 1

(the last term where the bias is free). The support vectors may not stay the same, but a dual feasible point bounds the
minimum from below whatever they do: alpha_x = theta tau with tau = r / (1/(2c) + h) and the others following,

    delta beta_A = -y theta tau q,     q = M^-1 k_A + M^-1 1 (1 - 1'M^-1 k_A) / 1'M^-1 1

is feasible while no beta_A changes its sign (theta <= 1), and is worth (2 theta - theta^2) inc: a certain gain.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrs

from semisvm.algorithms.partial_svm import Bound, PartialSVM


@dataclass(frozen=True, eq=False)
class LabelCosts:
    """For each open point and the labels +1 (row 0) and -1 (row 1): the estimate and the certain gain, (2, m)."""

    points: np.ndarray
    estimate: np.ndarray
    certain: np.ndarray


SIGNS = np.array([[1.0], [-1.0]])


def label_costs(svm: PartialSVM, bound: Bound, points: np.ndarray) -> LabelCosts:
    """The costs of both labels for these points, none of which takes part in the node."""
    cross = svm.K[np.ix_(bound.support, points)]
    solved, _ = dpotrs(bound.factor, np.asfortranarray(cross), lower=1)
    # h = k(x,x) - k_A'M^-1 k_A
    h = svm.K[points, points] - np.einsum("ij,ij->j", cross, solved)
    q = solved
    if svm.bias is None:
        rest, total = 1.0 - solved.sum(axis=0), bound.ones.sum()
        h = h + rest * rest / total
        q = solved + np.outer(bound.ones, rest / total)
    r = np.maximum(0.0, 1.0 - SIGNS * bound.scores[points])
    tau = r / (svm.ridge[points] + np.maximum(h, 0.0))
    inc = 0.5 * r * tau
    # beta_i -> beta_i - y theta tau q_i keeps its sign while theta tau y q_i / beta_i <= 1
    rates = q / np.where(bound.beta == 0.0, 1e-200, bound.beta)[:, None]
    steepest = np.stack([rates.max(axis=0, initial=0.0), -rates.min(axis=0, initial=0.0)])
    theta = 1.0 / np.maximum(1.0, tau * steepest)
    return LabelCosts(points, inc, (2.0 * theta - theta * theta) * inc)
