# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The box quadratic program behind every hinge dual, on one dense block of its variables.

    min_a  1/2 a'K a + 1/2 sum_i d_i a_i^2 - c'a + sum_i p_i |a_i - t_i|     lo <= a <= hi,   with or without  1'a = 0

The variables are signed (a_i = y_i alpha_i), K is positive semidefinite, d >= 0, and the kinks p >= 0 are zero
when the equality is asked for.  Here the block Q and its diagonal h hold K + diag(d), the gradient is g = c - K a - d a
(without the kinks), and every function changes a and g in place, always together, so that the pair is consistent
whenever Python sees it again, also after Ctrl-C.

With the equality a step moves two variables, the second one chosen by second-order information (Fan, Chen, Lin:
Working set selection using second order information for training support vector machines, JMLR 6, 2005); without
it a step minimizes exactly over one variable, chosen by the largest violation^2 / curvature.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc

from time import monotonic

cdef extern from "descent_passes.h" nogil:
    const double SEMISVM_LEAST_CURVATURE
    Py_ssize_t find_top(Py_ssize_t m, double top, const double* g, const double* rise)
    void move_pair_double(Py_ssize_t m, double step, const double* row_i, const double* row_j, double* g,
                          const double* rise, const double* fall, double* top, double* bottom)
    void move_pair_float(Py_ssize_t m, double step, const float* row_i, const float* row_j, double* g,
                         const double* rise, const double* fall, double* top, double* bottom)
    Py_ssize_t second_order_partner_double(Py_ssize_t m, double top, double h_i, const double* row_i,
                                           const double* h, const double* g, const double* fall, double* score)
    Py_ssize_t second_order_partner_float(Py_ssize_t m, double top, double h_i, const float* row_i,
                                          const double* h, const double* g, const double* fall, double* score)
    Py_ssize_t move_coordinate_double(Py_ssize_t m, double step, const double* row_i, double* g, const double* rise,
                                      const double* fall, const double* h_inverse, double* score, double* worst)
    Py_ssize_t move_coordinate_float(Py_ssize_t m, double step, const float* row_i, double* g, const double* rise,
                                     const double* fall, const double* h_inverse, double* score, double* worst)

# Entries visited between two looks at the clock and at pending signals: one to three milliseconds.
cdef Py_ssize_t ENTRIES_PER_POLL = 1 << 20


ctypedef fused real:
    float
    double


cdef class KernelBlock:
    """The block Q of the matrix at the variables `index`, each row of it filled when it is first needed.

    rows[i] is the address of row i of the block, of which the first filled[i] entries are valid; the others come from
    the kernel row at the address kernel_rows[i], at the columns `index`, and from `diagonal`, which holds the ridge.
    Both kinds of rows are in float32 if `single`, else in float64.  Where k0 is not empty, the matrix is
    K - k0 1' - 1 k0' + k00.  Whoever calls keeps the memory alive.
    """

    cdef readonly bint single
    cdef readonly const uintptr_t[::1] rows
    cdef const uintptr_t[::1] kernel_rows
    cdef Py_ssize_t[::1] filled
    cdef const Py_ssize_t[::1] index
    cdef const double[::1] k0
    cdef double k00
    cdef const double[::1] diagonal

    def __init__(self, rows, filled, kernel_rows, bint single, index, k0, double k00, diagonal):
        self.rows, self.filled, self.kernel_rows, self.single = rows, filled, kernel_rows, single
        self.index, self.k0, self.k00, self.diagonal = index, k0, k00, diagonal

    def fill(self, const Py_ssize_t[::1] which):
        """Complete the rows `which`."""
        cdef Py_ssize_t s
        with nogil:
            for s in range(which.shape[0]):
                if self.single:
                    complete_row(self, which[s], <const float*> NULL)
                else:
                    complete_row(self, which[s], <const double*> NULL)


cdef const real* complete_row(KernelBlock Q, Py_ssize_t i, const real* kind) noexcept nogil:
    """Row i of the block, with all its entries; `kind` only tells their type."""
    cdef Py_ssize_t m = Q.diagonal.shape[0], start = Q.filled[i], s
    cdef const real* kernel_row = <const real*> Q.kernel_rows[i]
    cdef real* row = <real*> Q.rows[i]
    if start < m:
        for s in range(start, m):
            row[s] = kernel_row[Q.index[s]]
        if Q.k0.shape[0] > 0:
            # Q = K - k0 1' - 1 k0' + k00
            for s in range(start, m):
                row[s] = <real> (row[s] + (Q.k00 - Q.k0[Q.index[i]] - Q.k0[Q.index[s]]))
        if start <= i:
            row[i] = <real> Q.diagonal[i]
        Q.filled[i] = m
    return row


cdef struct State:
    Py_ssize_t m                # variables
    const double* h
    const double* lo
    const double* hi
    const double* p             # kinks: weight and place; NULL in the pair descent
    const double* t
    double* a
    double* g
    double* rise                # scratch of m entries each
    double* fall
    double* score
    double* h_inverse


cdef inline double slope_up(double a, double hi, double p, double t) noexcept nogil:
    """What moving a up adds to g: -d/da p|a - t| to the right of a, and -infinity at the upper bound."""
    return -INFINITY if a >= hi else (-p if a >= t else p)


cdef inline double slope_down(double a, double lo, double p, double t) noexcept nogil:
    """The same to the left of a, and +infinity at the lower bound."""
    return INFINITY if a <= lo else (p if a <= t else -p)


cdef inline void mark(State* b, Py_ssize_t i) noexcept nogil:
    """Set rise[i] and fall[i] to what a[i] allows."""
    if b.p == NULL:
        b.rise[i] = -INFINITY if b.a[i] >= b.hi[i] else 0.0
        b.fall[i] = INFINITY if b.a[i] <= b.lo[i] else 0.0
    else:
        b.rise[i] = slope_up(b.a[i], b.hi[i], b.p[i], b.t[i])
        b.fall[i] = slope_down(b.a[i], b.lo[i], b.p[i], b.t[i])


cdef inline double step_pair(State* b, Py_ssize_t i, Py_ssize_t j, double Q_ij) noexcept nogil:
    """Move a_i up and a_j down by the exact minimizer along that line, cut at the box; return the step."""
    cdef double curvature = b.h[i] + b.h[j] - 2.0 * Q_ij
    cdef double room_i = b.hi[i] - b.a[i]
    cdef double room_j = b.a[j] - b.lo[j]
    cdef double step
    if curvature < SEMISVM_LEAST_CURVATURE:
        curvature = SEMISVM_LEAST_CURVATURE
    # step = (g_i - g_j) / (h_i + h_j - 2 K_ij)
    step = (b.g[i] - b.g[j]) / curvature
    step = min(step, min(room_i, room_j))
    if b.a[i] + step == b.a[i] and b.a[j] - step == b.a[j] and step < room_i and step < room_j:
        return 0.0                                          # below the last digit of both: nothing left to gain
    b.a[i] = b.hi[i] if step == room_i else min(b.a[i] + step, b.hi[i])
    b.a[j] = b.lo[j] if step == room_j else max(b.a[j] - step, b.lo[j])
    mark(b, i)
    mark(b, j)
    return step


cdef double descend_pairs(KernelBlock Q, State* b, double tol, Py_ssize_t max_steps, Py_ssize_t* steps,
                          const real* kind) noexcept nogil:
    """Take pair steps until max_{a<hi} g - min_{a>lo} g < tol; return that difference."""
    cdef double top, bottom, step
    cdef Py_ssize_t i, j
    cdef const real* row_i
    cdef const real* row_j
    steps[0] = 0
    for i in range(b.m):
        mark(b, i)
    move_pair_double(b.m, 0.0, b.h, b.h, b.g, b.rise, b.fall, &top, &bottom)
    while top - bottom >= tol and steps[0] < max_steps:
        i = find_top(b.m, top, b.g, b.rise)
        row_i = complete_row(Q, i, kind)
        if real is float:
            j = second_order_partner_float(b.m, top, b.h[i], row_i, b.h, b.g, b.fall, b.score)
        else:
            j = second_order_partner_double(b.m, top, b.h[i], row_i, b.h, b.g, b.fall, b.score)
        step = step_pair(b, i, j, row_i[j])
        if step == 0.0:
            break
        row_j = complete_row(Q, j, kind)
        if real is float:
            move_pair_float(b.m, step, row_i, row_j, b.g, b.rise, b.fall, &top, &bottom)
        else:
            move_pair_double(b.m, step, row_i, row_j, b.g, b.rise, b.fall, &top, &bottom)
        steps[0] += 1
    return top - bottom


cdef inline double step_coordinate(State* b, Py_ssize_t i) noexcept nogil:
    """Move a_i to the exact minimizer over its box; return the step."""
    cdef double old = b.a[i], t = b.t[i], pull, new
    # new = clip(t + soft(a + g/h - t, p/h))
    new = old + b.g[i] * b.h_inverse[i]
    pull = b.p[i] * b.h_inverse[i]
    if new > t + pull:
        new -= pull
    elif new < t - pull:
        new += pull
    else:
        new = t
    b.a[i] = min(max(new, b.lo[i]), b.hi[i])
    mark(b, i)
    return b.a[i] - old


cdef double descend_coordinates(KernelBlock Q, State* b, double tol, Py_ssize_t max_steps, Py_ssize_t* steps,
                                const real* kind) noexcept nogil:
    """Take single-variable steps until the largest projected gradient is below tol; return it."""
    cdef double worst, step
    cdef Py_ssize_t i
    cdef const real* row
    steps[0] = 0
    for i in range(b.m):
        mark(b, i)
        b.h_inverse[i] = 1.0 / max(b.h[i], SEMISVM_LEAST_CURVATURE)
    i = move_coordinate_double(b.m, 0.0, b.h, b.g, b.rise, b.fall, b.h_inverse, b.score, &worst)
    while worst >= tol and steps[0] < max_steps:
        row = complete_row(Q, i, kind)
        step = step_coordinate(b, i)
        if step == 0.0:
            break
        if real is float:
            i = move_coordinate_float(b.m, step, row, b.g, b.rise, b.fall, b.h_inverse, b.score, &worst)
        else:
            i = move_coordinate_double(b.m, step, row, b.g, b.rise, b.fall, b.h_inverse, b.score, &worst)
        steps[0] += 1
    return worst


cdef double descend_some(KernelBlock Q, State* b, bint equality, double tol, Py_ssize_t max_steps,
                         Py_ssize_t* steps) noexcept nogil:
    """Take steps of the kind that the problem and its rows ask for."""
    if equality and Q.single:
        return descend_pairs(Q, b, tol, max_steps, steps, <const float*> NULL)
    if equality:
        return descend_pairs(Q, b, tol, max_steps, steps, <const double*> NULL)
    if Q.single:
        return descend_coordinates(Q, b, tol, max_steps, steps, <const float*> NULL)
    return descend_coordinates(Q, b, tol, max_steps, steps, <const double*> NULL)


def descend(KernelBlock Q not None, const double[::1] lo, const double[::1] hi, const double[::1] p,
            const double[::1] t, double[::1] a, double[::1] g, bint equality, double tol, Py_ssize_t max_steps,
            double deadline, Py_ssize_t[::1] taken):
    """Descend on the block until its violation is below tol; return that violation.

    taken[0] counts the steps.  The descent ends earlier where taken[0] = max_steps, the deadline (on the clock
    time.monotonic) or the last digit of a is reached first.  Pending signals are handled every few milliseconds, so
    Ctrl-C raises from here.
    """
    cdef Py_ssize_t m = a.shape[0], steps, budget, per_poll
    cdef double violation = 0.0
    cdef State b
    if m == 0:
        return 0.0
    cdef double* scratch = <double*> malloc(4 * m * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    b.m, b.h, b.lo, b.hi, b.a, b.g = m, &Q.diagonal[0], &lo[0], &hi[0], &a[0], &g[0]
    b.p = b.t = NULL
    if not equality:
        b.p, b.t = &p[0], &t[0]
    b.rise, b.fall, b.score, b.h_inverse = scratch, scratch + m, scratch + 2 * m, scratch + 3 * m
    per_poll = max(ENTRIES_PER_POLL // m, 1)
    try:
        while True:
            budget = max(min(per_poll, max_steps - taken[0]), 0)
            with nogil:
                violation = descend_some(Q, &b, equality, tol, budget, &steps)
            taken[0] += steps
            PyErr_CheckSignals()
            if violation < tol or steps < per_poll or monotonic() >= deadline:
                return violation
    finally:
        free(scratch)


def certificate(const double[::1] a, const double[::1] g, const double[::1] lo, const double[::1] hi,
                const double[::1] p, const double[::1] t, bint equality, double[::1] violations):
    """Fill violations and return (violation, top, bottom, finite) of the optimality conditions of the whole problem.

    top = max_{a<hi} (g - kink slope) and bottom = min_{a>lo} (g - kink slope).  With the equality the violation is
    top - bottom and each variable's own is measured from the midpoint; without it from zero.
    """
    cdef Py_ssize_t n = a.shape[0], i
    cdef double top = -INFINITY, bottom = INFINITY, nought = 0.0, middle = 0.0, violation, up, down
    with nogil:
        for i in range(n):
            up = g[i] + slope_up(a[i], hi[i], p[i], t[i])
            down = g[i] + slope_down(a[i], lo[i], p[i], t[i])
            top = up if up > top else top
            bottom = down if down < bottom else bottom
            nought += g[i] - g[i]
        if equality and top > -INFINITY and bottom < INFINITY:
            middle = 0.5 * (top + bottom)
            violation = top - bottom
        elif equality:
            violation = 0.0                                 # nothing can rise, or nothing can fall: no pair can move
        else:
            violation = max(top, -bottom)
        violation = max(violation, 0.0)
        for i in range(n):
            up = g[i] + slope_up(a[i], hi[i], p[i], t[i]) - middle
            down = middle - (g[i] + slope_down(a[i], lo[i], p[i], t[i]))
            violations[i] = max(up, down) if violation > 0.0 else 0.0
    return violation, top, bottom, nought == 0.0
