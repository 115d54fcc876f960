/* A row of the data against a vector of coefficients, dense or sparse, float32 or float64, summed in float64.
 *
 * The `omp simd` lines need no OpenMP runtime (-fopenmp-simd); a compiler that does not know them compiles the same
 * loops one entry at a time.
 */
#ifndef SEMISVM_SAMPLE_ROWS_H
#define SEMISVM_SAMPLE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define SEMISVM_ROWS(name, real)                                                                                       \
    /* x'w */                                                                                                          \
    static inline double dense_dot_##name(ptrdiff_t d, const real *restrict x, const double *restrict w)               \
    {                                                                                                                  \
        double sum = 0.0;                                                                                              \
        _Pragma("omp simd reduction(+ : sum)") for (ptrdiff_t j = 0; j < d; j++) sum += x[j] * w[j];                   \
        return sum;                                                                                                    \
    }                                                                                                                  \
    /* w += step x */                                                                                                  \
    static inline void dense_add_##name(ptrdiff_t d, double step, const real *restrict x, double *restrict w)          \
    {                                                                                                                  \
        _Pragma("omp simd") for (ptrdiff_t j = 0; j < d; j++) w[j] += step * x[j];                                     \
    }                                                                                                                  \
    static inline double sparse_dot_##name(ptrdiff_t m, const real *restrict x, const int32_t *restrict at,            \
                                           const double *restrict w)                                                   \
    {                                                                                                                  \
        double sum = 0.0;                                                                                              \
        for (ptrdiff_t j = 0; j < m; j++) sum += x[j] * w[at[j]];                                                      \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static inline void sparse_add_##name(ptrdiff_t m, double step, const real *restrict x, const int32_t *restrict at, \
                                         double *restrict w)                                                           \
    {                                                                                                                  \
        for (ptrdiff_t j = 0; j < m; j++) w[at[j]] += step * x[j];                                                     \
    }

SEMISVM_ROWS(float, float)
SEMISVM_ROWS(double, double)

#endif
