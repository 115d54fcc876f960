# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which variables of the box problem (see box_qp) enter its working set: the worst violators outside."""

from libc.stdlib cimport free, malloc

import numpy as np


cdef void put_largest_first(const double* key, Py_ssize_t* items, Py_ssize_t n, Py_ssize_t count) noexcept nogil:
    """Reorder the items so that the `count` of largest key come first (Hoare's selection)."""
    cdef Py_ssize_t left = 0, right = n - 1, i, j
    cdef double pivot
    while left < right:
        pivot = key[items[(left + right) // 2]]
        i, j = left, right
        while i <= j:
            while key[items[i]] > pivot:
                i += 1
            while key[items[j]] < pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if count <= j:
            right = j
        elif count >= i:
            left = i
        else:
            return


def worst_outside(const double[::1] violations, const double[::1] g, double middle, const unsigned char[::1] inside,
                  const unsigned char[::1] at_hand, double preference, double threshold, Py_ssize_t count,
                  const Py_ssize_t[::1] order, bint equality):
    """At most `count` variables that are not inside the working set and violate by more than the threshold.

    The violation of a variable whose row is at hand counts `preference` times.  With the equality as many that want to
    rise (g > middle) as want to fall are taken, where there are; among equals the first in `order`, roughly.
    """
    cdef Py_ssize_t n = violations.shape[0], s, i, n_up = 0, n_down = 0, up_count, down_count
    cdef double* key = <double*> malloc((n + 1) * sizeof(double))
    cdef Py_ssize_t* up = <Py_ssize_t*> malloc((2 * n + 1) * sizeof(Py_ssize_t))
    cdef Py_ssize_t* down = up + n
    if key == NULL or up == NULL:
        free(key)
        free(up)
        raise MemoryError
    with nogil:
        for s in range(n):
            i = order[s]
            if violations[i] > threshold and not inside[i]:
                key[i] = violations[i] * (preference if at_hand[i] else 1.0)
                if equality and g[i] <= middle:
                    down[n_down] = i
                    n_down += 1
                else:
                    up[n_up] = i
                    n_up += 1
        # half from each side, and more from one where the other has fewer
        up_count = min(n_up, max(count - n_down, count // 2 if equality else count))
        down_count = min(n_down, count - up_count)
        put_largest_first(key, up, n_up, up_count)
        put_largest_first(key, down, n_down, down_count)
    chosen = np.empty(up_count + down_count, dtype=np.intp)
    cdef Py_ssize_t[::1] out = chosen
    for s in range(up_count):
        out[s] = up[s]
    for s in range(down_count):
        out[up_count + s] = down[s]
    free(key)
    free(up)
    return chosen
