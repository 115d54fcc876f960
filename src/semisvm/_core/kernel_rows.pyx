# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A step of a working set carried to the gradient of all n variables, by the rows of the Gram matrix.

Rows are given by their addresses (whoever calls keeps them alive), raw, in float64 or float32; everything computed from
them is float64.  Where the problem is centered (its matrix is K - k0 1' - 1 k0' + k00), the rank-two correction is
applied here; an empty k0 stands for none.
"""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, malloc

cdef extern from "descent_passes.h" nogil:
    void subtract_four_double(Py_ssize_t start, Py_ssize_t m, const double* d, const double* const* r, double* g)
    void subtract_four_float(Py_ssize_t start, Py_ssize_t m, const double* d, const float* const* r, double* g)

ctypedef fused real:
    float
    double

# Columns carried at a time, so that this part of g stays in the first-level cache while the rows stream by.
cdef Py_ssize_t COLUMNS_AT_ONCE = 1024


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


def commit(const uintptr_t[::1] rows, bint single, const Py_ssize_t[::1] index, const double[::1] values,
           const double[::1] d, const double[::1] k0, double k00, double[::1] a, double[::1] g):
    """Set a[index] = values and carry the change to the gradient of all n variables: g -= K delta + d delta."""
    cdef Py_ssize_t n = g.shape[0], m = index.shape[0], r, moved = 0
    cdef double total = 0.0, drift = 0.0, change
    cdef uintptr_t* where = <uintptr_t*> malloc((m + 1) * sizeof(uintptr_t))
    cdef double* delta = <double*> malloc((m + 1) * sizeof(double))
    if where == NULL or delta == NULL:
        free(where)
        free(delta)
        raise MemoryError
    with nogil:
        for r in range(m):
            change = values[r] - a[index[r]]
            if change != 0.0:
                where[moved], delta[moved] = rows[r], change
                moved += 1
                a[index[r]] = values[r]
                g[index[r]] -= d[index[r]] * change
                total += change
                if k0.shape[0] > 0:
                    drift += k0[index[r]] * change
        if single:
            subtract_rows(<const float**> where, delta, moved, n, &g[0])
        else:
            subtract_rows(<const double**> where, delta, moved, n, &g[0])
        if k0.shape[0] > 0:
            # (K - k0 1' - 1 k0' + k00) delta = K delta - k0 (1'delta) - 1 (k0'delta) + k00 (1'delta)
            for r in range(n):
                g[r] += k0[r] * total + drift - k00 * total
        free(where)
        free(delta)
