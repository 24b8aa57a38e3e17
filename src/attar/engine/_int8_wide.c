/* 8-bit products by the processor's own instruction for sums of four, sixteen columns at a time. */

#include "_wide.h"
#ifdef ATTAR_HAS_WIDE
#include <immintrin.h>

#include "_products.h"

WIDE_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")

#define NAME attar_int8_16
#define TILE 12
#define LANES_ 16
#define PER_UNIT 4
typedef __m512i vec;
typedef __m512i weights;
#include "_int8.h"

static inline range range_of(const float *row, int64_t k) {
    __m512 low = _mm512_setzero_ps(), high = low, strange = low;
    for (int64_t d = 0; d < k; d += 16) {
        __mmask16 there = k - d < 16 ? (__mmask16)((1u << (k - d)) - 1) : (__mmask16)0xFFFF;
        __m512 y = _mm512_maskz_loadu_ps(there, row + d);
        low = _mm512_min_ps(y, low), high = _mm512_max_ps(y, high);
        strange = _mm512_add_ps(strange, _mm512_mul_ps(y, _mm512_setzero_ps()));
    }
    return (range){_mm512_reduce_min_ps(low), _mm512_reduce_max_ps(high), _mm512_reduce_add_ps(strange)};
}

static inline void fill(const float *row, int64_t dims, const row_info *info, uint32_t *to) {
    uint8_t *out = (uint8_t *)to;
    const __m512 inverse = _mm512_set1_ps(info->inverse);
    const __m512i zero = _mm512_set1_epi32(info->zero);
    for (int64_t d = 0; d < dims; d += 16) { /* a row has room for the zeros of an incomplete unit */
        __mmask16 there = dims - d < 16 ? (__mmask16)((1u << (dims - d)) - 1) : (__mmask16)0xFFFF;
        __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_maskz_loadu_ps(there, row + d), inverse));
        q = _mm512_min_epi32(_mm512_add_epi32(q, zero), _mm512_set1_epi32(255));
        _mm_storeu_si128((__m128i *)(out + d), _mm512_cvtepi32_epi8(_mm512_maskz_mov_epi32(there, q)));
    }
}

static inline __mmask16 some(int64_t n) { return (__mmask16)((1u << n) - 1); }
static inline vec zero(void) { return _mm512_setzero_si512(); }
static inline weights load_weights(const uint32_t *at) { return _mm512_loadu_si512(at); }
static inline weights unit_at(const uint32_t *at) { return _mm512_set1_epi32((int)*at); }
static inline vec times(vec sums, weights unit, weights w) { return _mm512_dpbusd_epi32(sums, unit, w); }
static inline vec plus(vec a, vec b) { return _mm512_add_epi32(a, b); }
static inline vec load_columns(const float *at, int64_t n) { return _mm512_maskz_loadu_epi32(some(n), at); }
static inline void finish(float *at, vec sums, int64_t n, const row_info *row, const columns *about, int64_t column) {
    __m512 found = _mm512_castsi512_ps(sums);
    if (about->last) {
        __m512i zeros = _mm512_mullo_epi32(_mm512_set1_epi32(row->zero), _mm512_loadu_si512(about->sums + column));
        __m512 scale = _mm512_mul_ps(_mm512_set1_ps(row->scale), _mm512_loadu_ps(about->scales + column));
        found = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(sums, zeros)), scale);
    }
    _mm512_mask_storeu_ps(at, some(n), found);
}
#include "_panels.h"
WIDE_END
#endif
