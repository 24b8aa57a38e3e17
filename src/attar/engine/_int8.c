/* 8-bit products by vectors of eight: pairs of 16-bit integers, which never overflow, and the same sums as elsewhere. */

#include "_products.h"
#include "_vectors.h"

#define NAME attar_int8_8
#define TILE 6
#define LANES_ 8
#define PER_UNIT 2
typedef int32_t i8 __attribute__((vector_size(32)));
typedef int32_t i8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef i8 vec;
typedef i8 weights;
#include "_int8.h"

static inline range range_of(const float *row, int64_t k) {
    v8 low = all(0), high = all(0), strange = all(0);
    for (int64_t d = 0; d < k; d += LANES) {
        v8 y = k - d < LANES ? load_some(row + d, k - d) : load(row + d);
        low = smaller(y, low), high = larger(y, high), strange += y * 0.0f;
    }
    range found = {0, 0, 0};
    for (int i = 0; i < LANES; i++) {
        found.low = low[i] < found.low ? low[i] : found.low;
        found.high = high[i] > found.high ? high[i] : found.high;
        found.strange += strange[i];
    }
    return found;
}

static inline void fill(const float *row, int64_t dims, const row_info *info, uint32_t *to) {
    uint16_t *out = (uint16_t *)to;
    for (int64_t d = 0; d < dims; d++) out[d] = (uint16_t)least_int((int32_t)rintf(row[d] * info->inverse) + info->zero, 255);
    if (dims % 2) out[dims] = 0;
}

static inline vec zero(void) { return (vec){0}; }
static inline weights load_weights(const uint32_t *at) { return *(const i8u *)at; }
static inline weights unit_at(const uint32_t *at) {
    int32_t y = (int32_t)*at;
    return (weights){y, y, y, y, y, y, y, y};
}
static inline vec times(vec sums, weights unit, weights w) {
#ifdef __AVX2__
    return sums + (vec)_mm256_madd_epi16((__m256i)unit, (__m256i)w);
#else
    return sums + ((unit << 16) >> 16) * ((w << 16) >> 16) + (unit >> 16) * (w >> 16);
#endif
}
static inline vec plus(vec a, vec b) { return a + b; }
static inline vec load_columns(const float *at, int64_t n) { return (vec)(n == LANES ? load(at) : load_some(at, n)); }
static inline void finish(float *at, vec sums, int64_t n, const row_info *row, const columns *about, int64_t column) {
    v8 found = (v8)sums;
    if (about->last) {
        vec exact = sums - row->zero * *(const i8u *)(about->sums + column);
        found = __builtin_convertvector(exact, v8) * (row->scale * load(about->scales + column));
    }
    if (n == LANES) store(at, found);
    else store_some(at, found, n);
}
#include "_panels.h"
