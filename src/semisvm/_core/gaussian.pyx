# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""exp(min(t - a - b, 0)) of all entries t of a matrix, in place: the rbf kernel where t = 2 gamma x'z.

a and b are gamma |x|^2 of the rows and gamma |z|^2 of the columns. One pass over the matrix, without the lock of the
interpreter; numpy takes four.
"""

cdef extern from "gaussian_pass.h" nogil:
    void gaussian_float(Py_ssize_t m, float own, const float* b, float* row)
    void gaussian_double(Py_ssize_t m, double own, const double* b, double* row)

ctypedef fused real:
    float
    double


def gaussian(real[:, :] tile, const real[:, :] a, const real[::1] b):
    """Turn `tile` into kernel values; `a` has one column, and the entries of a row of `tile` are neighbors in memory."""
    cdef Py_ssize_t n = tile.shape[0], m = tile.shape[1], i
    if n == 0 or m == 0:
        return
    if tile.strides[1] != sizeof(real) or a.shape[0] != n or b.shape[0] != m:
        raise ValueError("gaussian() needs rows without gaps, and one number for every row and every column.")
    with nogil:
        for i in range(n):
            if real is float:
                gaussian_float(m, a[i, 0], &b[0], &tile[i, 0])
            else:
                gaussian_double(m, a[i, 0], &b[0], &tile[i, 0])
