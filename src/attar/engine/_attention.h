/* Some queries of one head against all its keys and values, by vectors of eight or of sixteen: the same to the last bit. */
#ifndef ATTAR_ATTENTION
#define ATTAR_ATTENTION

#include <stdint.h>

#define ROWS 12  /* queries that are scored together, and share each load of keys and values where there are vectors enough */
#define KEYS 16  /* keys of one block, which lies (Dh, KEYS) */

/* Where one of queries, keys and values stands: rows `stride` floats apart, heads side by side in a row. */
typedef struct {
    const float *at;
    int64_t stride;
} rows_of;

/* The first queries of one head; `rows` of them, at most ROWS. Rows of scores stand `width` floats apart: n, up to a
   multiple of 8. Shape: queries (ROWS, dh), keys in blocks, values (n, dh), bias (dh), out (rows, dh) */
typedef void attend_rows(const float *queries, const float *keys, rows_of values, int64_t n, int64_t width, int64_t dh,
                         float *scores, const float *bias, float *out, int64_t out_stride, int64_t rows);
attend_rows attar_attend_16;

#endif
