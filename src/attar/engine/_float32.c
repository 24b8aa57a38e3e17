/* float32 products by vectors of eight, on any processor that the compiler knows vectors of. */

#include "_products.h"
#include "_vectors.h"

#define NAME attar_float32_8
#define TILE 6
#define LANES_ 8
#define PER_UNIT 1
typedef v8 vec;
typedef v8 weights;
#include "_float32.h"

static inline vec zero(void) { return all(0); }
static inline weights load_weights(const uint32_t *at) { return load((const float *)at); }
static inline weights unit_at(const uint32_t *at) { return all(*(const float *)at); }
static inline vec times(vec sums, weights unit, weights w) { return fused(unit, w, sums); }
static inline vec plus(vec a, vec b) { return a + b; }
static inline vec load_columns(const float *at, int64_t n) { return n == LANES ? load(at) : load_some(at, n); }
static inline void finish(float *at, vec sums, int64_t n, const row_info *row, const columns *about, int64_t column) {
    (void)row, (void)about, (void)column;
    if (n == LANES) store(at, sums);
    else store_some(at, sums, n);
}
#include "_panels.h"
