/* Weights laid out as the products read them: units in panels (see _products.h); absent columns and dims are 0. */

#include <math.h>

#include "_products.h"

/* One unit of a column at a time: `put(weight row, dim, k)` makes it of the dims from there on. */
#define PACK(PER_UNIT, PUT)                                                                          \
    const int64_t units = up(k, PER_UNIT), panels = up(n, PANEL);                                    \
    for (int64_t first = 0; first < units; first += UNITS) {                                         \
        const int64_t depth = least(units - first, UNITS);                                           \
        for (int64_t column = 0; column < panels * PANEL; column++) {                                \
            uint32_t *at = to + panel_at(column / PANEL, panels, first, depth) + column % PANEL;     \
            const float *row = weight + column * k;                                                  \
            for (int64_t d = 0; d < depth; d++) at[d * PANEL] = column < n ? PUT(row, (first + d) * PER_UNIT) : 0; \
        }                                                                                            \
    }

static inline uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* To the nearest, of two the even one; not-a-number stays one. */
static inline uint32_t brain_bits(float x) {
    uint32_t bits = bits_of(x);
    return x != x ? (bits >> 16) | 0x40 : (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

/* `to` holds k * (n rounded up to PANEL) units. */
void attar_pack_float32(const float *weight, int64_t n, int64_t k, uint32_t *to) {
#define PUT(row, d) bits_of(row[d])
    PACK(1, PUT)
#undef PUT
}

/* `to` holds (k + 1) / 2 * (n rounded up to PANEL) units. */
void attar_pack_bfloat16(const float *weight, int64_t n, int64_t k, uint32_t *to) {
#define PUT(row, d) (brain_bits(row[d]) | ((d) + 1 < k ? brain_bits(row[(d) + 1]) << 16 : 0))
    PACK(2, PUT)
#undef PUT
}

static inline int32_t rounded(const float *row, int64_t d, int64_t k, float inverse) {
    return d < k ? (int32_t)lrintf(row[d] * inverse) : 0;
}

/* Scales and sums of the columns, behind the units; the scale is NaN where a weight is not finite. */
static const float *scales_of(const float *weight, int64_t n, int64_t k, float *scales) {
    const int64_t all_columns = up(n, PANEL) * PANEL;
    int32_t *sums = (int32_t *)(scales + all_columns);
    for (int64_t column = 0; column < all_columns; column++) {
        const float *row = weight + column * k;
        float most = 0, strange = 0;
        for (int64_t d = 0; column < n && d < k; d++) {
            most = fabsf(row[d]) > most ? fabsf(row[d]) : most;
            strange += row[d] - row[d];
        }
        scales[column] = (most > 1e-30f ? most / 127.0f : 0) + strange;
        sums[column] = 0;
        for (int64_t d = 0; column < n && d < k && scales[column] > 0; d++) sums[column] += rounded(row, d, k, 1.0f / scales[column]);
    }
    return scales;
}

/* `to` holds (k + 3) / 4 + 2 (or (k + 1) / 2 + 2 where integers have 16 bits) times (n rounded up to PANEL) units. */
#define INVERSE (scales[column] > 0 ? 1.0f / scales[column] : 0)

void attar_pack_int8(const float *weight, int64_t n, int64_t k, uint32_t *to) {
    const float *scales = scales_of(weight, n, k, (float *)(to + up(k, 4) * up(n, PANEL) * PANEL));
#define BYTE(row, d) ((uint32_t)(uint8_t)rounded(row, d, k, INVERSE))
#define PUT(row, d) (BYTE(row, d) | BYTE(row, (d) + 1) << 8 | BYTE(row, (d) + 2) << 16 | BYTE(row, (d) + 3) << 24)
    PACK(4, PUT)
#undef PUT
}

void attar_pack_int16(const float *weight, int64_t n, int64_t k, uint32_t *to) {
    const float *scales = scales_of(weight, n, k, (float *)(to + up(k, 2) * up(n, PANEL) * PANEL));
#define HALF(row, d) ((uint32_t)(uint16_t)rounded(row, d, k, INVERSE))
#define PUT(row, d) (HALF(row, d) | HALF(row, (d) + 1) << 16)
    PACK(2, PUT)
#undef PUT
}
