# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The points that can be among the k nearest of each point, sieved out of products x'z tile by tile.

With h = |x|^2 / 2 the number h_x + h_z - x'z is half the squared distance, known up to c (h_x + h_z) by the rounding of
the products. A point is kept while its lower bound does not exceed the k-th least upper bound of those seen so far:

    low = (1 - c)(h_x + h_z) - x'z,      high = (1 + c)(h_x + h_z) - x'z = low + gap ((1 - c) h_x + (1 - c) h_z)

A tile serves its rows and its columns, so that every product is taken once.
"""

from libc.math cimport INFINITY

import numpy as np

cdef extern from "near_pass.h" nogil:
    Py_ssize_t next_near(Py_ssize_t start, Py_ssize_t m, const float* g, const float* h, const float* limit,
                         float own_h, float own_limit)
    double double_difference(Py_ssize_t d, const double* x, const double* z)
    double float_difference(Py_ssize_t d, const float* x, const float* z)

ctypedef fused real:
    float
    double


cdef float least(float* values, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """The k-th least value, counted from 0; reorders the values (Hoare's selection)."""
    cdef Py_ssize_t left = 0, right = n - 1, i, j
    cdef float pivot
    while left < right:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            right = j
        elif k >= i:
            left = i
        else:
            break
    return values[k]


cdef class Sieve:
    """Candidates of all n points, at most `room` each; a point that has more of them is `full` and keeps none."""

    cdef readonly Py_ssize_t k, room
    cdef float gap
    cdef const float[::1] h
    cdef float[::1] limit, scratch
    cdef float[:, ::1] low
    cdef int[:, ::1] found
    cdef int[::1] count

    def __init__(self, const float[::1] h, float gap, Py_ssize_t k, Py_ssize_t room):
        """`h` is (1 - c) |x|^2 / 2 of every point, `gap` 2 c / (1 - c)."""
        n = h.shape[0]
        self.h, self.gap, self.k, self.room = h, gap, k, room
        self.limit = np.full(n, np.inf, dtype=np.float32)
        self.scratch = np.empty(room, dtype=np.float32)
        self.low = np.empty((n, room), dtype=np.float32)
        self.found = np.empty((n, room), dtype=np.intc)
        self.count = np.zeros(n, dtype=np.intc)

    def take(self, const float[:, ::1] G, Py_ssize_t first_row, Py_ssize_t first_column):
        """Products of points in a row with points in a row; those of the same points are half of a square tile."""
        cdef Py_ssize_t a, b, i, j, m = G.shape[1]
        cdef bint same = first_row == first_column
        cdef float low
        with nogil:
            for a in range(G.shape[0]):
                i = first_row + a
                b = a + 1 if same else 0
                while True:
                    b = next_near(b, m, &G[a, 0], &self.h[first_column], &self.limit[first_column], self.h[i],
                                  self.limit[i])
                    if b >= m:
                        break
                    j = first_column + b
                    low = self.h[i] + self.h[j] - G[a, b]
                    if low <= self.limit[i]:
                        self.put(i, j, low)
                    if low <= self.limit[j]:
                        self.put(j, i, low)
                    b += 1

    cdef void put(self, Py_ssize_t i, Py_ssize_t j, float low) noexcept nogil:
        if self.count[i] == self.room:
            self.shake(i)
            if 4 * self.count[i] > 3 * self.room:
                # equal up to rounding: another way has to tell them apart
                self.count[i] = 0
                self.limit[i] = -INFINITY
            if low > self.limit[i]:
                return
        self.low[i, self.count[i]] = low
        self.found[i, self.count[i]] = <int> j
        self.count[i] += 1

    cdef void shake(self, Py_ssize_t i) noexcept nogil:
        """Lower the limit to the k-th least upper bound, and drop what is above it."""
        cdef Py_ssize_t s, kept = 0, n = self.count[i]
        if n <= self.k:
            return
        for s in range(n):
            self.scratch[s] = self.low[i, s] + self.gap * (self.h[i] + self.h[self.found[i, s]])
        self.limit[i] = least(&self.scratch[0], n, self.k - 1)
        for s in range(n):
            if self.low[i, s] <= self.limit[i]:
                self.low[i, kept] = self.low[i, s]
                self.found[i, kept] = self.found[i, s]
                kept += 1
        self.count[i] = <int> kept

    def candidates(self):
        """(row, point) of all that are left, rows ascending; and a mask of the rows that are full."""
        cdef Py_ssize_t i, s, at = 0, n = self.count.shape[0]
        full = np.zeros(n, dtype=bool)
        cdef unsigned char[::1] marked = full.view(np.uint8)
        for i in range(n):
            if self.limit[i] == -INFINITY:
                marked[i] = 1
            else:
                self.shake(i)
        rows, points = np.repeat(np.arange(n), self.count), np.empty(np.sum(self.count, dtype=np.int64), dtype=np.intp)
        cdef Py_ssize_t[::1] out = points
        for i in range(n):
            for s in range(self.count[i]):
                out[at] = self.found[i, s]
                at += 1
        return rows, points, full


def paired_squares(const real[:, ::1] X, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] columns):
    """|x_r - x_c|^2 of row pairs, in float64."""
    cdef Py_ssize_t p, d = X.shape[1]
    squares = np.zeros(rows.shape[0])
    cdef double[::1] out = squares
    if d == 0:
        return squares
    with nogil:
        for p in range(rows.shape[0]):
            if real is float:
                out[p] = float_difference(d, &X[rows[p], 0], &X[columns[p], 0])
            else:
                out[p] = double_difference(d, &X[rows[p], 0], &X[columns[p], 0])
    return squares
