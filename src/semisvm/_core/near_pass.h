/* The pass over a row of products that looks for near points, written so that a compiler may use its vector lanes. */
#ifndef SEMISVM_NEAR_PASS_H
#define SEMISVM_NEAR_PASS_H

#include <stddef.h>

/* Where the loader can choose at start-up (GCC on Linux with glibc), the passes are compiled twice, for any x86-64 and
 * for processors with AVX2, so that one wheel serves both. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define SEMISVM_NEAR __attribute__((target_clones("avx2", "default"))) static
#else
#define SEMISVM_NEAR static inline
#endif

#define SEMISVM_AT_ONCE 64

/* The first j from `start` on with own_h + h[j] - g[j] <= max(own_limit, limit[j]); m where there is none. */
SEMISVM_NEAR ptrdiff_t next_near(ptrdiff_t start, ptrdiff_t m, const float *restrict g, const float *restrict h,
                                 const float *restrict limit, float own_h, float own_limit)
{
    ptrdiff_t j = start;
    while (j + SEMISVM_AT_ONCE <= m) {
        int any = 0;
        _Pragma("omp simd reduction(| : any)")
        for (int t = 0; t < SEMISVM_AT_ONCE; t++) {
            float bound = limit[j + t] > own_limit ? limit[j + t] : own_limit;
            any |= own_h + h[j + t] - g[j + t] <= bound;
        }
        if (any) break;
        j += SEMISVM_AT_ONCE;
    }
    for (; j < m; j++) {
        float bound = limit[j] > own_limit ? limit[j] : own_limit;
        if (own_h + h[j] - g[j] <= bound) return j;
    }
    return m;
}

/* |x - z|^2 */
SEMISVM_NEAR double double_difference(ptrdiff_t d, const double *restrict x, const double *restrict z)
{
    double sum = 0.0;
    _Pragma("omp simd reduction(+ : sum)")
    for (ptrdiff_t q = 0; q < d; q++) sum += (x[q] - z[q]) * (x[q] - z[q]);
    return sum;
}

SEMISVM_NEAR double float_difference(ptrdiff_t d, const float *restrict x, const float *restrict z)
{
    double sum = 0.0;
    _Pragma("omp simd reduction(+ : sum)")
    for (ptrdiff_t q = 0; q < d; q++) {
        double difference = (double)x[q] - (double)z[q];
        sum += difference * difference;
    }
    return sum;
}

#endif
