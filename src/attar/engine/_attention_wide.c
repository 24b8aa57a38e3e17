/* Attention by vectors of sixteen. Every number is added up in the same order as by vectors of eight (_kernels.c). */

#include "_wide.h"
#ifdef ATTAR_HAS_WIDE
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq")
#include <immintrin.h>
#include <math.h>

#include "_attention.h"

#define WIDE_LANES 16

static inline __mmask16 some(int64_t n) { return n >= WIDE_LANES ? (__mmask16)0xFFFF : (__mmask16)((1u << n) - 1); }
static inline __m512 all16(float x) { return _mm512_set1_ps(x); }

/* scores = queries . keys for `rows` queries (known when compiled) and one or two blocks of keys, of which `n` scores
   are stored. */
static inline __attribute__((always_inline)) void score(const float *queries, const float *keys, int64_t width, int64_t dh,
                                                        float *scores, int64_t n, const int rows, const int two) {
    __m512 a[ROWS], b[ROWS];
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) a[i] = b[i] = _mm512_setzero_ps();
    for (int64_t d = 0; d < dh; d++) {
        const __m512 k = _mm512_loadu_ps(keys + d * KEYS), l = two ? _mm512_loadu_ps(keys + KEYS * dh + d * KEYS) : k;
#pragma GCC unroll 12
        for (int i = 0; i < rows; i++) {
            const __m512 q = all16(queries[i * dh + d]);
            a[i] = _mm512_fmadd_ps(k, q, a[i]);
            if (two) b[i] = _mm512_fmadd_ps(l, q, b[i]);
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) {
        _mm512_mask_storeu_ps(scores + i * width, some(n), a[i]);
        if (two) _mm512_mask_storeu_ps(scores + i * width + KEYS, some(n - KEYS), b[i]);
    }
}

/* As exp_of in _kernels.c, step by step. */
static inline __m512 exp16(__m512 x) {
    const __m512 shift = all16(12582912.0f);
    const __mmask16 strange = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    x = _mm512_max_ps(x, all16(-87.0f));
    __m512 rounded = _mm512_fmadd_ps(x, all16(1.44269504f), shift), n = _mm512_sub_ps(rounded, shift);
    __m512 f = _mm512_fmadd_ps(n, all16(-0.693359375f), x);
    f = _mm512_mul_ps(_mm512_fmadd_ps(n, all16(2.12194440e-4f), f), all16(1.44269504f));
    __m512 p = all16(1.327645254e-03f);
    p = _mm512_fmadd_ps(p, f, all16(9.675542278e-03f));
    p = _mm512_fmadd_ps(p, f, all16(5.550713343e-02f));
    p = _mm512_fmadd_ps(p, f, all16(2.402211971e-01f));
    p = _mm512_fmadd_ps(p, f, all16(6.931469670e-01f));
    p = _mm512_fmadd_ps(p, f, all16(1.0f));
    __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(rounded), 23);
    const __m512i joined = _mm512_add_epi32(_mm512_castps_si512(p), exponent);
    return _mm512_castsi512_ps(_mm512_mask_set1_epi32(joined, strange, -1));
}

/* Scores of one query to shares, not yet divided by their sum, which is returned; eight of them are added at a time. */
static inline float soften(float *scores, int64_t n, int64_t width) {
    for (int64_t j = n; j < width; j++) scores[j] = -INFINITY;
    __m512 most = all16(-INFINITY);
    for (int64_t j = 0; j < width; j += WIDE_LANES)
        most = _mm512_max_ps(most, _mm512_mask_loadu_ps(most, some(width - j), scores + j));
    const __m512 top = all16(_mm512_reduce_max_ps(most));
    __m256 total = _mm256_setzero_ps();
    for (int64_t j = 0; j < width; j += WIDE_LANES) {
        const __mmask16 there = some(width - j);
        const __m512 shares = exp16(_mm512_sub_ps(_mm512_maskz_loadu_ps(there, scores + j), top));
        _mm512_mask_storeu_ps(scores + j, there, shares);
        total = _mm256_add_ps(total, _mm512_castps512_ps256(shares));
        if (width - j > 8) total = _mm256_add_ps(total, _mm512_extractf32x8_ps(shares, 1));
    }
    float x[8];
    _mm256_storeu_ps(x, total);
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

/* out = shares . values / total + bias for `rows` queries and `dims` dims in one or two vectors; `stored` are stored. */
static inline __attribute__((always_inline)) void average(const float *shares, int64_t width, const float *values,
                                                          int64_t stride, int64_t n, const float *totals, const float *bias,
                                                          float *out, int64_t out_stride, int64_t stored, int64_t dims,
                                                          const int rows, const int two) {
    __m512 a[ROWS], b[ROWS];
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) a[i] = b[i] = _mm512_setzero_ps();
    const __mmask16 first = some(dims), second = some(two ? dims - WIDE_LANES : 0);
    for (int64_t j = 0; j < n; j++, values += stride) {
        const __m512 v = _mm512_maskz_loadu_ps(first, values);
        const __m512 w = two ? _mm512_maskz_loadu_ps(second, values + WIDE_LANES) : v;
#pragma GCC unroll 12
        for (int i = 0; i < rows; i++) {
            const __m512 share = all16(shares[i * width + j]);
            a[i] = _mm512_fmadd_ps(v, share, a[i]);
            if (two) b[i] = _mm512_fmadd_ps(w, share, b[i]);
        }
    }
    const __m512 offset = _mm512_maskz_loadu_ps(first, bias), other = _mm512_maskz_loadu_ps(second, bias + WIDE_LANES);
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) {
        if (i >= stored) break;
        const __m512 scale = all16(1.0f / totals[i]);
        _mm512_mask_storeu_ps(out + i * out_stride, first, _mm512_add_ps(_mm512_mul_ps(a[i], scale), offset));
        if (two)
            _mm512_mask_storeu_ps(out + i * out_stride + WIDE_LANES, second, _mm512_add_ps(_mm512_mul_ps(b[i], scale), other));
    }
}

static inline __attribute__((always_inline)) void attend(const float *queries, const float *keys, rows_of values, int64_t n,
                                                         int64_t width, int64_t dh, float *scores, const float *bias,
                                                         float *out, int64_t out_stride, int64_t stored, const int rows) {
    float totals[ROWS];
    int64_t k = 0, d = 0;
    for (; k + KEYS < width; k += 2 * KEYS) score(queries, keys + k * dh, width, dh, scores + k, width - k, rows, 1);
    if (k < width) score(queries, keys + k * dh, width, dh, scores + k, width - k, rows, 0);
    for (int64_t i = 0; i < stored; i++) totals[i] = soften(scores + i * width, n, width);
#define SOME(TWO) \
    average(scores, width, values.at + d, values.stride, n, totals, bias + d, out + d, out_stride, stored, dh - d, rows, TWO)
    for (; d + WIDE_LANES < dh; d += 2 * WIDE_LANES) SOME(1);
    if (d < dh) SOME(0);
}

void attar_attend_16(const float *queries, const float *keys, rows_of values, int64_t n, int64_t width, int64_t dh,
                     float *scores, const float *bias, float *out, int64_t out_stride, int64_t rows) {
#define OF(ROWS_) attend(queries, keys, values, n, width, dh, scores, bias, out, out_stride, rows, ROWS_)
    if (rows > 8) OF(12);
    else if (rows > 4) OF(8);
    else OF(4);
}
#endif
