/* Passes over one packed row of a tableau: the extreme rates at which support vectors lose their weight. */
#ifndef SEMISVM_TABLEAU_PASSES_H
#define SEMISVM_TABLEAU_PASSES_H

#include "descent_passes.h"

/* high = max(high, scale x),  low = min(low, scale x), entry by entry */
SEMISVM_PASS void widen(ptrdiff_t m, double scale, const double *restrict x, double *restrict high,
                        double *restrict low)
{
    SEMISVM_SIMD()
    for (ptrdiff_t t = 0; t < m; t++) {
        double v = scale * x[t];
        high[t] = v > high[t] ? v : high[t];
        low[t] = v < low[t] ? v : low[t];
    }
}

/* high = max(high, max_t x_t y_t),  low = min(low, min_t x_t y_t) */
SEMISVM_PASS void span(ptrdiff_t m, const double *restrict x, const double *restrict y, double *high, double *low)
{
    double top = *high, bottom = *low;
    SEMISVM_SIMD(reduction(max : top) reduction(min : bottom))
    for (ptrdiff_t t = 0; t < m; t++) {
        double v = x[t] * y[t];
        top = v > top ? v : top;
        bottom = v < bottom ? v : bottom;
    }
    *high = top;
    *low = bottom;
}

#endif
