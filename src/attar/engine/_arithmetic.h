/* Small functions on vectors of eight floats that more than one file of kernels needs. */

#ifndef ATTAR_ARITHMETIC
#define ATTAR_ARITHMETIC

#include <math.h>

#include "_vectors.h"

static inline float sum_of(v8 x) { return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7])); }

static inline v8 pick(u8 first, v8 a, v8 b) { return (v8)(((u8)a & first) | ((u8)b & ~first)); }

/* e^x for x <= 0, relative error 1e-7; 0 below -87, NaN of NaN. x = n ln 2 + r, with a polynomial in f = r / ln 2 for 2^f. */
static inline v8 exp_below(v8 x) {
    const v8 shift = all(12582912.0f); /* 1.5 * 2^23: adding it rounds to the nearest integer */
    u8 fits = (u8)(x >= all(-87.0f)), strange = (u8)(x != x);
    x = pick(fits, x, all(-87.0f));
    v8 rounded = fused(x, all(1.44269504f), shift);
    v8 n = rounded - shift;
    v8 f = fused(n, all(-0.693359375f), x); /* ln 2 in two parts, the first without rounding */
    f = fused(n, all(2.12194440e-4f), f) * 1.44269504f;
    v8 p = all(1.327645254e-03f);
    p = fused(p, f, all(9.675542278e-03f));
    p = fused(p, f, all(5.550713343e-02f));
    p = fused(p, f, all(2.402211971e-01f));
    p = fused(p, f, all(6.931469670e-01f));
    p = fused(p, f, all(1.0f));
    u8 exponent = (u8)rounded << 23; /* the integer stands in the low bits */
    return (v8)((((u8)p + exponent) & fits) | strange);
}

/* 1 / (1 + e^-x) */
static inline v8 sigmoid_of(v8 x) {
    u8 above = (u8)(x > all(0));
    v8 e = exp_below(pick(above, -x, x)); /* e^-|x| */
    return pick(above, all(1.0f), e) / (e + 1.0f);
}

#endif
