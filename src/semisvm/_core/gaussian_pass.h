/* Products of rows turned into values of the rbf kernel, a row at a time, in the vector lanes of the processor.
 *
 *     exp(t) = 2^n exp(r),    n = round(t / ln 2),    r = t - n ln 2,    |r| <= ln 2 / 2
 *     exp(r) = 1 + r + r^2 q(r)
 *
 * q interpolates (exp(r) - 1 - r) / r^2 at Chebyshev points: its relative error of exp is 1e-8 in float and 2e-17 in
 * double, below the rounding of either. Values that would leave the normal numbers, below exp(-87) and exp(-708), are 0.
 */
#ifndef SEMISVM_GAUSSIAN_PASS_H
#define SEMISVM_GAUSSIAN_PASS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where the loader can choose at start-up (GCC on Linux with glibc), the pass is compiled three times, for any x86-64
 * and for processors with AVX2 and with AVX-512, so that one wheel serves all. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    __GNUC__ >= 12
#define SEMISVM_GAUSSIAN __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) static
#else
#define SEMISVM_GAUSSIAN static inline
#endif

/* exp(t) of t <= 0; NaN stays NaN. Adding 1.5 2^23 (or 2^52) rounds to a whole number and leaves it in the low bits. */
static inline float exp_float(float t)
{
    const float round_up = 0x1.8p23f;
    float n = t * 0x1.715476p0f + round_up, scale;
    uint32_t bits;
    memcpy(&bits, &n, sizeof bits);
    bits = (bits + 127) << 23; /* 2^n */
    memcpy(&scale, &bits, sizeof scale);
    n -= round_up;
    float r = t - n * 0x1.62e4p-1f; /* ln 2 in two parts, the first with so few digits that n times it is exact */
    r -= n * 0x1.7f7d1cp-20f;
    float q = 0x1.6d110ap-10f;
    q = q * r + 0x1.120b6ep-7f;
    q = q * r + 0x1.55551ap-5f;
    q = q * r + 0x1.5554dcp-3f;
    q = q * r + 0.5f;
    float value = (1.0f + (r + r * r * q)) * scale;
    return t < -87.0f ? 0.0f : value;
}

static inline double exp_double(double t)
{
    const double round_up = 0x1.8p52;
    double n = t * 0x1.71547652b82fep0 + round_up, scale;
    uint64_t bits;
    memcpy(&bits, &n, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&scale, &bits, sizeof scale);
    n -= round_up;
    double r = t - n * 0x1.62e42fefa2p-1;
    r -= n * 0x1.9ef35793c7673p-41;
    double q = 0x1.af38a9b0ec855p-26;
    q = q * r + 0x1.289185613a3d6p-22;
    q = q * r + 0x1.71de0dae63bb3p-19;
    q = q * r + 0x1.a019b90d2ae7ap-16;
    q = q * r + 0x1.a01a01a7c41d5p-13;
    q = q * r + 0x1.6c16c1788bd90p-10;
    q = q * r + 0x1.11111111109b3p-7;
    q = q * r + 0x1.5555555553d63p-5;
    q = q * r + 0x1.5555555555556p-3;
    q = q * r + 0x1.0000000000001p-1;
    double value = (1.0 + (r + r * r * q)) * scale;
    return t < -708.0 ? 0.0 : value;
}

/* row = exp(min(row - own - b, 0)) */
SEMISVM_GAUSSIAN void gaussian_float(ptrdiff_t m, float own, const float *restrict b, float *restrict row)
{
    _Pragma("omp simd")
    for (ptrdiff_t j = 0; j < m; j++) {
        float t = row[j] - own - b[j];
        row[j] = exp_float(t > 0.0f ? 0.0f : t);
    }
}

SEMISVM_GAUSSIAN void gaussian_double(ptrdiff_t m, double own, const double *restrict b, double *restrict row)
{
    _Pragma("omp simd")
    for (ptrdiff_t j = 0; j < m; j++) {
        double t = row[j] - own - b[j];
        row[j] = exp_double(t > 0.0 ? 0.0 : t);
    }
}

#endif
