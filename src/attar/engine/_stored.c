/* x . weight^T for a weight as it is stored: floats of 32 or 16 bits, or blocks of quantised numbers. Panels of it become
   floats as the product reaches them; the whole never does.

   Every number of the result is one chain of fused multiply-adds over the dims, in order, DEPTH of them at a time, in
   whatever row it stands and whatever vectors the processor has. No threads, no allocation. */

#include "_vectors.h"

/* Whether this was compiled for a processor such as the one at hand. */
int attar_decoder_runs_here(void) {
#if defined(__x86_64__) && defined(__AVX2__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_halves();
#else
    return 1;
#endif
}

#define PANEL 32  /* rows of a weight that become floats together */
#define DEPTH 256 /* dims of one pass: a multiple of every block */
#define TILE 12   /* rows of x whose sums stay in registers */

static inline float half_of(const uint8_t *at) { /* a float of 16 bits */
    uint16_t bits;
    memcpy(&bits, at, 2);
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff;
    float found;
    if (rest >= 0x7c00) rest = 0x7f800000u | (rest & 0x3ff) << 13;
    else if (rest >= 0x400) rest = (rest << 13) + (112u << 23);
    else {
        found = (float)rest * 5.9604644775390625e-8f; /* 2^-24 */
        memcpy(&rest, &found, 4);
    }
    rest |= sign;
    memcpy(&found, &rest, 4);
    return found;
}

static void from_f32(const uint8_t *from, int64_t n, float *to) { memcpy(to, from, (size_t)n * 4); }

static void from_f16(const uint8_t *from, int64_t n, float *to) {
    int64_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + 2 * i))));
#endif
    for (; i < n; i++) to[i] = half_of(from + 2 * i);
}

static void from_bf16(const uint8_t *from, int64_t n, float *to) {
    for (int64_t i = 0; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, from + 2 * i, 2);
        uint32_t wide = (uint32_t)bits << 16;
        memcpy(to + i, &wide, 4);
    }
}

static void from_q8_0(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 32, from += 34, to += 32) {
        float scale = half_of(from);
        const int8_t *q = (const int8_t *)from + 2;
        for (int i = 0; i < 32; i++) to[i] = (float)q[i] * scale;
    }
}

static void from_q4_0(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 32, from += 18, to += 32) {
        float scale = half_of(from);
        const uint8_t *q = from + 2;
        for (int i = 0; i < 16; i++) to[i] = (float)((int)(q[i] & 15) - 8) * scale;
        for (int i = 0; i < 16; i++) to[i + 16] = (float)((int)(q[i] >> 4) - 8) * scale;
    }
}

static void from_q4_1(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 32, from += 20, to += 32) {
        float scale = half_of(from), least = half_of(from + 2);
        const uint8_t *q = from + 4;
        for (int i = 0; i < 16; i++) to[i] = (float)(q[i] & 15) * scale + least;
        for (int i = 0; i < 16; i++) to[i + 16] = (float)(q[i] >> 4) * scale + least;
    }
}

static void from_q5_0(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 32, from += 22, to += 32) {
        float scale = half_of(from);
        uint32_t high;
        memcpy(&high, from + 2, 4);
        const uint8_t *q = from + 6;
        for (int i = 0; i < 16; i++) {
            to[i] = (float)((int)((q[i] & 15) | (high >> i & 1) << 4) - 16) * scale;
            to[i + 16] = (float)((int)((q[i] >> 4) | (high >> (i + 16) & 1) << 4) - 16) * scale;
        }
    }
}

static void from_q5_1(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 32, from += 24, to += 32) {
        float scale = half_of(from), least = half_of(from + 2);
        uint32_t high;
        memcpy(&high, from + 4, 4);
        const uint8_t *q = from + 8;
        for (int i = 0; i < 16; i++) {
            to[i] = (float)((q[i] & 15) | (high >> i & 1) << 4) * scale + least;
            to[i + 16] = (float)((q[i] >> 4) | (high >> (i + 16) & 1) << 4) * scale + least;
        }
    }
}

/* Scale and least value of the eight parts of a block of 256, six bits each. */
static inline void parts_of_k(const uint8_t *s, int i, int *scale, int *least) {
    if (i < 4) *scale = s[i] & 63, *least = s[i + 4] & 63;
    else *scale = (s[i + 4] & 15) | (s[i - 4] >> 6) << 4, *least = (s[i + 4] >> 4) | (s[i] >> 6) << 4;
}

static void from_q4_k(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 256, from += 144) {
        float all_scales = half_of(from), all_least = half_of(from + 2);
        for (int part = 0; part < 8; part++, to += 32) {
            int scale, least;
            parts_of_k(from + 4, part, &scale, &least);
            float d = all_scales * (float)scale, m = all_least * (float)least;
            const uint8_t *q = from + 16 + part / 2 * 32;
            int shift = part % 2 * 4;
            for (int i = 0; i < 32; i++) to[i] = d * (float)(q[i] >> shift & 15) - m;
        }
    }
}

static void from_q5_k(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 256, from += 176) {
        float all_scales = half_of(from), all_least = half_of(from + 2);
        for (int part = 0; part < 8; part++, to += 32) {
            int scale, least;
            parts_of_k(from + 4, part, &scale, &least);
            float d = all_scales * (float)scale, m = all_least * (float)least;
            const uint8_t *high = from + 16, *q = from + 48 + part / 2 * 32;
            int shift = part % 2 * 4;
            for (int i = 0; i < 32; i++) to[i] = d * (float)((q[i] >> shift & 15) | (high[i] >> part & 1) << 4) - m;
        }
    }
}

static void from_q6_k(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 256, from += 210, to += 256) {
        const int8_t *scales = (const int8_t *)from + 192;
        float all_scales = half_of(from + 208);
        for (int part = 0; part < 8; part++) { /* 32 numbers each; four parts share their high bits */
            const uint8_t *low = from + part / 4 * 64 + part % 2 * 32, *high = from + 128 + part / 4 * 32;
            int shift = part % 4 / 2 * 4, high_shift = part % 4 * 2;
            for (int i = 0; i < 32; i++) {
                int q = (low[i] >> shift & 15) | (high[i] >> high_shift & 3) << 4;
                to[part * 32 + i] = all_scales * (float)scales[part * 2 + i / 16] * (float)(q - 32);
            }
        }
    }
}

typedef struct {
    void (*read)(const uint8_t *, int64_t, float *);
    int64_t numbers, bytes; /* of one block */
} format;

/* In the order of FORMATS in io/quantized.py. */
static const format FORMATS[] = {
    {from_f32, 1, 4},    {from_f16, 1, 2},    {from_bf16, 1, 2},    {from_q8_0, 32, 34},   {from_q4_0, 32, 18},
    {from_q4_1, 32, 20}, {from_q5_0, 32, 22}, {from_q5_1, 32, 24},  {from_q4_k, 256, 144}, {from_q5_k, 256, 176},
    {from_q6_k, 256, 210},
};

/* Rows of a stored array as floats. Shape: ids (rows) -> to (rows, k) */
void attar_stored_rows(const uint8_t *from, int64_t kind, const int64_t *ids, int64_t rows, int64_t k, float *to) {
    format f = FORMATS[kind];
    for (int64_t r = 0; r < rows; r++) f.read(from + ids[r] * (k / f.numbers * f.bytes), k, to + r * k);
}

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

/* Dims `first` on of PANEL rows as floats (depth, PANEL); absent rows are 0. `rows` holds 8 * DEPTH floats. */
static void fill(const uint8_t *from, format f, int64_t row_bytes, int64_t present, int64_t first, int64_t depth,
                 float *rows, float *panel) {
    from += first / f.numbers * f.bytes;
    for (int64_t column = 0; column < PANEL; column += 8) {
        for (int64_t i = 0; i < 8; i++) {
            if (column + i < present) f.read(from + (column + i) * row_bytes, depth, rows + i * DEPTH);
            else memset(rows + i * DEPTH, 0, (size_t)depth * sizeof(float));
        }
        turn(rows, depth, panel + column);
    }
}

/* Rows of x in tiles (depth, TILE); where rows are absent the last one is repeated. */
static void gather(const float *x, int64_t stride, int64_t rows, int64_t depth, float *to) {
    for (int64_t m = 0; m < rows; m += TILE, to += TILE * depth)
        for (int64_t r = 0; r < TILE; r++) {
            const float *from = x + least(m + r, rows - 1) * stride;
            for (int64_t d = 0; d < depth; d++) to[d * TILE + r] = from[d];
        }
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

#if defined(__x86_64__) && defined(__AVX2__)
#define WIDE __attribute__((target("avx512f")))

/* The same sums in vectors of 16. */
WIDE static void times_wide(const float *x, const float *panel, int64_t depth, int more, float *out, int64_t stride,
                            int64_t rows, int64_t columns) {
    __m512 sums[TILE][2];
    for (int r = 0; r < TILE; r++) sums[r][0] = sums[r][1] = _mm512_setzero_ps();
    for (int64_t d = 0; d < depth; d++, panel += PANEL, x += TILE) {
        __m512 left = _mm512_loadu_ps(panel), right = _mm512_loadu_ps(panel + 16);
#pragma GCC unroll 12
        for (int r = 0; r < TILE; r++) {
            __m512 y = _mm512_set1_ps(x[r]);
            sums[r][0] = _mm512_fmadd_ps(y, left, sums[r][0]);
            sums[r][1] = _mm512_fmadd_ps(y, right, sums[r][1]);
        }
    }
    __mmask16 some[2] = {(__mmask16)((1u << least(columns, 16)) - 1),
                         (__mmask16)((1u << (columns > 16 ? columns - 16 : 0)) - 1)};
#pragma GCC unroll 12
    for (int r = 0; r < TILE; r++) {
        if (r >= rows) break;
        for (int half = 0; half < 2; half++) {
            float *at = out + r * stride + 16 * half;
            __m512 total = sums[r][half];
            if (more) total = _mm512_add_ps(_mm512_maskz_loadu_ps(some[half], at), total);
            _mm512_mask_storeu_ps(at, some[half], total);
        }
    }
}
#endif

typedef void (*tile)(const float *, const float *, int64_t, int, float *, int64_t, int64_t, int64_t);

static tile best_tile(int64_t narrow) {
#if defined(__x86_64__) && defined(__AVX2__)
    if (!narrow && __builtin_cpu_supports("avx512f")) return times_wide;
#endif
    (void)narrow;
    return times_tile;
}

/* out = x . weight^T. Rows of x stand `stride` floats apart. `scratch` holds DEPTH * ((rows rounded up to TILE) + PANEL
   + 8) floats. `narrow`: no vectors of 16. Shape: x (rows, k), weight of n rows of k numbers, out (rows, n) */
void attar_times_stored(const float *x, int64_t stride, const uint8_t *weight, int64_t kind, int64_t rows, int64_t n,
                        int64_t k, int64_t narrow, float *scratch, float *out) {
    format f = FORMATS[kind];
    int64_t row_bytes = k / f.numbers * f.bytes;
    float *panel = scratch, *aside = panel + DEPTH * PANEL, *tiles = aside + DEPTH * 8;
    tile times = best_tile(narrow);
    for (int64_t first = 0; first < k; first += DEPTH) {
        int64_t depth = least(k - first, DEPTH);
        gather(x + first, stride, rows, depth, tiles);
        for (int64_t column = 0; column < n; column += PANEL) {
            fill(weight + column * row_bytes, f, row_bytes, n - column, first, depth, aside, panel);
            for (int64_t m = 0; m < rows; m += TILE)
                times(tiles + m * depth, panel, depth, first > 0, out + m * n + column, n, rows - m, least(n - column, PANEL));
        }
    }
}
