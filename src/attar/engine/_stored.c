/* Numbers as they are stored (floats of 32 or 16 bits, or blocks of quantised ones) to floats. */

#include "_stored.h"
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

static void from_q2_k(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 256, from += 84) {
        float all_scales = half_of(from + 80), all_least = half_of(from + 82);
        for (int part = 0; part < 16; part++, to += 16) { /* scale and least value share a byte; two bits a number */
            float d = all_scales * (float)(from[part] & 15), m = all_least * (float)(from[part] >> 4);
            const uint8_t *q = from + 16 + part / 8 * 32 + part % 2 * 16;
            int shift = part % 8 / 2 * 2;
            for (int i = 0; i < 16; i++) to[i] = d * (float)(q[i] >> shift & 3) - m;
        }
    }
}

static void from_q3_k(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 256, from += 110) {
        const uint8_t *s = from + 96;
        float all_scales = half_of(from + 108);
        for (int part = 0; part < 16; part++, to += 16) { /* scales of six bits; two bits a number, and a third apart */
            int scale = (part < 8 ? s[part] & 15 : s[part - 8] >> 4) | (s[8 + part % 4] >> part / 4 * 2 & 3) << 4;
            float d = all_scales * (float)(scale - 32);
            const uint8_t *high = from + part % 2 * 16, *q = from + 32 + part / 8 * 32 + part % 2 * 16;
            int shift = part % 8 / 2 * 2, high_shift = part / 2;
            for (int i = 0; i < 16; i++) to[i] = d * (float)((q[i] >> shift & 3) + (high[i] >> high_shift & 1) * 4 - 4);
        }
    }
}

/* What the sixteen steps of IQ4 stand for. */
static const float STEPS[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

static void from_iq4_nl(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 32, from += 18, to += 32) {
        float scale = half_of(from);
        const uint8_t *q = from + 2;
        for (int i = 0; i < 16; i++) to[i] = scale * STEPS[q[i] & 15];
        for (int i = 0; i < 16; i++) to[i + 16] = scale * STEPS[q[i] >> 4];
    }
}

static void from_iq4_xs(const uint8_t *from, int64_t n, float *to) {
    for (; n > 0; n -= 256, from += 136) {
        float all_scales = half_of(from);
        uint16_t high;
        memcpy(&high, from + 2, 2);
        for (int part = 0; part < 8; part++, to += 32) {
            int scale = (from[4 + part / 2] >> part % 2 * 4 & 15) | (high >> part * 2 & 3) << 4;
            float d = all_scales * (float)(scale - 32);
            const uint8_t *q = from + 8 + part * 16;
            for (int i = 0; i < 16; i++) to[i] = d * STEPS[q[i] & 15];
            for (int i = 0; i < 16; i++) to[i + 16] = d * STEPS[q[i] >> 4];
        }
    }
}

/* In the order of FORMATS in io/quantized.py. */
const format ATTAR_FORMATS[] = {
    {from_f32, 1, 4},    {from_f16, 1, 2},    {from_bf16, 1, 2},    {from_q8_0, 32, 34},   {from_q4_0, 32, 18},
    {from_q4_1, 32, 20}, {from_q5_0, 32, 22}, {from_q5_1, 32, 24},  {from_q4_k, 256, 144}, {from_q5_k, 256, 176},
    {from_q6_k, 256, 210}, {from_q2_k, 256, 84}, {from_q3_k, 256, 110}, {from_iq4_nl, 32, 18}, {from_iq4_xs, 256, 136},
};

/* Rows of a stored array as floats. Shape: ids (rows) -> to (rows, k) */
void attar_stored_rows(const uint8_t *from, int64_t kind, const int64_t *ids, int64_t rows, int64_t k, float *to) {
    format f = ATTAR_FORMATS[kind];
    for (int64_t r = 0; r < rows; r++) f.read(from + ids[r] * (k / f.numbers * f.bytes), k, to + r * k);
}
