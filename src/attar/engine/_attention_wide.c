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

/* scores = queries . keys for ROWS queries and several blocks of keys, of which `n` scores are stored. */
static inline __attribute__((always_inline)) void score(const float *queries, const float *keys, int64_t width, int64_t dh,
                                                        float *scores, int64_t n, const int blocks) {
    __m512 s[ROWS][4];
    for (int i = 0; i < ROWS; i++)
        for (int b = 0; b < blocks; b++) s[i][b] = _mm512_setzero_ps();
    for (int64_t d = 0; d < dh; d++) {
        __m512 k[4];
        for (int b = 0; b < blocks; b++) k[b] = _mm512_loadu_ps(keys + b * KEYS * dh + d * KEYS);
        for (int i = 0; i < ROWS; i++) {
            const __m512 q = all16(queries[i * dh + d]);
            for (int b = 0; b < blocks; b++) s[i][b] = _mm512_fmadd_ps(k[b], q, s[i][b]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int b = 0; b < blocks; b++)
            _mm512_mask_storeu_ps(scores + i * width + b * KEYS, some(n - b * KEYS), s[i][b]);
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

/* out = shares . values / total + bias for ROWS queries and `dims` dims in several vectors; `rows` queries are stored. */
static inline __attribute__((always_inline)) void average(const float *shares, int64_t width, const float *values,
                                                          int64_t stride, int64_t n, const float *totals, const float *bias,
                                                          float *out, int64_t out_stride, int64_t rows, int64_t dims,
                                                          const int vectors) {
    __m512 o[ROWS][4];
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < vectors; k++) o[i][k] = _mm512_setzero_ps();
    const __mmask16 last = some(dims - (vectors - 1) * WIDE_LANES);
    for (int64_t j = 0; j < n; j++) {
        __m512 v[4];
        for (int k = 0; k < vectors; k++)
            v[k] = _mm512_maskz_loadu_ps(k == vectors - 1 ? last : (__mmask16)0xFFFF, values + j * stride + k * WIDE_LANES);
        for (int i = 0; i < ROWS; i++) {
            const __m512 share = all16(shares[i * width + j]);
            for (int k = 0; k < vectors; k++) o[i][k] = _mm512_fmadd_ps(v[k], share, o[i][k]);
        }
    }
    for (int64_t i = 0; i < rows; i++)
        for (int k = 0; k < vectors; k++) {
            const __mmask16 there = k == vectors - 1 ? last : (__mmask16)0xFFFF;
            const __m512 scaled = _mm512_mul_ps(o[i][k], all16(1.0f / totals[i]));
            const __m512 offset = _mm512_maskz_loadu_ps(there, bias + k * WIDE_LANES);
            _mm512_mask_storeu_ps(out + i * out_stride + k * WIDE_LANES, there, _mm512_add_ps(scaled, offset));
        }
}

void attar_attend_16(const float *queries, const float *keys, rows_of values, int64_t n, int64_t width, int64_t dh,
                     float *scores, const float *bias, float *out, int64_t out_stride, int64_t rows) {
    float totals[ROWS] = {1, 1, 1, 1};
    int64_t k = 0, d = 0;
    for (; k + 4 * KEYS <= width; k += 4 * KEYS) score(queries, keys + k * dh, width, dh, scores + k, 4 * KEYS, 4);
    for (; k + 2 * KEYS <= width; k += 2 * KEYS) score(queries, keys + k * dh, width, dh, scores + k, 2 * KEYS, 2);
    for (; k < width; k += KEYS) score(queries, keys + k * dh, width, dh, scores + k, width - k, 1);
    for (int64_t i = 0; i < rows; i++) totals[i] = soften(scores + i * width, n, width);
#define SOME(VECTORS) \
    average(scores, width, values.at + d, values.stride, n, totals, bias + d, out + d, out_stride, rows, \
            dh - d < VECTORS * WIDE_LANES ? dh - d : VECTORS * WIDE_LANES, VECTORS)
    for (; d + 3 * WIDE_LANES < dh; d += 4 * WIDE_LANES) SOME(4);
    for (; d + WIDE_LANES < dh; d += 2 * WIDE_LANES) SOME(2);
    if (d < dh) SOME(1);
}
#endif
