/* Vectors as bytes, and the bounds that their products give. */

#include "_bytes.h"

#include <math.h>

#include "_team.h"
#include "_vectors.h"
#include "_wide.h"

#define SUMS 4 /* vectors of sums of a product of floats */

static inline void add_products(const float *a, const float *b, int64_t n, v8 *sums) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < SUMS; i++) {
        const int64_t left = n - i * LANES;
        if (left >= LANES) sums[i] = fused(load(a + i * LANES), load(b + i * LANES), sums[i]);
        else if (left > 0) sums[i] = fused(load_some(a + i * LANES, left), load_some(b + i * LANES, left), sums[i]);
    }
}

float attar_float_times_8(const float *a, const float *b, int64_t dims) {
    const int64_t whole = dims / (SUMS * LANES) * (SUMS * LANES);
    v8 sums[SUMS] = {{0}};
    for (int64_t d = 0; d < whole; d += SUMS * LANES) add_products(a + d, b + d, SUMS * LANES, sums);
    add_products(a + whole, b + whole, dims - whole, sums);
    const v8 s = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void attar_byte_panel_8(const uint8_t *const *rows, int64_t units, uint32_t *panel) {
    for (int r = 0; r < TOGETHER; r++)
        for (int64_t u = 0; u < units; u++) memcpy(panel + u * TOGETHER + r, rows[r] + u * PER_UNIT, PER_UNIT);
}

#ifdef __AVX2__
#define SOME 5 /* centres at a time, with two vectors of sums each */

static inline __m256i add_unit(__m256i sum, __m256i x, __m256i c) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(x, c), _mm256_set1_epi16(1)));
}

static inline __attribute__((always_inline)) void some_centers(const uint32_t *panel, const uint32_t *centers, int64_t units,
                                                               int64_t stride, int32_t *products, const int n) {
    __m256i a[SOME], b[SOME];
#pragma GCC unroll 5
    for (int j = 0; j < n; j++) a[j] = b[j] = _mm256_setzero_si256();
    for (int64_t u = 0; u < units; u++, panel += TOGETHER, centers += stride) {
        const __m256i x = _mm256_loadu_si256((const void *)panel), y = _mm256_loadu_si256((const void *)(panel + LANES));
#pragma GCC unroll 5
        for (int j = 0; j < n; j++) {
            const __m256i c = _mm256_set1_epi32((int32_t)centers[j]);
            a[j] = add_unit(a[j], x, c);
            b[j] = add_unit(b[j], y, c);
        }
    }
#pragma GCC unroll 5
    for (int j = 0; j < n; j++, products += TOGETHER) {
        _mm256_storeu_si256((void *)products, a[j]);
        _mm256_storeu_si256((void *)(products + LANES), b[j]);
    }
}

void attar_byte_group_8(const uint32_t *panel, const uint32_t *centers, int64_t units, int64_t n, int32_t *products) {
    for (int64_t j = 0; j < n; j += SOME) switch (fewer(n - j, SOME)) {
            case 1: some_centers(panel, centers + j, units, n, products + j * TOGETHER, 1); break;
            case 2: some_centers(panel, centers + j, units, n, products + j * TOGETHER, 2); break;
            case 3: some_centers(panel, centers + j, units, n, products + j * TOGETHER, 3); break;
            case 4: some_centers(panel, centers + j, units, n, products + j * TOGETHER, 4); break;
            default: some_centers(panel, centers + j, units, n, products + j * TOGETHER, 5);
        }
}
#else
void attar_byte_group_8(const uint32_t *panel, const uint32_t *centers, int64_t units, int64_t n, int32_t *products) {
    memset(products, 0, (size_t)(n * TOGETHER) * sizeof *products);
    for (int64_t u = 0; u < units; u++, panel += TOGETHER, centers += n)
        for (int64_t j = 0; j < n; j++) {
            int8_t c[PER_UNIT];
            memcpy(c, centers + j, sizeof c);
            const uint8_t *x = (const uint8_t *)panel;
            for (int r = 0; r < TOGETHER; r++, x += PER_UNIT)
                products[j * TOGETHER + r] += x[0] * c[0] + x[1] * c[1] + x[2] * c[2] + x[3] * c[3];
        }
}
#endif

const byte_kind *attar_byte_kind(int64_t dots) {
    static const byte_kind eight = {63, attar_byte_panel_8, attar_byte_group_8, attar_float_times_8};
#ifdef ATTAR_HAS_WIDE
    static const byte_kind sixteen = {127, attar_byte_panel_16, attar_byte_group_16, attar_float_times_16};
    if (dots) return &sixteen;
#endif
    (void)dots;
    return &eight;
}

typedef int32_t i8 __attribute__((vector_size(32)));
typedef int8_t bytes_8 __attribute__((vector_size(8)));

static inline v8 eight_of(const float *x, int64_t left) { return left >= LANES ? load(x) : load_some(x, left); }

/* Numbers from -top to top, each about x / step, and 0 beyond the last dim; how far x is from them.
   Shape: x (dims), to (dims, up to the next multiple of LANES) */
static float rounded(const float *x, int64_t dims, int top, int8_t *to, float *step) {
    v8 most = all(0), sum = all(0);
    for (int64_t d = 0; d < dims; d += LANES) {
        const v8 here = eight_of(x + d, dims - d);
        most = larger(most, larger(here, -here));
    }
    float largest = 0, total = 0;
    for (int i = 0; i < LANES; i++) largest = most[i] > largest ? most[i] : largest;
    *step = largest / (float)top;
    const float inverse = *step > 1e-30f ? 1 / *step : 0; /* else all are 0, and off by as much as they are */
    for (int64_t d = 0; d < dims; d += LANES) {
        const v8 here = eight_of(x + d, dims - d), half = (v8)(((u8)here & 0x80000000u) | (u8)all(0.5f));
        const i8 near = __builtin_convertvector(here * all(inverse) + half, i8);
        const v8 off = here - __builtin_convertvector(near, v8) * all(*step);
        const bytes_8 small = __builtin_convertvector(near, bytes_8);
        sum += off * off;
        memcpy(to + d, &small, sizeof small);
    }
    for (int i = 0; i < LANES; i++) total += sum[i];
    return sqrtf(total) * (1 + 1e-5f);
}

typedef struct {
    byte_rows rows;
    const byte_kind *kind;
} rows_job;

#define BLOCK_ROWS 1024

static void some_rows(const void *given, int64_t part) {
    const rows_job *job = given;
    const byte_rows *rows = &job->rows;
    const int64_t room = rows->units * PER_UNIT;
    for (int64_t i = part * BLOCK_ROWS; i < fewer((part + 1) * BLOCK_ROWS, rows->n); i++) {
        const float *x = rows->x + i * rows->dims;
        uint8_t *bytes = rows->bytes + i * room;
        rows->offs[i] = rounded(x, rows->dims, 127, (int8_t *)bytes, rows->steps + i);
        for (int64_t d = 0; d < room; d++) bytes[d] ^= ZERO; /* which adds it */
        rows->squares[i] = job->kind->times(x, x, rows->dims);
    }
}

/* Fills in all of the rows but x. */
void attar_byte_rows(const byte_rows *rows, int64_t members, int64_t dots) {
    const rows_job job = {*rows, attar_byte_kind(dots)};
    attar_share(some_rows, &job, up(rows->n, BLOCK_ROWS), members);
}

byte_centers attar_centers_at(const float *x, float *room, int64_t n, int64_t units) {
    float *rest = room + n * units;
    return (byte_centers){x, (uint32_t *)room, rest, rest + n, rest + 2 * n, rest + 3 * n, (int32_t *)(rest + 4 * n),
                          (int8_t *)(rest + 5 * n), rest + 5 * n + units, n};
}

void attar_pack_centers(const byte_kind *kind, const byte_centers *to, int64_t dims, int64_t units) {
    const int64_t most = in_group(to->n);
    *to->largest = 0;
    for (int64_t j = 0; j < to->n; j++) {
        const float *x = to->x + j * dims;
        const float square = kind->times(x, x, dims);
        const int64_t first = j / most * most, size = fewer(most, to->n - first);
        uint32_t *at = to->units + first * units + (j - first);
        int32_t sum = 0;
        to->offs[j] = rounded(x, dims, kind->top, to->row, to->steps + j);
        for (int64_t u = 0; u < units; u++) memcpy(at + u * size, to->row + u * PER_UNIT, PER_UNIT);
        for (int64_t d = 0; d < units * PER_UNIT; d++) sum += to->row[d];
        to->zeros[j] = ZERO * sum;
        to->lengths[j] = sqrtf(square);
        to->halves[j] = square / 2;
        *to->largest = square > *to->largest ? square : *to->largest;
    }
}

byte_scratch attar_byte_scratch(float *at, int64_t units, int64_t n) {
    float *middle = at + (units + GROUP) * TOGETHER;
    return (byte_scratch){(uint32_t *)at, (int32_t *)at + units * TOGETHER, middle, middle + n * TOGETHER};
}

/* What is known of the rows of a panel. */
typedef struct {
    v8 steps, offs, lengths, rounding;
} known;

static known about(const byte_rows *rows, const int32_t *which, float rounding) {
    known of;
    for (int r = 0; r < LANES; r++) {
        const int32_t i = which[r];
        of.steps[r] = rows->steps[i];
        of.offs[r] = rows->offs[i];
        of.lengths[r] = sqrtf(rows->squares[i]) + rows->offs[i]; /* of the bytes, at most */
        of.rounding[r] = ROUNDING * rows->squares[i] + rounding;
    }
    return of;
}

void attar_turn(const byte_kind *kind, const byte_rows *rows, const int32_t *which, uint32_t *panel) {
    const uint8_t *bytes[TOGETHER];
    for (int r = 0; r < TOGETHER; r++) bytes[r] = rows->bytes + which[r] * rows->units * PER_UNIT;
    kind->panel(bytes, rows->units, panel);
}

/* x = x' + a and c = c' + b, where x' and c' are bytes, so x.c - x'.c' = a.c + x'.b */
void attar_bound(const byte_kind *kind, const byte_rows *rows, const int32_t *which, const byte_centers *centers,
                 const byte_scratch *to) {
    const int64_t most = in_group(centers->n);
    const float rounding = ROUNDING * *centers->largest;
    const known low = about(rows, which, rounding), high = about(rows, which + LANES, rounding);
    for (int64_t first = 0; first < centers->n; first += most) {
        const int64_t size = fewer(most, centers->n - first);
        kind->group(to->panel, centers->units + first * rows->units, rows->units, size, to->products);
        for (int64_t at = 0; at < 2 * size; at++) {
            const int64_t j = first + at / 2, place = j * TOGETHER + at % 2 * LANES;
            const known *of = at % 2 ? &high : &low;
            i8 products;
            memcpy(&products, to->products + at * LANES, sizeof products);
            const v8 whole = __builtin_convertvector(products - centers->zeros[j], v8) * of->steps;
            store(to->middle + place, fused(whole, all(centers->steps[j]), all(-centers->halves[j])));
            store(to->off + place, fused(of->offs, all(centers->lengths[j]), fused(of->lengths, all(centers->offs[j]), of->rounding)));
        }
    }
}
