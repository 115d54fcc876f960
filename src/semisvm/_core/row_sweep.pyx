# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The two passes over rows that a linear objective needs, o = X w and g += X'v, for a range of rows.

Rows are dense or CSR, stored in float64 or float32; everything computed from them is float64. Coefficients have k
columns, (d, k) in C order, so that k one-vs-rest problems share each row while it is in the cache. The caller goes
over the rows in blocks that stay there from the first pass to the second, and may give each thread its own range: the
lock of the interpreter is released.
"""

ctypedef fused real:
    float
    double

ctypedef fused place:
    int
    long long


cdef inline double sparse_dot(const real* x, const place* at, Py_ssize_t m, const double* w) noexcept nogil:
    """sum_p x_p w[at_p], in four sums that do not wait for one another."""
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t p = 0
    while p + 4 <= m:
        a += x[p] * w[at[p]]
        b += x[p + 1] * w[at[p + 1]]
        c += x[p + 2] * w[at[p + 2]]
        d += x[p + 3] * w[at[p + 3]]
        p += 4
    while p < m:
        a += x[p] * w[at[p]]
        p += 1
    return (a + b) + (c + d)


def sparse_outputs(const real[::1] data, const place[::1] indices, const place[::1] indptr, Py_ssize_t start,
                   Py_ssize_t stop, const double[:, ::1] w, double[:, ::1] o):
    """o[start:stop] = X[start:stop] w."""
    cdef Py_ssize_t k = w.shape[1], i, j, p
    cdef const double* row
    if data.shape[0] == 0 or k == 0:
        o[start:stop] = 0.0
        return
    with nogil:
        for i in range(start, stop):
            if k == 1:
                o[i, 0] = sparse_dot(&data[0] + indptr[i], &indices[0] + indptr[i], indptr[i + 1] - indptr[i], &w[0, 0])
                continue
            for j in range(k):
                o[i, j] = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                row = &w[indices[p], 0]
                for j in range(k):
                    o[i, j] += data[p] * row[j]


def sparse_pull(const real[::1] data, const place[::1] indices, const place[::1] indptr, Py_ssize_t start,
                Py_ssize_t stop, const double[:, ::1] v, double[:, ::1] g):
    """g += X[start:stop]' v[start:stop]; rows whose v is zero are passed over."""
    cdef Py_ssize_t k = v.shape[1], i, j, p
    cdef double weight
    cdef double* sums
    with nogil:
        for i in range(start, stop):
            if k == 1:
                weight = v[i, 0]
                if weight != 0.0:
                    sums = &g[0, 0]
                    for p in range(indptr[i], indptr[i + 1]):
                        sums[indices[p]] += weight * data[p]
                continue
            for p in range(indptr[i], indptr[i + 1]):
                sums = &g[indices[p], 0]
                for j in range(k):
                    sums[j] += data[p] * v[i, j]


def dense_outputs(const real[:, ::1] X, Py_ssize_t start, Py_ssize_t stop, const double[:, ::1] w, double[:, ::1] o):
    """o[start:stop] = X[start:stop] w."""
    cdef Py_ssize_t d = X.shape[1], k = w.shape[1], i, j, q
    cdef double a, b, c, e
    cdef const real* x
    with nogil:
        for i in range(start, stop):
            for j in range(k):
                o[i, j] = 0.0
            if d == 0:
                continue
            x = &X[i, 0]
            if k > 1:
                for q in range(d):
                    for j in range(k):
                        o[i, j] += x[q] * w[q, j]
                continue
            a = b = c = e = 0.0
            q = 0
            while q + 4 <= d:
                a += x[q] * w[q, 0]
                b += x[q + 1] * w[q + 1, 0]
                c += x[q + 2] * w[q + 2, 0]
                e += x[q + 3] * w[q + 3, 0]
                q += 4
            while q < d:
                a += x[q] * w[q, 0]
                q += 1
            o[i, 0] = (a + b) + (c + e)


def dense_pull(const real[:, ::1] X, Py_ssize_t start, Py_ssize_t stop, const double[:, ::1] v, double[:, ::1] g):
    """g += X[start:stop]' v[start:stop]; rows whose v is zero are passed over."""
    cdef Py_ssize_t d = X.shape[1], k = v.shape[1], i, j, q
    cdef double weight
    cdef const real* x
    cdef double* sums
    if d == 0:
        return
    with nogil:
        for i in range(start, stop):
            x = &X[i, 0]
            sums = &g[0, 0]
            if k == 1:
                weight = v[i, 0]
                if weight != 0.0:
                    for q in range(d):
                        sums[q] += weight * x[q]
                continue
            for q in range(d):
                for j in range(k):
                    sums[q * k + j] += x[q] * v[i, j]
