/* Every kernel that any processor can run, on made-up numbers; writes what they give. Two machines can be compared so. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void attar_pack_float32(const float *, int64_t, int64_t, uint32_t *);
void attar_pack_int16(const float *, int64_t, int64_t, uint32_t *);
void attar_times(int64_t, const float *, int64_t, const void *, int64_t, int64_t, int64_t, float *, int64_t);
void attar_bias_gelu(float *, const float *, int64_t, int64_t);
void attar_add_norm(float *, const float *, const float *, const float *, const float *, float, int64_t, int64_t);
void attar_attention(const float *, int64_t, const float *, int64_t, const float *, int64_t, const float *, const float *,
                     const float *, const int64_t *, int64_t, int64_t, int64_t, float, float *, int64_t, float *, int64_t, int64_t);
int64_t attar_sum_rows(const float *, int64_t, int64_t, const int32_t *, const float *, const int64_t *, int64_t, float *,
                       int64_t, int64_t);

#define ROWS 29
#define WIDE 100 /* columns: not a multiple of any vector */
#define DEEP 200 /* more than one pass */

static uint32_t state = 1;

static float *numbers(int64_t n) { /* -1 to 1 */
    float *made = malloc((size_t)n * sizeof(float));
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        made[i] = (float)(int32_t)state / 2147483648.0f;
    }
    return made;
}

static void show(const float *x, int64_t n) { fwrite(x, sizeof(float), (size_t)n, stdout); }

int main(void) {
    float *x = numbers(ROWS * DEEP), *weight = numbers(WIDE * DEEP), *out = numbers(ROWS * DEEP);
    uint32_t *packed = calloc((DEEP + 2) * 112, sizeof(uint32_t)); /* 7 panels of 16 columns */
    attar_pack_float32(weight, WIDE, DEEP, packed);
    attar_times(0, x, DEEP, packed, ROWS, WIDE, DEEP, out, 2);
    show(out, ROWS * WIDE);
    attar_pack_int16(weight, WIDE, DEEP, packed);
    attar_times(3, x, DEEP, packed, ROWS, WIDE, DEEP, out, 2);
    show(out, ROWS * WIDE);
    const int64_t offsets[] = {0, 3, 3, ROWS};
    int32_t rows[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = i * 7 % ROWS;
    float sums[3 * DEEP];
    attar_sum_rows(x, ROWS, DEEP, rows, weight, offsets, 3, sums, DEEP, 2);
    show(sums, 3 * DEEP);
    attar_bias_gelu(x, weight, ROWS, DEEP);
    show(x, ROWS * DEEP);
    attar_add_norm(x, weight, out, weight + DEEP, weight + 2 * DEEP, 1e-12f, ROWS, DEEP);
    show(x, ROWS * DEEP);
    const int64_t lengths[] = {1, 20, 8}, each = (2 * 40 + 12) * (20 + 16) + 12 * 40;
    float *q = numbers(ROWS * DEEP), *k = numbers(ROWS * DEEP), *scratch = calloc((size_t)(2 * each), sizeof(float));
    attar_attention(q, DEEP, k, DEEP, x, DEEP, weight, weight + DEEP, weight + 2 * DEEP, lengths, 3, 5, 40, 0.2f, scratch,
                    each, out, 2, 0);
    show(out, ROWS * DEEP);
    return 0;
}
