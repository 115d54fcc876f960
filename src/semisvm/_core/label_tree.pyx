# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The inner loop of branch and bound: go down the tree of labelings, solving every node by changes of a few pivots.

A node labels some points; its bound is the squared-hinge SVM on these alone (see algorithms/partial_svm), in the dual

    max  y'beta - 1/2 beta'(K + D) beta      y_i beta_i >= 0,   D = diag(1/(2 c)),   1'beta = 0 where the bias is free.

With support vectors S the tableau of the bordered system is kept for all points, its lower triangle packed by rows:

    T_SS = -P,    T_SO = Q,    T_OO = H + D
    P = M^-1 - M^-1 1 1'M^-1 / 1'M^-1 1,   Q_Sx = what beta_S gives way when beta_x grows by one,   H = K given S

so that a point enters or leaves S by one symmetric sweep, n^2/2 multiplications, and nothing is ever factored. A label
is added by a dual active set method: beta_x grows from 0 until its margin is met, and whoever loses its weight on the
way leaves S. Every point of this way is dual feasible, hence its value a bound: a node that reaches the target is cut
off before it is solved.

Either label y of an open point x has a price. With r = max(0, 1 - y z_x) the bound rises, S staying the same, by

    inc = 1/2 r tau,    tau = r / T_xx,

an estimate. Surely it rises by (2 theta - theta^2) inc, where theta <= 1 is how far beta_x = y theta tau can go before
some y_i beta_i = y_i (beta_i - y theta tau Q_ix) is 0.
"""

import time

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cdef extern from "tableau_passes.h" nogil:
    double dot(Py_ssize_t m, const double* x, const double* y)
    void subtract_scaled_double(Py_ssize_t m, double scale, const double* x, double* y)
    void widen(Py_ssize_t m, double scale, const double* x, double* high, double* low)
    void span(Py_ssize_t m, const double* x, const double* y, double* high, double* low)

# A margin missed by less than this is met: what it costs is c VIOLATED^2.
cdef double VIOLATED = 1e-9
# Sweeps after which the next node starts from a fresh tableau, so that rounding cannot add up.
cdef long REFRESHED = 2000
# Sweeps of one node, in multiples of n: after these the bound is as good as it is.
cdef Py_ssize_t PATIENCE = 20
# Stands for a weight of zero in a quotient.
cdef double TINY = 1e-200

cdef enum Outcome:
    OPEN, CUT, LEAF


cdef struct State:
    double* T
    double* z               # scores; y inside S, where they are not needed
    double* beta
    double* y               # 0 where a point has no label
    char* inside            # whether a point is in S
    double value


cdef class LabelTree:
    """ridge: 1/(2 c), infinite for points without weight; y: the given labels, 0 elsewhere; bias: None where free.

    positives, negatives: how many of the others may get either label.
    """

    cdef readonly long n_nodes
    cdef Py_ssize_t n, anchor, positives, negatives
    cdef const double[:, ::1] K
    cdef bint held
    cdef double bias
    cdef long sweeps
    cdef State now, kept
    cdef double* space      # all vectors below
    cdef double* ridge
    cdef double* high
    cdef double* low
    cdef double* work
    cdef double* column
    cdef double* estimate   # of label +1 for all points, then of label -1
    cdef double* certain
    cdef char* flags
    cdef char* given
    cdef char* counted

    def __cinit__(
        self,
        const double[:, ::1] K,
        const double[::1] ridge,
        const double[::1] y,
        bias,
        Py_ssize_t positives,
        Py_ssize_t negatives,
    ):
        cdef Py_ssize_t n = K.shape[0], i
        self.n, self.K = n, K
        self.held, self.bias = bias is not None, 0.0 if bias is None else bias
        self.positives, self.negatives = positives, negatives
        self._allocate()
        self.anchor = -1
        for i in range(n):
            self.counted[i] = ridge[i] < INFINITY
            self.ridge[i] = ridge[i] if self.counted[i] else 1.0
            self.given[i] = y[i] != 0.0
            self.now.y[i] = y[i]
            if self.anchor < 0 and self.given[i] and self.counted[i]:
                self.anchor = i
        if self.anchor < 0 and not self.held:
            raise ValueError("No labeled row has a weight above 0 and branch and bound needs one: give one, or a bias.")
        self._begin()
        self._read()

    def __dealloc__(self):
        free(self.now.T)
        free(self.kept.T)
        free(self.space)
        free(self.flags)

    cdef int _allocate(self) except -1:
        cdef Py_ssize_t n = self.n
        cdef size_t triangle = n * (n + 1) // 2
        self.now.T = <double*> malloc(triangle * sizeof(double))
        self.kept.T = <double*> malloc(triangle * sizeof(double))
        self.space = <double*> malloc(15 * n * sizeof(double))
        self.flags = <char*> malloc(4 * n)
        if not (self.now.T and self.kept.T and self.space and self.flags):
            raise MemoryError(f"Branch and bound over {n} rows needs {16 * triangle} bytes.")
        # z, beta and y of a state lie one after the other: one copy moves them
        self.now.z, self.kept.z = self.space, self.space + 3 * n
        self.now.beta, self.kept.beta = self.now.z + n, self.kept.z + n
        self.now.y, self.kept.y = self.now.z + 2 * n, self.kept.z + 2 * n
        self.ridge, self.high, self.low = self.space + 6 * n, self.space + 7 * n, self.space + 8 * n
        self.work, self.column = self.space + 9 * n, self.space + 10 * n
        self.estimate, self.certain = self.space + 11 * n, self.space + 13 * n
        self.now.inside, self.kept.inside = self.flags, self.flags + n
        self.given, self.counted = self.flags + 2 * n, self.flags + 3 * n
        return 0

    # ---------------------------------------------------------------- the tableau

    cdef void _begin(self) noexcept:
        """The tableau without support vectors; with a free bias the anchor alone, which then holds z at its label.

        T_aa = 0,  T_ax = 1,  T_xz = K_xz + D_xz - K_ax - K_az + K_aa + D_aa
        """
        cdef Py_ssize_t i, j, a = self.anchor
        cdef double* row = self.now.T
        cdef double own = 0.0 if self.held else self.K[a, a] + self.ridge[a]
        self.sweeps = 0
        for i in range(self.n):
            self.now.inside[i] = not self.held and i == a
            for j in range(i + 1):
                if self.held:
                    row[j] = self.K[i, j]
                elif i == a or j == a:
                    row[j] = i != j
                else:
                    row[j] = self.K[i, j] - self.K[a, i] - self.K[a, j] + own
            if self.held or i != a:
                row[i] += self.ridge[i]
            row += i + 1

    cdef void _gather(self, Py_ssize_t k, double* column) noexcept nogil:
        cdef Py_ssize_t i
        memcpy(column, self.now.T + k * (k + 1) // 2, (k + 1) * sizeof(double))
        for i in range(k + 1, self.n):
            column[i] = self.now.T[i * (i + 1) // 2 + k]

    cdef void _sweep(self, Py_ssize_t k, double* column) noexcept nogil:
        """Point k enters S, or leaves it; column: T_.k.   T_ij -= T_ik T_jk / T_kk,  T_ik /= +-T_kk,  T_kk = -1/T_kk"""
        cdef Py_ssize_t i, j
        cdef double* row = self.now.T
        cdef double pivot = column[k], share
        cdef double sign = -1.0 if self.now.inside[k] else 1.0
        for i in range(self.n):
            if i == k:
                for j in range(k):
                    row[j] = sign * column[j] / pivot
                row[k] = -1.0 / pivot
            else:
                share = column[i] / pivot
                subtract_scaled_double(i + 1, share, column, row)
                if i > k:
                    row[k] = sign * share
            row += i + 1
        self.now.inside[k] = not self.now.inside[k]
        self.sweeps += 1

    cdef void _pivot(self, Py_ssize_t k) noexcept nogil:
        self._gather(k, self.work)
        self._sweep(k, self.work)

    cdef void _read(self) noexcept nogil:
        """beta_S = P (y_S - b),  z_x = b + Q_Sx'(y_S - b),  v = 1/2 beta_S'(y_S - b);  b = 0 where the bias is free."""
        cdef Py_ssize_t i
        cdef double* row = self.now.T
        cdef double b = self.bias
        for i in range(self.n):
            self.work[i] = 0.0
            self.high[i] = self.now.y[i] - b if self.now.inside[i] else 0.0
        for i in range(self.n):
            if self.now.inside[i]:
                subtract_scaled_double(i, -self.high[i], row, self.work)
            self.work[i] += dot(i + 1, row, self.high)
            row += i + 1
        self.now.value = 0.0
        for i in range(self.n):
            self.now.beta[i] = -self.work[i] if self.now.inside[i] else 0.0
            self.now.z[i] = self.now.y[i] if self.now.inside[i] else b + self.work[i]
            self.now.value += 0.5 * self.now.beta[i] * self.high[i]

    cdef void _copy(self, State* a, State* b) noexcept nogil:
        memcpy(b.T, a.T, (self.n * (self.n + 1) // 2) * sizeof(double))
        memcpy(b.z, a.z, 3 * self.n * sizeof(double))
        memcpy(b.inside, a.inside, self.n)
        b.value = a.value

    # ---------------------------------------------------------------- nodes as bytes: label + 1, and 4 for those in S

    def root(self):
        """The node with the given labels alone, as bytes."""
        return self._packed()

    cdef bytes _packed(self):
        cdef bytes node = PyBytes_FromStringAndSize(NULL, self.n)
        cdef char* code = PyBytes_AS_STRING(node)
        cdef Py_ssize_t i
        for i in range(self.n):
            code[i] = <char> (<int> self.now.y[i] + 1 + 4 * self.now.inside[i])
        return node

    cdef void _load(self, bytes node) noexcept:
        cdef char* code = PyBytes_AS_STRING(node)
        cdef Py_ssize_t i
        if self.sweeps > REFRESHED:
            self._begin()
        # first in, then out: with a free bias S is never empty
        for i in range(self.n):
            self.now.y[i] = (code[i] & 3) - 1
            if code[i] & 4 and not self.now.inside[i]:
                self._pivot(i)
        for i in range(self.n):
            if self.now.inside[i] and not code[i] & 4:
                self._pivot(i)
        self._read()
        # a weight of the wrong sign, which rounding may leave, is no bound
        i = self._infeasible()
        while i >= 0:
            self._pivot(i)
            self._read()
            i = self._infeasible()

    cdef Py_ssize_t _infeasible(self) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.n):
            if self.now.y[i] * self.now.beta[i] < 0.0:
                return i
        return -1

    # ---------------------------------------------------------------- one node

    cdef Py_ssize_t _worst(self) noexcept nogil:
        """The point outside S whose missed margin promises the largest gain; -1 where all are met."""
        cdef Py_ssize_t i, x = -1
        cdef double r, gain, best = 0.0
        for i in range(self.n):
            if self.now.y[i] != 0.0 and self.counted[i] and not self.now.inside[i]:
                r = 1.0 - self.now.y[i] * self.now.z[i]
                if r > VIOLATED:
                    gain = r * r / self.now.T[i * (i + 3) // 2]
                    if gain > best:
                        x, best = i, gain
        return x

    cdef Py_ssize_t _grow(self, Py_ssize_t x) noexcept nogil:
        """beta_x goes up until its margin is met, or another weight is 0: the point that lost it, or -1.

        rho = y_x - z_x - D_x beta_x,   t = rho / T_xx,   v += t rho - 1/2 t^2 T_xx
        """
        cdef Py_ssize_t i, first = -1
        cdef double* column = self.column
        cdef double* beta = self.now.beta
        cdef double* y = self.now.y
        cdef double rho = y[x] - self.now.z[x] - self.ridge[x] * beta[x]
        cdef double t = rho / column[x], theta = 1.0, room
        for i in range(self.n):
            if self.now.inside[i] and y[i] * t * column[i] > 0.0:
                room = beta[i] / (t * column[i])
                if room < theta:
                    theta, first = room, i
        t *= theta if theta > 0.0 else 0.0
        for i in range(self.n):
            if self.now.inside[i]:
                beta[i] -= t * column[i]
            else:
                self.now.z[i] += t * column[i]
        self.now.z[x] -= t * self.ridge[x]
        beta[x] += t
        self.now.value += t * (rho - 0.5 * t * column[x])
        return first

    cdef Outcome _solve(self, double target) noexcept nogil:
        """The minimum with the present labels; CUT as soon as the value reaches the target."""
        cdef Py_ssize_t x, lost, step
        x = -1
        for step in range(PATIENCE * self.n):
            if x < 0:
                x = self._worst()
                if x < 0:
                    return OPEN
            self._gather(x, self.column)
            lost = self._grow(x)
            if self.now.value >= target:
                return CUT
            if lost < 0:
                self.now.z[x] = self.now.y[x]
                self._sweep(x, self.column)
                x = -1
            else:
                # its margin is met exactly
                self.now.beta[lost] = 0.0
                self.now.z[lost] = self.now.y[lost]
                self._pivot(lost)
        return OPEN

    cdef void _price(self) noexcept nogil:
        """The estimated and the certain price of either label of every open point."""
        cdef Py_ssize_t n = self.n, i, side
        cdef double* row = self.now.T
        cdef double weight, r, tau, rate, theta
        for i in range(n):
            self.high[i] = self.low[i] = self.work[i] = 0.0
            if self.now.inside[i]:
                weight = self.now.y[i] * self.now.beta[i]
                self.work[i] = self.now.y[i] / (weight if weight > TINY else TINY)
        for i in range(n):
            if self.now.inside[i]:
                widen(i, self.work[i], row, self.high, self.low)
            else:
                span(i, row, self.work, self.high + i, self.low + i)
            self.column[i] = row[i]
            row += i + 1
        for i in range(n):
            for side in range(2):
                r = 1.0 - (1.0 - 2.0 * side) * self.now.z[i]
                if self.now.y[i] != 0.0 or not self.counted[i] or r <= 0.0:
                    self.estimate[side * n + i] = self.certain[side * n + i] = 0.0
                    continue
                tau = r / self.column[i]
                rate = tau * (-self.low[i] if side else self.high[i])
                theta = 1.0 / rate if rate > 1.0 else 1.0
                self.estimate[side * n + i] = 0.5 * r * tau
                self.certain[side * n + i] = 0.5 * r * tau * (2.0 * theta - theta * theta)

    cdef double _ranked(self, Py_ssize_t side, Py_ssize_t count):
        """The count-th smallest certain gain of a label among the open points."""
        cdef Py_ssize_t i, m = 0
        for i in range(self.n):
            if self.now.y[i] == 0.0:
                self.work[m] = self.certain[side * self.n + i]
                m += 1
        return np.partition(<double[:m]> self.work, count - 1)[count - 1]

    cdef double _lift(self, Py_ssize_t positives, Py_ssize_t negatives, Py_ssize_t m):
        """What the bound surely gains: every open point gets a label, and so many of them get either one."""
        cdef Py_ssize_t i, n = self.n
        cdef double gain = 0.0, lesser
        for i in range(n):
            lesser = self.certain[i] if self.certain[i] < self.certain[n + i] else self.certain[n + i]
            if lesser > gain:
                gain = lesser
        if positives + negatives == m:
            gain = max(gain, self._ranked(0, positives), self._ranked(1, negatives))
        return gain

    cdef Outcome _narrow(self, double target, double* lower, double* ruled_out):
        """Solve and give every point its certain label, again until there is none; the bound rises to `lower`."""
        cdef Py_ssize_t n = self.n, i, side, positives, negatives, m
        cdef bint changed = True
        cdef double reached
        while changed:
            positives, negatives, m = self.positives, self.negatives, 0
            for i in range(n):
                if not self.given[i]:
                    positives -= self.now.y[i] > 0.0
                    negatives -= self.now.y[i] < 0.0
                    m += self.now.y[i] == 0.0
            if positives < 0 or negatives < 0:
                lower[0] = INFINITY
                return CUT
            if m and (positives == 0 or negatives == 0):
                for i in range(n):
                    if self.now.y[i] == 0.0:
                        self.now.y[i] = -1.0 if positives == 0 else 1.0
                m = 0
            if self._solve(target) == CUT:
                lower[0] = max(lower[0], self.now.value)
                return CUT
            lower[0] = max(lower[0], self.now.value)
            if m == 0:
                return LEAF
            self._price()
            lower[0] = max(lower[0], self.now.value + self._lift(positives, negatives, m))
            if lower[0] >= target:
                return CUT
            changed = False
            for side in range(2):
                for i in range(n):
                    reached = self.now.value + self.certain[side * n + i]
                    if self.now.y[i] == 0.0 and reached >= target:
                        self.now.y[i] = 2.0 * side - 1.0
                        ruled_out[0] = min(ruled_out[0], reached)
                        changed = True
        return OPEN

    cdef Py_ssize_t _costliest(self) noexcept nogil:
        """argmax of the estimates: point + n side."""
        cdef Py_ssize_t i, best = -1
        for i in range(2 * self.n):
            if self.now.y[i % self.n] == 0.0 and (best < 0 or self.estimate[i] > self.estimate[best]):
                best = i
        return best

    def look(self, bytes node):
        """(bound, estimated, certain) of a solved node; prices are (2, n), of +1 and of -1, 0 for labeled points."""
        self._load(node)
        self._solve(INFINITY)
        self._price()
        prices = np.array(<double[:4 * self.n]> self.estimate).reshape(2, 2, self.n)
        return self.now.value, prices[0], prices[1]

    # ---------------------------------------------------------------- the way down

    def descend(self, bytes node, double bound, double target, deadline):
        """Follow the likely labels from a node until a leaf, a cut or the deadline: (leaf, aside, ruled out).

        At each node the costliest label is tried first: cut off, it is impossible; otherwise its node is put aside with
        its bound. Then the other label is taken. leaf: labels of all points, or None; aside: (bound, node) for later;
        ruled out: the smallest bound of all that was cut off.
        """
        cdef Py_ssize_t x
        cdef double costly, lower = bound, other, ruled_out = INFINITY
        cdef Outcome outcome
        cdef list aside = []
        self._load(node)
        while True:
            PyErr_CheckSignals()
            if deadline is not None and time.monotonic() >= deadline:
                aside.append((lower, self._packed()))
                return None, aside, ruled_out
            self.n_nodes += 1
            outcome = self._narrow(target, &lower, &ruled_out)
            if outcome == CUT:
                return None, aside, min(ruled_out, lower)
            if outcome == LEAF:
                return np.array(<double[:self.n]> self.now.y), aside, ruled_out
            x = self._costliest()
            costly = 1.0 if x < self.n else -1.0
            x %= self.n
            other = lower
            self._copy(&self.now, &self.kept)
            self.now.y[x] = costly
            self.n_nodes += 1
            if self._narrow(target, &other, &ruled_out) == CUT:
                ruled_out = min(ruled_out, other)
            else:
                aside.append((other, self._packed()))
            self._copy(&self.kept, &self.now)
            self.now.y[x] = -costly
