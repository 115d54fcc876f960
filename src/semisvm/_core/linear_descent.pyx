# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The centered box problem of linear functions (concave-convex and squared-hinge duals), without a Gram matrix.

    min_v  1/2 |w|^2 + 1/2 sum_i r_i v_i^2 - c'v + sum_i p_i |v_i - t_i|      lo <= v <= hi,      w = sum_i v_i (x_i - m)

m is the mean of some rows. It is never subtracted from a row, so sparse rows stay sparse: with the two scalars
S = sum_i v_i and M = sum_i v_i k0_i, the sum W = sum_i v_i x_i, k0_i = x_i'm and k00 = m'm,

    o_i = w'(x_i - m) = x_i'W - S k0_i - M + S k00

and a step of v_i costs one pass over the entries of x_i. Single variables are minimized over exactly, in an order
drawn anew for every pass; variables that sit at a bound or a kink and push against it are left out until the others
have settled (Hsieh, Chang, Lin, Keerthi and Sundararajan: A dual coordinate descent method for large-scale linear SVM,
2008).
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t

from time import monotonic

ctypedef fused real:
    float
    double

cdef extern from "sample_rows.h" nogil:
    double dense_dot_float(Py_ssize_t d, const float* x, const double* w)
    double dense_dot_double(Py_ssize_t d, const double* x, const double* w)
    void dense_add_float(Py_ssize_t d, double step, const float* x, double* w)
    void dense_add_double(Py_ssize_t d, double step, const double* x, double* w)
    double sparse_dot_float(Py_ssize_t m, const float* x, const int32_t* at, const double* w)
    double sparse_dot_double(Py_ssize_t m, const double* x, const int32_t* at, const double* w)
    void sparse_add_float(Py_ssize_t m, double step, const float* x, const int32_t* at, double* w)
    void sparse_add_double(Py_ssize_t m, double step, const double* x, const int32_t* at, double* w)

cdef double LEAST_CURVATURE = 1e-12


cdef struct Sums:
    double* W           # sum_i v_i x_i
    double S            # sum_i v_i
    double M            # sum_i v_i k0_i


cdef inline double product(const real* x, const int32_t* at, Py_ssize_t m, const double* W) noexcept nogil:
    """x'W."""
    if real is float:
        return dense_dot_float(m, x, W) if at == NULL else sparse_dot_float(m, x, at, W)
    else:
        return dense_dot_double(m, x, W) if at == NULL else sparse_dot_double(m, x, at, W)


cdef inline void add(const real* x, const int32_t* at, Py_ssize_t m, double step, double* W) noexcept nogil:
    """W += step x."""
    if real is float:
        if at == NULL:
            dense_add_float(m, step, x, W)
        else:
            sparse_add_float(m, step, x, at, W)
    else:
        if at == NULL:
            dense_add_double(m, step, x, W)
        else:
            sparse_add_double(m, step, x, at, W)


cdef inline uint64_t draw(uint64_t* state) noexcept nogil:
    """The next number of a xorshift sequence."""
    state[0] ^= state[0] << 13
    state[0] ^= state[0] >> 7
    state[0] ^= state[0] << 17
    return state[0]


cdef inline double minimizer(double v, double g, double h, double p, double t, double lo, double hi) noexcept nogil:
    """clip(t + soft(v + g/h - t, p/h)): the exact minimizer over one variable."""
    cdef double new = v + g / h, pull = p / h
    if new > t + pull:
        new -= pull
    elif new < t - pull:
        new += pull
    else:
        new = t
    return min(max(new, lo), hi)


def descend_rows(const real[::1] data, const int32_t[::1] indices, const int64_t[::1] indptr, Py_ssize_t n_features,
                 const double[::1] k0, double k00, const double[::1] h, const double[::1] r, const double[::1] c,
                 const double[::1] lo, const double[::1] hi, const double[::1] p, const double[::1] t, double[::1] v, double[::1] W,
                 int32_t[::1] order, double tol, Py_ssize_t max_passes, double deadline, uint64_t seed, bint free_bias):
    """Minimize over v in place, W = sum_i v_i x_i with it, until no one-sided slope exceeds tol; return (passes, violation, b).

    h is the curvature of each variable, its ridge included. Rows are csr where `indices` is not empty, else dense with n_features entries each. `order` holds 0..n-1 in any order.

    A free bias b minimizes max_v [-J(v) - b S]: after every pass it takes a proximal step of weight k00, b <- b + S k00, and
    at rest S = 0. Rows are not centered then. b stays 0 where it is not free.
    """
    cdef Py_ssize_t n = v.shape[0], m = n_features, active = n, at, other, i, passes = 0
    cdef bint sparse = indptr.shape[0] > 0
    cdef const real* x
    cdef const int32_t* places = NULL
    cdef const int32_t* first_place = NULL
    cdef double g, up, down, violation, worst = INFINITY, limit = INFINITY, new, curvature, b = 0.0
    cdef uint64_t state = seed * 2 + 1
    cdef int32_t swap
    cdef Sums sums
    cdef const real* first = NULL
    if n == 0:
        return 0, 0.0, 0.0
    if data.shape[0]:
        first = &data[0]
    if sparse and indices.shape[0]:
        first_place = &indices[0]
    sums.W, sums.S, sums.M = &W[0], 0.0, 0.0
    for i in range(n):
        sums.S += v[i]
        sums.M += v[i] * k0[i]
    while passes < max_passes:
        with nogil:
            for at in range(active - 1):
                other = at + <Py_ssize_t> (draw(&state) % <uint64_t> (active - at))
                swap = order[at]
                order[at] = order[other]
                order[other] = swap
            worst, at = 0.0, 0
            while at < active:
                i = order[at]
                if sparse:
                    m = indptr[i + 1] - indptr[i]
                    x, places = first + indptr[i], first_place + indptr[i]
                else:
                    x = first + i * m
                # g_i = c_i - b - r_i v_i - o_i,   o_i = x_i'W - S k0_i - M + S k00
                g = c[i] - b - r[i] * v[i] - (product(x, places, m, sums.W) if m else 0.0)
                g += sums.S * (k0[i] - k00) + sums.M
                up = -INFINITY if v[i] >= hi[i] else g - (p[i] if v[i] >= t[i] else -p[i])
                down = INFINITY if v[i] <= lo[i] else g - (-p[i] if v[i] <= t[i] else p[i])
                violation = max(up, -down)
                if violation < -limit:
                    # settled, with room to spare: looked at again when the others are done
                    active -= 1
                    order[at] = order[active]
                    order[active] = <int32_t> i
                    continue
                if violation > 0.0:
                    worst = max(worst, violation)
                    curvature = h[i] if h[i] > LEAST_CURVATURE else LEAST_CURVATURE
                    new = minimizer(v[i], g, curvature, p[i], t[i], lo[i], hi[i])
                    if new != v[i]:
                        if m:
                            add(x, places, m, new - v[i], sums.W)
                        sums.S += new - v[i]
                        sums.M += (new - v[i]) * k0[i]
                        v[i] = new
                at += 1
        passes += 1
        if free_bias:
            b += sums.S * k00
        PyErr_CheckSignals()
        if monotonic() >= deadline:
            break
        if worst < tol:
            if active == n:
                break
            active, limit = n, INFINITY
        else:
            limit = worst
    return passes, worst, b
