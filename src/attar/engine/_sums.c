/* Weighted sums of rows, sequence by sequence: all that a static model computes, and the end of every other one. */

#include <math.h>

#include "_team.h"
#include "_vectors.h"

#define WIDTH 256  /* dims at a time, whose sums stay in the first cache */
#define RUN 128    /* rows added up in float32 before the sum goes to the others, in float64 */
#define AHEAD 6    /* rows that are fetched before they are needed */

typedef struct {
    const float *table;
    int64_t dims;
    const int32_t *rows;
    const float *weights;
    const int64_t *offsets;
    int64_t n;
    float *out;
    int64_t stride, share;
} sums;

static inline const float *row_of(const sums *job, int64_t t) {
    return job->table + (job->rows ? (int64_t)job->rows[t] : t) * job->dims;
}

/* Dims whose sums stay in registers: those of one run of rows. */
#define TOGETHER 8 /* vectors */

static void sum_run(const sums *job, int64_t from, int64_t to, int64_t last, int64_t at, int64_t n, float *held) {
    int64_t d = 0;
    for (; d + TOGETHER * LANES <= n; d += TOGETHER * LANES) {
        v8 sum[TOGETHER];
        for (int i = 0; i < TOGETHER; i++) sum[i] = all(0);
        for (int64_t t = from; t < to; t++) {
            const float *row = row_of(job, t) + at + d;
            const v8 weight = all(job->weights[t]);
            if (job->rows && t + AHEAD < last)
                for (int i = 0; i < TOGETHER * LANES; i += 16) __builtin_prefetch(row_of(job, t + AHEAD) + at + d + i);
            for (int i = 0; i < TOGETHER; i++) sum[i] = fused(weight, load(row + i * LANES), sum[i]);
        }
        for (int i = 0; i < TOGETHER; i++) store(held + d + i * LANES, sum[i]);
    }
    for (; d < n; d++) {
        held[d] = 0;
        for (int64_t t = from; t < to; t++) held[d] = fmaf(job->weights[t], row_of(job, t)[at + d], held[d]);
    }
}

static void sum_dims(const sums *job, int64_t sequence, int64_t at, int64_t n, int64_t last) {
    const int64_t from = job->offsets[sequence], to = job->offsets[sequence + 1];
    float held[WIDTH], *out = job->out + sequence * job->stride + at;
    if (to - from <= RUN) {
        sum_run(job, from, to, last, at, n, held);
        memcpy(out, held, (size_t)n * sizeof(float));
        return;
    }
    double total[WIDTH] = {0};
    for (int64_t t = from; t < to; t += RUN) {
        sum_run(job, t, t + RUN < to ? t + RUN : to, last, at, n, held);
        for (int64_t d = 0; d < n; d++) total[d] += (double)held[d];
    }
    for (int64_t d = 0; d < n; d++) out[d] = (float)total[d];
}

static void some_sums(const void *given, int64_t part) {
    const sums *job = given;
    const int64_t from = part * job->share, to = from + job->share < job->n ? from + job->share : job->n;
    for (int64_t s = from; s < to; s++)
        for (int64_t at = 0; at < job->dims; at += WIDTH)
            sum_dims(job, s, at, job->dims - at < WIDTH ? job->dims - at : WIDTH, job->offsets[to]);
}

/* out[s] = the sum of weights[t] * table[rows[t]] over the tokens t of sequence s; without rows, of table[t]. Rows of the
   result stand `stride` floats apart. Nothing is read, and the place of the first one returned, where one of the rows is
   not in the table; else -1. Shape: table (height, dims), rows and weights (T), offsets (n + 1), out (n, dims) */
int64_t attar_sum_rows(const float *table, int64_t height, int64_t dims, const int32_t *rows, const float *weights,
                       const int64_t *offsets, int64_t n, float *out, int64_t stride, int64_t members) {
    if (rows) {
        const uint32_t most = height < INT32_MAX ? (uint32_t)height : INT32_MAX;
        uint32_t outside = 0;
        for (int64_t t = 0; t < offsets[n]; t++) outside |= (uint32_t)rows[t] >= most;
        for (int64_t t = 0; outside && t < offsets[n]; t++)
            if ((uint32_t)rows[t] >= most) return t;
    }
    const int64_t work = offsets[n] * dims, parts = work < 100000 ? 1 : members * 4;
    const int64_t share = n / parts + 1;
    const sums job = {table, dims, rows, weights, offsets, n, out, stride, share};
    attar_share(some_sums, &job, (n + share - 1) / share, members);
    return -1;
}
