/* x . weight^T for a weight as it is stored. Panels of it become floats, or pairs of bfloat16, as the product reaches
   them; the whole never does.

   Every number of the result is one chain of fused multiply-adds over the dims, in order, DEPTH of them at a time, in
   whatever row it stands, and for float32 whatever vectors the processor has. No threads, no allocation. */

#include "_stored.h"
#include "_vectors.h"
#include "_wide.h"

#define PANEL 32  /* rows of a weight that become floats together */
#define DEPTH 256 /* dims of one pass: a multiple of every block */
#define TILE 12   /* rows of x whose sums stay in registers */

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Eight rows (8, depth), DEPTH apart, to columns (depth, PANEL). */
static void turn(const float *from, int64_t depth, float *to) {
    int64_t d = 0;
#ifdef __AVX2__
    for (; d + 8 <= depth; d += 8) {
        __m256 a[8], b[8];
        for (int i = 0; i < 8; i++) a[i] = _mm256_loadu_ps(from + i * DEPTH + d);
        for (int i = 0; i < 8; i += 2) b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]), b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
        for (int i = 0; i < 8; i += 4) {
            a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44), a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xEE);
            a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44), a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xEE);
        }
        for (int i = 0; i < 4; i++) {
            _mm256_storeu_ps(to + (d + i) * PANEL, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
            _mm256_storeu_ps(to + (d + i + 4) * PANEL, _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
        }
    }
#endif
    for (; d < depth; d++)
        for (int i = 0; i < 8; i++) to[d * PANEL + i] = from[i * DEPTH + d];
}

typedef uint32_t __attribute__((may_alias)) unit; /* a float, or two bfloat16 */
enum { EXACT, ROUNDED, PAIRS };                   /* float32; float32 of what bfloat16 can hold; bfloat16 by twos */

/* To the nearest of bfloat16, of two the even one; not-a-number stays one. */
static inline uint32_t rounded(uint32_t bits) {
    uint32_t strange = (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x400000 : 0, up = 0x7FFF + (bits >> 16 & 1);
    return (strange ? bits | strange : bits + up) & 0xFFFF0000;
}

#ifdef ATTAR_HAS_WIDE
#define WIDE __attribute__((target("avx512f")))
#define BRAIN __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

BRAIN static int64_t in_pairs(float *row, int64_t depth) {
    for (int64_t d = 0; d < depth; d += 16) { /* written behind what was read */
        __mmask16 there = depth - d < 16 ? (__mmask16)((1u << (depth - d)) - 1) : (__mmask16)0xFFFF;
        _mm256_storeu_si256((__m256i *)(row + d / 2), (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(there, row + d)));
    }
    return (depth + 1) / 2;
}
#else
static int64_t in_pairs(float *row, int64_t depth) { return (void)row, depth; }
#endif

/* A row, in place, to what is multiplied: returns its number of units. */
static int64_t prepare(float *row, int64_t depth, int64_t form) {
    if (form == PAIRS) return in_pairs(row, depth);
    unit *bits = (unit *)row;
    for (int64_t d = 0; form == ROUNDED && d < depth; d++) bits[d] = rounded(bits[d]);
    return depth;
}

/* Dims `first` on of PANEL rows in units (units, PANEL); absent rows are 0. `rows` holds 8 * DEPTH floats. */
static void fill(const uint8_t *from, format f, int64_t row_bytes, int64_t present, int64_t first, int64_t depth,
                 int64_t form, float *rows, float *panel) {
    from += first / f.numbers * f.bytes;
    for (int64_t column = 0; column < PANEL; column += 8) {
        int64_t units = 0;
        for (int64_t i = 0; i < 8; i++) {
            if (column + i < present) f.read(from + (column + i) * row_bytes, depth, rows + i * DEPTH);
            else memset(rows + i * DEPTH, 0, (size_t)depth * sizeof(float));
            units = prepare(rows + i * DEPTH, depth, form);
        }
        turn(rows, units, panel + column);
    }
}

/* Rows of x in tiles (units, TILE); where rows are absent the last one is repeated. Returns the units of a row. */
static int64_t gather(const float *x, int64_t stride, int64_t rows, int64_t depth, int64_t form, float *aside, float *to) {
    int64_t units = 0;
    for (int64_t m = 0; m < rows; m += TILE, to += TILE * units)
        for (int64_t r = 0; r < TILE; r++) {
            memcpy(aside, x + least(m + r, rows - 1) * stride, (size_t)depth * sizeof(float));
            units = prepare(aside, depth, form);
            for (int64_t d = 0; d < units; d++) to[d * TILE + r] = aside[d];
        }
    return units;
}

/* Six of the rows of a tile and 16 of the columns of a panel; adds to what is there if `more`. */
static void times_narrow(const float *x, const float *panel, int64_t depth, int more, float *out, int64_t stride,
                         int64_t rows, int64_t columns) {
    v8 sums[6][2];
    for (int r = 0; r < 6; r++) sums[r][0] = sums[r][1] = all(0);
    for (int64_t d = 0; d < depth; d++, panel += PANEL, x += TILE) {
        v8 left = load(panel), right = load(panel + LANES);
#pragma GCC unroll 6
        for (int r = 0; r < 6; r++) {
            v8 y = all(x[r]);
            sums[r][0] = fused(y, left, sums[r][0]);
            sums[r][1] = fused(y, right, sums[r][1]);
        }
    }
    int64_t n = least(columns, LANES), rest = columns - n;
#pragma GCC unroll 6
    for (int r = 0; r < 6; r++) {
        if (r >= rows) break;
        float *at = out + r * stride;
        if (more) sums[r][0] += load_some(at, n), sums[r][1] += load_some(at + n, rest);
        store_some(at, sums[r][0], n), store_some(at + n, sums[r][1], rest);
    }
}

static void times_tile(const float *x, const float *panel, int64_t depth, int more, float *out, int64_t stride,
                       int64_t rows, int64_t columns) {
    for (int64_t c = 0; c < columns; c += 16)
        for (int64_t r = 0; r < rows && r < TILE; r += 6)
            times_narrow(x + r, panel + c, depth, more, out + r * stride + c, stride, rows - r, least(columns - c, 16));
}

#ifdef ATTAR_HAS_WIDE
/* The same sums in vectors of 16. */
#define TIMES(NAME, TARGET, VECTOR, LOAD, SPREAD, ADD)                                                                 \
    TARGET static void NAME(const float *x, const float *panel, int64_t depth, int more, float *out, int64_t stride,   \
                            int64_t rows, int64_t columns) {                                                           \
        __m512 sums[TILE][2];                                                                                          \
        for (int r = 0; r < TILE; r++) sums[r][0] = sums[r][1] = _mm512_setzero_ps();                                  \
        for (int64_t d = 0; d < depth; d++, panel += PANEL, x += TILE) {                                               \
            VECTOR left = LOAD(panel), right = LOAD(panel + 16);                                                       \
            _Pragma("GCC unroll 12") for (int r = 0; r < TILE; r++) {                                                  \
                VECTOR y = SPREAD(x + r);                                                                              \
                sums[r][0] = ADD(sums[r][0], y, left);                                                                 \
                sums[r][1] = ADD(sums[r][1], y, right);                                                                \
            }                                                                                                          \
        }                                                                                                              \
        __mmask16 some[2] = {(__mmask16)((1u << least(columns, 16)) - 1),                                              \
                             (__mmask16)((1u << (columns > 16 ? columns - 16 : 0)) - 1)};                              \
        _Pragma("GCC unroll 12") for (int r = 0; r < TILE; r++) {                                                      \
            if (r >= rows) break;                                                                                      \
            for (int half = 0; half < 2; half++) {                                                                     \
                float *at = out + r * stride + 16 * half;                                                              \
                __m512 total = sums[r][half];                                                                          \
                if (more) total = _mm512_add_ps(_mm512_maskz_loadu_ps(some[half], at), total);                         \
                _mm512_mask_storeu_ps(at, some[half], total);                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }

#define ONE(at) _mm512_set1_ps(*(at))
#define ONE_PAIR(at) (__m512bh)_mm512_set1_epi32((int)*(const unit *)(at))
#define LOAD_PAIRS(at) (__m512bh)_mm512_loadu_si512(at)
#define FUSED(sums, y, w) _mm512_fmadd_ps(y, w, sums)
TIMES(times_wide, WIDE, __m512, _mm512_loadu_ps, ONE, FUSED)
TIMES(times_pairs, BRAIN, __m512bh, LOAD_PAIRS, ONE_PAIR, _mm512_dpbf16_ps)
#endif

typedef void (*tile)(const float *, const float *, int64_t, int, float *, int64_t, int64_t, int64_t);

/* What the processor has, and may use: 0 vectors of eight, 1 of sixteen, 2 also products of bfloat16. */
int64_t attar_stored_level(void) {
#ifdef ATTAR_HAS_WIDE
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f")) return 0;
    return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") ? 2 : 1;
#else
    return 0;
#endif
}

static tile best_tile(int64_t level, int64_t form) {
#ifdef ATTAR_HAS_WIDE
    if (form == PAIRS) return times_pairs;
    if (level > 0) return times_wide;
#endif
    (void)level, (void)form;
    return times_tile;
}

/* out = x . weight^T. Rows of x stand `stride` floats apart. `scratch` holds DEPTH * ((rows rounded up to TILE) + PANEL
   + 8) floats. `level`: no more than that of attar_stored_level. `brief`: both are rounded to bfloat16 first.
   Shape: x (rows, k), weight of n rows of k numbers, out (rows, n) */
void attar_times_stored(const float *x, int64_t stride, const uint8_t *weight, int64_t kind, int64_t rows, int64_t n,
                        int64_t k, int64_t level, int64_t brief, float *scratch, float *out) {
    format f = ATTAR_FORMATS[kind];
    int64_t row_bytes = k / f.numbers * f.bytes, form = !brief ? EXACT : level > 1 ? PAIRS : ROUNDED;
    float *panel = scratch, *aside = panel + DEPTH * PANEL, *tiles = aside + DEPTH * 8;
    tile times = best_tile(level, form);
    for (int64_t first = 0; first < k; first += DEPTH) {
        int64_t depth = least(k - first, DEPTH), units = gather(x + first, stride, rows, depth, form, aside, tiles);
        for (int64_t column = 0; column < n; column += PANEL) {
            fill(weight + column * row_bytes, f, row_bytes, n - column, first, depth, form, aside, panel);
            for (int64_t m = 0; m < rows; m += TILE)
                times(tiles + m * units, panel, units, first > 0, out + m * n + column, n, rows - m, least(n - column, PANEL));
        }
    }
}
