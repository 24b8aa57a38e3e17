/* float32 products by vectors of sixteen. */

#include "_wide.h"
#ifdef ATTAR_HAS_WIDE
#include <immintrin.h>

#include "_products.h"

WIDE_BEGIN("avx512f,avx512bw,avx512vl,avx512dq")

#define NAME attar_float32_16
#define TILE 12
#define LANES_ 16
#define PER_UNIT 1
typedef __m512 vec;
typedef __m512 weights;
#include "_float32.h"

static inline __mmask16 some(int64_t n) { return (__mmask16)((1u << n) - 1); }
static inline vec zero(void) { return _mm512_setzero_ps(); }
static inline weights load_weights(const uint32_t *at) { return _mm512_loadu_ps(at); }
static inline weights unit_at(const uint32_t *at) { return _mm512_set1_ps(*(const float *)at); }
static inline vec times(vec sums, weights unit, weights w) { return _mm512_fmadd_ps(unit, w, sums); }
static inline vec plus(vec a, vec b) { return _mm512_add_ps(a, b); }
static inline vec load_columns(const float *at, int64_t n) { return _mm512_maskz_loadu_ps(some(n), at); }
static inline void finish(float *at, vec sums, int64_t n, const row_info *row, const columns *about, int64_t column) {
    (void)row, (void)about, (void)column;
    _mm512_mask_storeu_ps(at, some(n), sums);
}
#include "_panels.h"
WIDE_END
#endif
