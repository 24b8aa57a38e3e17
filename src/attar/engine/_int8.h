/* 8-bit products: a weight has a scale for each column, -127 to 127; a row of x one scale and one zero of its own, so
   that its least number is 0 and its greatest 255. Sums of integers are exact: the same whatever adds them up. */

#include <math.h>

typedef struct {
    float scale, inverse;
    int32_t zero;
} row_info;

typedef struct {
    const float *scales;  /* of the columns from here on */
    const int32_t *sums;  /* of their weights, for the zero of a row */
    int last;             /* the sums are complete */
} columns;

/* Behind the units lie the columns' scales and sums, as many as there are in all panels. */
static inline columns columns_from(const product *job, int64_t panel, int64_t units, int last) {
    const int64_t all_columns = up(job->n, PANEL) * PANEL;
    const float *scales = (const float *)job->packed + units * all_columns;
    return (columns){scales + panel * PANEL, (const int32_t *)(scales + all_columns) + panel * PANEL, last};
}

static inline row_info measure(const float *row, int64_t k) {
    float low[16] = {0}, high[16] = {0}, strange[16] = {0};
    int64_t d = 0;
    for (; d + 16 <= k; d += 16)
        for (int i = 0; i < 16; i++) {
            float y = row[d + i];
            low[i] = y < low[i] ? y : low[i];
            high[i] = y > high[i] ? y : high[i];
            strange[i] += y * 0.0f; /* 0, or NaN where a number is not finite */
        }
    for (; d < k; d++) {
        float y = row[d];
        low[0] = y < low[0] ? y : low[0];
        high[0] = y > high[0] ? y : high[0];
        strange[0] += y * 0.0f;
    }
    for (int i = 1; i < 16; i++) {
        low[0] = low[i] < low[0] ? low[i] : low[0];
        high[0] = high[i] > high[0] ? high[i] : high[0];
        strange[0] += strange[i];
    }
    if (strange[0] != 0) return (row_info){strange[0], 0, 0}; /* the whole row comes out as NaN */
    float scale = (high[0] - low[0]) / 255.0f, inverse = scale > 1e-30f ? 1.0f / scale : 0;
    return (row_info){inverse > 0 ? scale : 0, inverse, (int32_t)lrintf(-low[0] * inverse)};
}

static inline int32_t least_int(int32_t a, int32_t b) { return a < b ? a : b; }
