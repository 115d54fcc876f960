"""A mixture of the kernels of several assignments, its weights found by the reduced gradient of SimpleMKL.

    min_{mu >= 0, sum mu = 1} J(mu),   J(mu) = max_a  y'a - 1/2 sum_t mu_t q_t(a)      dJ/dmu_t = -1/2 q_t
    q_t = |S + s+ m+_t + s- m-_t|^2,   S = sum_L a_i phi_i

Rakotomamonjy, Bach, Canu and Grandvalet, "SimpleMKL" (2008). Products with the means are linear in mu, so the dual of a
mixture is the dual of one assignment with averaged products.
"""

import numpy as np

from semisvm.algorithms.label_means import LabelMeans, MeanProducts, MeansDual, MeansSolution

FIRST_WEIGHT = 0.01
"""Of a new assignment in the mixture."""
MOST_STEPS = 200
LINE_STEPS = 20


class Mixture:
    def __init__(self, dual: MeansDual, products: MeanProducts, means: list[LabelMeans], mu: np.ndarray | None = None):
        self.dual, self.products, self.means = dual, products, means
        self.mu = np.full(len(means), 1.0 / len(means)) if mu is None else mu
        self.plus = np.array([m.plus[dual.labeled] for m in means])
        self.minus = np.array([m.minus[dual.labeled] for m in means])
        self.squares = np.array([m.squares for m in means])
        self.start: np.ndarray | None = None
        self.solution = self.solve(self.mu)

    def with_cut(self, cut: LabelMeans) -> "Mixture":
        mu = np.append((1 - FIRST_WEIGHT) * self.mu, FIRST_WEIGHT)
        return Mixture(self.dual, self.products, [*self.means, cut], mu)

    def solve(self, mu: np.ndarray) -> MeansSolution:
        solution = self.dual.solve(mu @ self.plus, mu @ self.minus, mu @ self.squares, self.start)
        self.start = np.append(solution.a, solution.r)
        return solution

    def charges(self, solution: MeansSolution) -> np.ndarray:
        """q_t for every assignment of the mixture."""
        common = solution.a @ self.dual.K @ solution.a
        charges: np.ndarray = common + charge(solution, self.plus, self.minus, self.squares)
        return charges

    def violation(self, cut: LabelMeans) -> float:
        """How much q of a new assignment exceeds that of the mixture, halved as in the objective."""
        labeled = self.dual.labeled
        q = charge(self.solution, cut.plus[None, labeled], cut.minus[None, labeled], cut.squares[None, :])[0]
        return 0.5 * float(q - self.mu @ charge(self.solution, self.plus, self.minus, self.squares))

    def outputs(self) -> np.ndarray:
        """w'phi at all points."""
        s_plus, s_minus = self.solution.shares
        mixed = sum(m * (s_plus * one.plus + s_minus * one.minus) for m, one in zip(self.mu, self.means, strict=True))
        outputs: np.ndarray = self.products.of_labeled(self.solution.a) + mixed
        return outputs

    def minimize(self, gap: float) -> None:
        """Reduced gradient steps until max_t q_t / 2 - mu'q / 2 <= gap |J|, or one gains less than a tenth of it."""
        before = np.inf
        for _ in range(MOST_STEPS):
            if before - self.solution.value <= 0.1 * gap * abs(self.solution.value):
                return
            before, q = self.solution.value, self.charges(self.solution)
            if 0.5 * (q.max() - self.mu @ q) <= gap * abs(self.solution.value):
                return
            direction = reduced_direction(self.mu, q)
            if not direction.any():
                return
            self._to_the_boundary(direction)

    def _to_the_boundary(self, direction: np.ndarray) -> None:
        """Walk along the direction, dropping weights that reach zero, while J falls; then search the last stretch."""
        while True:
            shrinking = direction < 0
            limits = np.where(shrinking, -self.mu / np.where(shrinking, direction, -1.0), np.inf)
            first = int(np.argmin(limits))
            longest = float(limits[first])
            end = self.mu + longest * direction
            end[first] = 0.0
            reached = self.solve(end)
            if reached.value >= self.solution.value:
                self._search(direction, longest, reached)
                return
            self.mu, self.solution = end, reached
            base = int(np.argmax(end))
            direction = direction.copy()
            direction[base] += direction[first]
            direction[first] = 0.0
            # the direction must still descend at the new point
            if first == base or direction @ self.charges(reached) <= 0:
                return

    def _search(self, direction: np.ndarray, longest: float, reached: MeansSolution) -> None:
        """The zero of dJ/ds = -1/2 q'direction on [0, longest], by the Illinois variant of false position."""
        low, high = 0.0, longest
        at_low, at_high = (-0.5 * direction @ self.charges(s) for s in (self.solution, reached))
        begin, first = self.mu, abs(at_low)
        best, best_mu, side = self.solution, self.mu, 0
        for _ in range(LINE_STEPS):
            middle = low + (high - low) * at_low / (at_low - at_high) if at_high > at_low else 0.5 * (low + high)
            mu = np.maximum(begin + middle * direction, 0.0)
            tried = self.solve(mu / mu.sum())
            slope = -0.5 * direction @ self.charges(tried)
            if tried.value < best.value:
                best, best_mu = tried, mu / mu.sum()
            if abs(slope) <= 0.1 * first:
                break
            # if one end stays twice, its slope is halved, so that the other end moves
            if slope > 0:
                high, at_high, at_low = middle, slope, at_low * (0.5 if side > 0 else 1.0)
                side = 1
            else:
                low, at_low, at_high = middle, slope, at_high * (0.5 if side < 0 else 1.0)
                side = -1
        self.mu, self.solution = best_mu, best


def charge(solution: MeansSolution, plus: np.ndarray, minus: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """q_t without the part |S|^2 that all share: 2 S'(s+ m+ + s- m-) + |s+ m+ + s- m-|^2."""
    s_plus, s_minus = solution.shares
    cross = 2 * (s_plus * plus + s_minus * minus) @ solution.a
    charges: np.ndarray = cross + squares @ np.array([s_plus**2, 2 * s_plus * s_minus, s_minus**2])
    return charges


def reduced_direction(mu: np.ndarray, q: np.ndarray) -> np.ndarray:
    """A descent direction in the simplex: the largest weight balances the others; weights at zero do not fall."""
    gradient, base = -0.5 * q, int(np.argmax(mu))
    direction: np.ndarray = -(gradient - gradient[base])
    direction[(mu <= 0) & (direction < 0)] = 0.0
    direction[base] = 0.0
    direction[base] = -direction.sum()
    return direction
