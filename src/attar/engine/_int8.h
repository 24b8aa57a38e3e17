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

/* The least and the greatest of a row, and 0; `strange` is 0, or NaN where a number is not finite. */
typedef struct {
    float low, high, strange;
} range;

static inline range range_of(const float *row, int64_t k);

static inline row_info measure(const float *row, int64_t k) {
    const range found = range_of(row, k);
    if (found.strange != 0) return (row_info){found.strange, 0, 0}; /* the whole row comes out as NaN */
    float scale = (found.high - found.low) / 255.0f, inverse = scale > 1e-30f ? 1.0f / scale : 0;
    return (row_info){inverse > 0 ? scale : 0, inverse, (int32_t)lrintf(-found.low * inverse)};
}

static inline int32_t least_int(int32_t a, int32_t b) { return a < b ? a : b; }
