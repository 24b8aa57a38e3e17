/* Products of bfloat16, two dims a unit, summed in float32, by the processor's own instruction for it. */

#include "_wide.h"
#ifdef ATTAR_HAS_WIDE
#include <immintrin.h>

#include "_products.h"

WIDE_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")

#define NAME attar_bfloat16_16
#define TILE 12
#define LANES_ 16
#define PER_UNIT 2
typedef __m512 vec;
typedef __m512i weights;
typedef struct { char none; } row_info;
typedef struct { char none; } columns;

static inline row_info measure(const float *row, int64_t k) { (void)row, (void)k; return (row_info){0}; }
static inline columns columns_from(const product *job, int64_t panel, int64_t units, int last) {
    (void)job, (void)panel, (void)units, (void)last;
    return (columns){0};
}

/* To the nearest bfloat16, of two the even one; an absent second half of a unit is 0. */
static inline void fill(const float *row, int64_t dims, const row_info *info, uint32_t *to) {
    (void)info;
    int64_t d = 0;
    for (; d + 16 <= dims; d += 16)
        _mm256_storeu_si256((__m256i *)(to + d / 2), (__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(row + d)));
    if (d < dims) {
        __mmask16 rest = (__mmask16)((1u << (dims - d)) - 1);
        _mm256_storeu_si256((__m256i *)(to + d / 2), (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(rest, row + d)));
    }
}

static inline __mmask16 some(int64_t n) { return (__mmask16)((1u << n) - 1); }
static inline vec zero(void) { return _mm512_setzero_ps(); }
static inline weights load_weights(const uint32_t *at) { return _mm512_loadu_si512(at); }
static inline weights unit_at(const uint32_t *at) { return _mm512_set1_epi32((int)*at); }
static inline vec times(vec sums, weights unit, weights w) { return _mm512_dpbf16_ps(sums, (__m512bh)unit, (__m512bh)w); }
static inline vec plus(vec a, vec b) { return _mm512_add_ps(a, b); }
static inline vec load_columns(const float *at, int64_t n) { return _mm512_maskz_loadu_ps(some(n), at); }
static inline void finish(float *at, vec sums, int64_t n, const row_info *row, const columns *about, int64_t column) {
    (void)row, (void)about, (void)column;
    _mm512_mask_storeu_ps(at, some(n), sums);
}
#include "_panels.h"
WIDE_END
#endif
