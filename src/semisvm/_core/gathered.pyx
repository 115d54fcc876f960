# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Entries of a symmetric matrix for some of its points, centered and scaled on the way: one pass, one triangle."""

ctypedef fused real:
    float
    double


def scaled_triangle(const real[:, ::1] K, const Py_ssize_t[::1] rows, const double[::1] scale, const double[::1] less,
                    double[:, ::1] out):
    """out_ij = s_i (K_ij - c_i - c_j) s_j for i >= j, of the points in rows; above the diagonal out stays as it is."""
    cdef Py_ssize_t m = rows.shape[0], i, j
    cdef const real* row
    cdef double* into
    cdef double s, c
    with nogil:
        for i in range(m):
            row, into = &K[rows[i], 0], &out[i, 0]
            s, c = scale[i], less[i]
            for j in range(i + 1):
                into[j] = s * (row[rows[j]] - c - less[j]) * scale[j]
