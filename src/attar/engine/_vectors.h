/* Vectors of eight floats: GCC and Clang vector extensions, which the compiler maps to what the machine has. It must not
   join products and sums by itself (-ffp-contract=off): norms and scalings round as torch's do, only `fused` does not. */

#ifndef ATTAR_VECTORS
#define ATTAR_VECTORS

#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef __F16C__
#include <cpuid.h>
/* Not every compiler knows this one by name. */
static inline int converts_halves(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}
#endif

#define LANES 8

typedef float v8 __attribute__((vector_size(32)));
typedef uint32_t u8 __attribute__((vector_size(32)));
typedef float v8u __attribute__((vector_size(32), aligned(4), may_alias)); /* at any address */

static inline v8 load(const float *at) { return *(const v8u *)at; }
static inline void store(float *at, v8 x) { *(v8u *)at = x; }
static inline v8 all(float x) { return (v8){x, x, x, x, x, x, x, x}; }

/* The last, incomplete vector of a row. */
static inline v8 load_some(const float *at, int64_t n) {
    float held[LANES] = {0};
    memcpy(held, at, (size_t)n * sizeof(float));
    return load(held);
}

static inline void store_some(float *at, v8 x, int64_t n) { memcpy(at, &x, (size_t)n * sizeof(float)); }

static inline v8 fused(v8 a, v8 b, v8 c) { /* a * b + c, rounded once */
#ifdef __AVX2__
    return (v8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (int i = 0; i < LANES; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

#ifdef __AVX2__ /* of two that can't be compared, the second */
static inline v8 smaller(v8 a, v8 b) { return (v8)_mm256_min_ps((__m256)a, (__m256)b); }
static inline v8 larger(v8 a, v8 b) { return (v8)_mm256_max_ps((__m256)a, (__m256)b); }
#else
static inline v8 choose(u8 first, v8 a, v8 b) { return (v8)(((u8)a & first) | ((u8)b & ~first)); }
static inline v8 smaller(v8 a, v8 b) { return choose((u8)(a < b), a, b); }
static inline v8 larger(v8 a, v8 b) { return choose((u8)(a > b), a, b); }
#endif

#endif
