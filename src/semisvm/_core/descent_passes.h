/* The passes over a block that every descent step makes, written so that a compiler may use its vector lanes.
 *
 * The `omp simd` lines need no OpenMP runtime (-fopenmp-simd); a compiler that does not know them compiles the
 * same loops one entry at a time. They are needed because a maximum over doubles is otherwise kept in sequence.
 *
 * rise[t] and fall[t] turn g into the one-sided slopes of the (negative) objective at a[t]:
 *     g + rise  is the gain per unit of moving a[t] up,     -infinity where a[t] = hi[t]
 *     g + fall  is the loss per unit of moving a[t] down,   +infinity where a[t] = lo[t]
 */
#ifndef SEMISVM_DESCENT_PASSES_H
#define SEMISVM_DESCENT_PASSES_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Where the loader can choose at start-up (GCC on Linux with glibc), each pass is compiled twice, for any x86-64 and
 * for processors with AVX2, so that one wheel serves both. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define SEMISVM_PASS __attribute__((target_clones("avx2", "default"))) static
#else
#define SEMISVM_PASS static inline
#endif

#define SEMISVM_PRAGMA(TEXT) _Pragma(#TEXT)
#define SEMISVM_SIMD(CLAUSES) SEMISVM_PRAGMA(omp simd CLAUSES)

/* The least curvature a step divides by: duplicates make K_ii + K_jj - 2 K_ij vanish or fall below zero. */
#define SEMISVM_LEAST_CURVATURE 1e-12

/* The first t with g[t] + rise[t] = top. */
SEMISVM_PASS ptrdiff_t find_top(ptrdiff_t m, double top, const double *g, const double *rise)
{
    ptrdiff_t t = 0;
    while (t < m - 1 && g[t] + rise[t] != top) t++;
    return t;
}

/* x'y */
SEMISVM_PASS double dot(ptrdiff_t m, const double *restrict x, const double *restrict y)
{
    double sum = 0.0;
    SEMISVM_SIMD(reduction(+ : sum))
    for (ptrdiff_t t = 0; t < m; t++) sum += x[t] * y[t];
    return sum;
}

/* The passes that read rows of the block, for rows in float64 and in float32. */
#define SEMISVM_PASSES(REAL)                                                                                          \
    /* g -= step (row_i - row_j);  top = max(g + rise),  bottom = min(g + fall) */                                    \
    SEMISVM_PASS void move_pair_##REAL(ptrdiff_t m, double step, const REAL *restrict row_i,                          \
                                       const REAL *restrict row_j, double *restrict g, const double *restrict rise,   \
                                       const double *restrict fall, double *top, double *bottom)                      \
    {                                                                                                                 \
        double highest = -INFINITY, lowest = INFINITY;                                                                \
        SEMISVM_SIMD(reduction(max : highest) reduction(min : lowest))                                                \
        for (ptrdiff_t t = 0; t < m; t++) {                                                                           \
            double moved = g[t] - step * ((double)row_i[t] - (double)row_j[t]);                                       \
            double up = moved + rise[t], down = moved + fall[t];                                                      \
            g[t] = moved;                                                                                             \
            highest = up > highest ? up : highest;                                                                    \
            lowest = down < lowest ? down : lowest;                                                                   \
        }                                                                                                             \
        *top = highest;                                                                                               \
        *bottom = lowest;                                                                                             \
    }                                                                                                                 \
                                                                                                                      \
    /* argmax_t (top - g_t)^2 / (h_i + h_t - 2 K_it)  over the t that can move down and lie below top */              \
    SEMISVM_PASS ptrdiff_t second_order_partner_##REAL(ptrdiff_t m, double top, double h_i,                           \
                                                       const REAL *restrict row_i, const double *restrict h,          \
                                                       const double *restrict g, const double *restrict fall,         \
                                                       double *restrict score)                                        \
    {                                                                                                                 \
        double best = 0.0;                                                                                            \
        SEMISVM_SIMD(reduction(max : best))                                                                           \
        for (ptrdiff_t t = 0; t < m; t++) {                                                                           \
            double gap = top - (g[t] + fall[t]);                                                                      \
            double curvature = h_i + h[t] - 2.0 * row_i[t];                                                           \
            gap = gap > 0.0 ? gap : 0.0;                                                                              \
            curvature = curvature > SEMISVM_LEAST_CURVATURE ? curvature : SEMISVM_LEAST_CURVATURE;                    \
            score[t] = gap * gap / curvature;                                                                         \
            best = score[t] > best ? score[t] : best;                                                                 \
        }                                                                                                             \
        ptrdiff_t j = 0;                                                                                              \
        while (j < m - 1 && score[j] < best) j++;                                                                     \
        return j;                                                                                                     \
    }                                                                                                                 \
                                                                                                                      \
    /* g -= step row_i;  worst = max_t v_t with v = max(g + rise, -(g + fall), 0);  returns argmax_t v_t^2 / h_t */   \
    SEMISVM_PASS ptrdiff_t move_coordinate_##REAL(ptrdiff_t m, double step, const REAL *restrict row_i,               \
                                                  double *restrict g, const double *restrict rise,                    \
                                                  const double *restrict fall, const double *restrict h_inverse,      \
                                                  double *restrict score, double *worst)                              \
    {                                                                                                                 \
        double highest = 0.0, best = 0.0;                                                                             \
        SEMISVM_SIMD(reduction(max : highest) reduction(max : best))                                                  \
        for (ptrdiff_t t = 0; t < m; t++) {                                                                           \
            double moved = g[t] - step * row_i[t];                                                                    \
            double up = moved + rise[t], down = -(moved + fall[t]);                                                   \
            double v = up > down ? up : down;                                                                         \
            g[t] = moved;                                                                                             \
            v = v > 0.0 ? v : 0.0;                                                                                    \
            score[t] = v * v * h_inverse[t];                                                                          \
            highest = v > highest ? v : highest;                                                                      \
            best = score[t] > best ? score[t] : best;                                                                 \
        }                                                                                                             \
        *worst = highest;                                                                                             \
        ptrdiff_t i = 0;                                                                                              \
        while (i < m - 1 && score[i] < best) i++;                                                                     \
        return i;                                                                                                     \
    }                                                                                                                 \
                                                                                                                      \
    /* y -= scale x */                                                                                                \
    SEMISVM_PASS void subtract_scaled_##REAL(ptrdiff_t m, double scale, const REAL *restrict x, double *restrict y)   \
    {                                                                                                                 \
        SEMISVM_SIMD()                                                                                                \
        for (ptrdiff_t t = 0; t < m; t++) y[t] -= scale * x[t];                                                       \
    }                                                                                                                 \
                                                                                                                      \
    /* g -= d[0] r[0] + d[1] r[1] + d[2] r[2] + d[3] r[3], on m entries from `start` */                               \
    SEMISVM_PASS void subtract_four_##REAL(ptrdiff_t start, ptrdiff_t m, const double *d, const REAL *const *r,       \
                                           double *restrict g)                                                        \
    {                                                                                                                 \
        const double d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3];                                                      \
        const REAL *restrict r0 = r[0] + start, *restrict r1 = r[1] + start;                                          \
        const REAL *restrict r2 = r[2] + start, *restrict r3 = r[3] + start;                                          \
        g += start;                                                                                                   \
        SEMISVM_SIMD()                                                                                                \
        for (ptrdiff_t t = 0; t < m; t++)                                                                             \
            g[t] -= (d0 * r0[t] + d1 * r1[t]) + (d2 * r2[t] + d3 * r3[t]);                                            \
    }

SEMISVM_PASSES(double)
SEMISVM_PASSES(float)

#endif
