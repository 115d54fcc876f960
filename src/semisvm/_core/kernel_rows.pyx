# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows of the Gram matrix at work: the block of a working set, and a step of it carried to all n variables.

Rows are stored raw, in float64 or float32; everything computed from them is float64.  Where the problem is centred
(its matrix is K - k0 1' - 1 k0' + k00), the rank-two correction is applied here; an empty k0 stands for none.
"""

from libc.stdlib cimport free, malloc

cdef extern from "descent_passes.h" nogil:
    void subtract_four_double(Py_ssize_t start, Py_ssize_t m, const double* d, const double* const* r, double* g)
    void subtract_four_float(Py_ssize_t start, Py_ssize_t m, const double* d, const float* const* r, double* g)

ctypedef fused real:
    float
    double

# Columns carried at a time, so that this part of g stays in the first-level cache while the rows stream by.
cdef Py_ssize_t COLUMNS_AT_ONCE = 1024


def gather(const real[:, ::1] store, const Py_ssize_t[::1] slots, const Py_ssize_t[::1] index,
           const double[::1] h, const double[::1] k0, double k00, Py_ssize_t known, double[:, ::1] Q):
    """Fill rows and columns known, ..., m-1 of the block Q[:m, :m]: the matrix at `index`, with diagonal h[index].

    Row r of the block is store[slots[r]] at the columns `index`; the matrix is taken as symmetric.
    """
    cdef Py_ssize_t m = index.shape[0], r, s
    cdef bint centred = k0.shape[0] > 0
    cdef const real* row
    with nogil:
        for r in range(known, m):
            row = &store[slots[r], 0]
            for s in range(r):
                Q[r, s] = row[index[s]]
            if centred:
                # Q = K - k0 1' - 1 k0' + k00
                for s in range(r):
                    Q[r, s] += k00 - k0[index[r]] - k0[index[s]]
            Q[r, r] = h[index[r]]
            for s in range(r):
                Q[s, r] = Q[r, s]


cdef void subtract_rows(const real** rows, const double* delta, Py_ssize_t m, Py_ssize_t n, double* g) noexcept nogil:
    """g -= sum_r delta_r rows_r, four rows at a time."""
    cdef Py_ssize_t start = 0, stop, r, s
    while start < n:
        stop = min(start + COLUMNS_AT_ONCE, n)
        r = 0
        while r + 4 <= m:
            if real is float:
                subtract_four_float(start, stop - start, delta + r, rows + r, g)
            else:
                subtract_four_double(start, stop - start, delta + r, rows + r, g)
            r += 4
        while r < m:
            for s in range(start, stop):
                g[s] -= delta[r] * rows[r][s]
            r += 1
        start = stop


def commit(const real[:, ::1] store, const Py_ssize_t[::1] slots, const Py_ssize_t[::1] index,
           const double[::1] values, const double[::1] d, const double[::1] k0, double k00,
           double[::1] a, double[::1] g):
    """Set a[index] = values and carry the change to the gradient of all n variables: g -= K delta + d delta."""
    cdef Py_ssize_t n = g.shape[0], r, moved = 0
    cdef double total = 0.0, drift = 0.0, change
    cdef const real** rows = <const real**> malloc(max(index.shape[0], 1) * sizeof(real*))
    cdef double* delta = <double*> malloc(max(index.shape[0], 1) * sizeof(double))
    if rows == NULL or delta == NULL:
        free(rows)
        free(delta)
        raise MemoryError
    with nogil:
        for r in range(index.shape[0]):
            change = values[r] - a[index[r]]
            if change != 0.0:
                rows[moved] = &store[slots[r], 0]
                delta[moved] = change
                moved += 1
                a[index[r]] = values[r]
                g[index[r]] -= d[index[r]] * change
                total += change
                if k0.shape[0] > 0:
                    drift += k0[index[r]] * change
        subtract_rows(rows, delta, moved, n, &g[0])
        if k0.shape[0] > 0:
            # (K - k0 1' - 1 k0' + k00) delta = K delta - k0 (1'delta) - 1 (k0'delta) + k00 (1'delta)
            for r in range(n):
                g[r] += k0[r] * total + drift - k00 * total
        free(rows)
        free(delta)
