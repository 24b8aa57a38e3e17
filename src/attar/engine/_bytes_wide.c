/* Panels of bytes and their products by vectors of sixteen. */

#include "_wide.h"
#ifdef ATTAR_HAS_WIDE
#include <immintrin.h>

#include "_bytes.h"

WIDE_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")

static inline float total(__m512 x) { /* as attar_float_times_8 adds up */
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline __mmask16 some(int64_t n) { return n >= 16 ? 0xffff : n > 0 ? (__mmask16)((1u << n) - 1) : 0; }

float attar_float_times_16(const float *a, const float *b, int64_t dims) {
    __m512 one = _mm512_setzero_ps(), other = one;
    int64_t d = 0;
    for (; d + 32 <= dims; d += 32) {
        one = _mm512_fmadd_ps(_mm512_loadu_ps(a + d), _mm512_loadu_ps(b + d), one);
        other = _mm512_fmadd_ps(_mm512_loadu_ps(a + d + 16), _mm512_loadu_ps(b + d + 16), other);
    }
    const __mmask16 left = some(dims - d), right = some(dims - d - 16);
    one = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(left, a + d), _mm512_maskz_loadu_ps(left, b + d), one);
    other = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(right, a + d + 16), _mm512_maskz_loadu_ps(right, b + d + 16), other);
    return total(_mm512_add_ps(one, other));
}

/* Sixteen units of sixteen rows, turned. */
static inline void turn_wide(const uint8_t *const *rows, int64_t first, __mmask16 which, int64_t n, uint32_t *panel) {
    __m512i a[16], b[16];
#pragma GCC unroll 16
    for (int r = 0; r < 16; r++) a[r] = _mm512_maskz_loadu_epi32(which, rows[r] + first * PER_UNIT);
#pragma GCC unroll 8
    for (int r = 0; r < 16; r += 2) {
        b[r] = _mm512_unpacklo_epi32(a[r], a[r + 1]);
        b[r + 1] = _mm512_unpackhi_epi32(a[r], a[r + 1]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < 16; r += 4) {
        a[r] = _mm512_unpacklo_epi64(b[r], b[r + 2]);
        a[r + 1] = _mm512_unpackhi_epi64(b[r], b[r + 2]);
        a[r + 2] = _mm512_unpacklo_epi64(b[r + 1], b[r + 3]);
        a[r + 3] = _mm512_unpackhi_epi64(b[r + 1], b[r + 3]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++) {
        b[r] = _mm512_shuffle_i32x4(a[r], a[r + 4], 0x88);
        b[r + 4] = _mm512_shuffle_i32x4(a[r], a[r + 4], 0xdd);
        b[r + 8] = _mm512_shuffle_i32x4(a[r + 8], a[r + 12], 0x88);
        b[r + 12] = _mm512_shuffle_i32x4(a[r + 8], a[r + 12], 0xdd);
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++) {
        a[r] = _mm512_shuffle_i32x4(b[r], b[r + 8], 0x88);
        a[r + 4] = _mm512_shuffle_i32x4(b[r + 4], b[r + 12], 0x88);
        a[r + 8] = _mm512_shuffle_i32x4(b[r], b[r + 8], 0xdd);
        a[r + 12] = _mm512_shuffle_i32x4(b[r + 4], b[r + 12], 0xdd);
    }
#pragma GCC unroll 16
    for (int r = 0; r < 16; r++)
        if (r < n) _mm512_storeu_si512(panel + (first + r) * TOGETHER, a[r]);
}

void attar_byte_panel_16(const uint8_t *const *rows, int64_t units, uint32_t *panel) {
    int64_t u = 0;
    for (; u + 16 <= units; u += 16) turn_wide(rows, u, 0xffff, 16, panel);
    if (u < units) turn_wide(rows, u, some(units - u), units - u, panel);
}

static inline __attribute__((always_inline)) void group_of(const uint32_t *panel, const uint32_t *centers, int64_t units,
                                                           int32_t *products, const int n) {
    __m512i sums[GROUP];
#pragma GCC unroll 20
    for (int j = 0; j < n; j++) sums[j] = _mm512_setzero_si512();
    for (int64_t u = 0; u < units; u++, panel += TOGETHER, centers += n) {
        const __m512i x = _mm512_loadu_si512(panel);
#pragma GCC unroll 20
        for (int j = 0; j < n; j++) sums[j] = _mm512_dpbusd_epi32(sums[j], x, _mm512_set1_epi32((int32_t)centers[j]));
    }
#pragma GCC unroll 20
    for (int j = 0; j < n; j++) _mm512_storeu_si512(products + j * TOGETHER, sums[j]);
}

#define CASE(N) \
    case N: group_of(panel, centers, units, products, N); break;

void attar_byte_group_16(const uint32_t *panel, const uint32_t *centers, int64_t units, int64_t n, int32_t *products) {
    switch (n) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10)
        CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16) CASE(17) CASE(18) CASE(19) CASE(20)
    }
}
WIDE_END
#endif
