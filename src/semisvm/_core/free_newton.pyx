# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Newton steps of the box problem (see box_qp) over its free variables, one after the other as bounds are met.

For the free variables F the problem is the linear system Q_FF u = slope, slope = g - p sign(a - t), with 1'u = 0 where
the equality is asked for.  Q_FF is factored once, with a small shift on its diagonal, so that u is a direction of
descent also where Q_FF is singular.  If a bound or a kink cuts the step, its variable stays there, its row leaves the
factor by plane rotations, and the next step is taken over the others.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc

cdef extern from "descent_passes.h" nogil:
    double dot(Py_ssize_t m, const double* x, const double* y)
    void subtract_scaled_double(Py_ssize_t m, double scale, const double* x, double* y)
    void subtract_scaled_float(Py_ssize_t m, double scale, const float* x, double* y)

# The shift, as a share of the mean diagonal: well above the rounding of the factor, so that pivots stay positive.
cdef double RELATIVE_SHIFT = 1e-9
# Multiplications between two looks at pending signals: a few milliseconds.
cdef double WORK_PER_POLL = 1e7


cdef struct Free:
    Py_ssize_t f                # variables still free
    Py_ssize_t stride           # entries from one row of L to the next
    double* L                   # L L' = Q_FF + diag(lifted)
    double* lifted
    double* x                   # a, slope, and the bounds on this side of the kink
    double* slope
    double* low
    double* high
    double* u                   # the Newton direction
    double* w                   # scratch
    Py_ssize_t* which           # places in the index


cdef Py_ssize_t factor_rows(Free* F, Py_ssize_t start, double mean, double work) noexcept nogil:
    """Cholesky of rows start, ... in place until the work is done; return the next row.

    L_ij = (Q_ij - L_i.L_j) / L_jj,   L_ii^2 = Q_ii + shift - |L_i|^2
    """
    cdef Py_ssize_t i = start, j
    cdef double* row
    cdef double pivot, shift = RELATIVE_SHIFT * mean
    while i < F.f and work > 0.0:
        row = F.L + i * F.stride
        for j in range(i):
            row[j] = (row[j] - dot(j, row, F.L + j * F.stride)) / F.L[j * F.stride + j]
        pivot = row[i] + shift - dot(i, row, row)
        F.lifted[i] = shift
        if pivot < 0.5 * shift:                             # eaten by rounding: hold this variable back
            F.lifted[i] += mean - pivot
            pivot = mean
        row[i] = sqrt(pivot)
        work -= 0.5 * i * i
        i += 1
    return i


cdef void solve(Free* F, double* x) noexcept nogil:
    """x = (L L')^-1 x."""
    cdef Py_ssize_t i
    cdef double* row
    for i in range(F.f):
        row = F.L + i * F.stride
        x[i] = (x[i] - dot(i, row, x)) / row[i]
    for i in range(F.f - 1, -1, -1):
        row = F.L + i * F.stride
        x[i] /= row[i]
        subtract_scaled_double(i, x[i], row, x)


cdef double sum_of(Py_ssize_t f, const double* x) noexcept nogil:
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(f):
        total += x[i]
    return total


cdef double find_direction(Free* F, bint equality) noexcept nogil:
    """u solves (Q_FF + lifted) u = slope - nu 1, with 1'u = 0 and its multiplier nu where the equality is asked for."""
    cdef Py_ssize_t i
    cdef double nu = 0.0, mean
    for i in range(F.f):
        F.u[i] = F.slope[i]
        F.w[i] = 1.0
    solve(F, F.u)
    if equality:
        # (Q_FF + lifted) w = 1,   nu = 1'u / 1'w,   u -= nu w
        solve(F, F.w)
        nu = sum_of(F.f, F.u) / sum_of(F.f, F.w)
        subtract_scaled_double(F.f, nu, F.w, F.u)
        mean = sum_of(F.f, F.u) / F.f                       # what rounding left of 1'u
        for i in range(F.f):
            F.u[i] -= mean
    return nu


cdef inline double settled(double x, double low, double high) noexcept nogil:
    """x within its bounds, and on a bound that it misses by rounding only."""
    cdef double width = high - low
    cdef double hair = 1e-15 * width if width < INFINITY else 0.0
    if x <= low + hair:
        return low
    return high if x >= high - hair else x


cdef Py_ssize_t walk(Free* F, double nu) noexcept nogil:
    """Go along u by 1, or to the first bound or kink; return the place of the variable that stopped there, or -1."""
    cdef Py_ssize_t i, first = -1
    cdef double length = 1.0, room
    for i in range(F.f):
        if F.u[i] != 0.0:
            room = ((F.high[i] if F.u[i] > 0.0 else F.low[i]) - F.x[i]) / F.u[i]
            if room <= length:
                length, first = room, i
    for i in range(F.f):
        F.x[i] = settled(F.x[i] + length * F.u[i], F.low[i], F.high[i])
        # slope -= length Q_FF u,   Q_FF u = slope - nu 1 - lifted u
        F.slope[i] -= length * (F.slope[i] - nu - F.lifted[i] * F.u[i])
    if first >= 0:
        F.x[first] = F.high[first] if F.u[first] > 0.0 else F.low[first]
    return first


cdef void drop(Free* F, Py_ssize_t k) noexcept nogil:
    """Take variable k out: its row leaves L, and rotations of neighboring columns make L triangular again."""
    cdef Py_ssize_t i, j
    cdef double* row
    cdef double* cosine = F.u
    cdef double* sine = F.w
    cdef double left, radius
    F.f -= 1
    for i in range(k, F.f):
        row = F.L + i * F.stride
        for j in range(i + 2):
            row[j] = row[F.stride + j]
        for j in range(k, i):
            left = row[j]
            row[j] = cosine[j] * left + sine[j] * row[j + 1]
            row[j + 1] = cosine[j] * row[j + 1] - sine[j] * left
        radius = sqrt(row[i] * row[i] + row[i + 1] * row[i + 1])
        cosine[i], sine[i] = row[i] / radius, row[i + 1] / radius
        row[i] = radius
        F.lifted[i], F.x[i], F.slope[i] = F.lifted[i + 1], F.x[i + 1], F.slope[i + 1]
        F.low[i], F.high[i], F.which[i] = F.low[i + 1], F.high[i + 1], F.which[i + 1]


cdef void load(Free* F, const uintptr_t[::1] Q, bint single, const double[::1] lo, const double[::1] hi,
               const double[::1] p, const double[::1] t, const Py_ssize_t[::1] index, const double[::1] a,
               const double[::1] g) noexcept nogil:
    """Copy the free variables and the lower triangle of their block."""
    cdef Py_ssize_t i, j, k
    for i in range(F.f):
        k = index[i]
        F.which[i] = i
        F.x[i], F.slope[i], F.low[i], F.high[i] = a[k], g[k], lo[k], hi[k]
        if p[k] > 0.0 and a[k] > t[k]:
            F.slope[i] -= p[k]
            F.low[i] = max(lo[k], t[k])
        elif p[k] > 0.0:
            F.slope[i] += p[k]
            F.high[i] = min(hi[k], t[k])
        for j in range(i + 1):
            if single:
                F.L[i * F.stride + j] = (<const float*> Q[k])[index[j]]
            else:
                F.L[i * F.stride + j] = (<const double*> Q[k])[index[j]]


cdef int allocate(Free* F, Py_ssize_t f) except -1:
    """Room for f variables in one piece, which begins at F.L."""
    F.L = <double*> malloc((f * f + 7 * f) * sizeof(double) + f * sizeof(Py_ssize_t))
    if F.L == NULL:
        raise MemoryError
    F.f = F.stride = f
    F.lifted = F.L + f * f
    F.x, F.slope, F.low = F.lifted + f, F.lifted + 2 * f, F.lifted + 3 * f
    F.high, F.u, F.w = F.lifted + 4 * f, F.lifted + 5 * f, F.lifted + 6 * f
    F.which = <Py_ssize_t*> (F.lifted + 7 * f)
    return 0


def newton_chain(const uintptr_t[::1] Q, bint single, const double[::1] lo, const double[::1] hi, const double[::1] p,
                 const double[::1] t, const Py_ssize_t[::1] index, bint equality, double[::1] a, double[::1] g):
    """Take Newton steps over the variables `index` of the block, which must be free, until one is not cut short.

    Q[i] is the address of row i of the block, in float32 if `single`, which must be complete for i in `index`.
    a and g change together at the end; a signal before that (Ctrl-C) leaves them as they were.  Returns the steps.
    """
    cdef Py_ssize_t f = index.shape[0], m = a.shape[0], i, k, first = 0, done = 0, steps = 0
    cdef Py_ssize_t fewest = 2 if equality else 1
    cdef double work = 0.0, mean = 0.0, change
    cdef double[::1] values = a.copy()
    cdef Free F
    allocate(&F, f)
    try:
        load(&F, Q, single, lo, hi, p, t, index, a, g)
        for i in range(f):
            mean += F.L[i * f + i] / f
        while done < f:
            with nogil:
                done = factor_rows(&F, done, max(mean, 1e-200), WORK_PER_POLL)
            PyErr_CheckSignals()
        while first >= 0 and F.f >= fewest:
            with nogil:
                first = walk(&F, find_direction(&F, equality))
                for i in range(F.f):
                    values[index[F.which[i]]] = F.x[i]
                if first >= 0:
                    drop(&F, first)
            steps += 1
            work += 4.0 * f * f
            if work > WORK_PER_POLL:
                work = 0.0
                PyErr_CheckSignals()
        with nogil:
            for i in range(f):
                k = index[i]
                change = values[k] - a[k]
                a[k] = values[k]
                # g -= Q delta
                if single:
                    subtract_scaled_float(m, change, <const float*> Q[k], &g[0])
                else:
                    subtract_scaled_double(m, change, <const double*> Q[k], &g[0])
        return steps
    finally:
        free(F.L)
