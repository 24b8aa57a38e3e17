/* A block of BERT-like models, all its steps in one call. Between products Python would take longer than the steps do
   where there are few tokens: what it reads has left the caches while weights were read. */

#include "_steps.h"
#include "_team.h"

typedef struct {
    const void *packed;
    const float *bias;
    int64_t kind, n, k;
} dense;

typedef struct {
    const float *gain, *offset;
    double epsilon;
} norm;

typedef struct {
    dense qkv, mix, widen, narrow;
    norm middle, last;
    int64_t heads, wide, relu; /* wide: the processor has vectors of sixteen */
    double scale;
} block;

/* One of the steps that go row by row, shared by runs of rows. */
typedef struct {
    const block *of;
    float *x;
    const float *bias, *residual;
    const norm *norm; /* or the activation, where there is none */
    int64_t rows, dims, parts;
} row_step;

#define WORTHWHILE 12000 /* numbers that are done sooner than another thread takes notice */

static void some_rows(const void *given, int64_t part) {
    const row_step *job = given;
    const int64_t from = part * job->rows / job->parts, rows = (part + 1) * job->rows / job->parts - from, at = from * job->dims;
    if (job->norm)
        attar_add_norm(job->x + at, job->bias, job->residual + at, job->norm->gain, job->norm->offset,
                       (float)job->norm->epsilon, rows, job->dims);
    else if (job->of->relu) attar_bias_relu(job->x + at, job->bias, rows, job->dims);
    else attar_bias_gelu(job->x + at, job->bias, rows, job->dims);
}

static void by_rows(const block *of, float *x, const float *bias, const float *residual, const norm *norm, int64_t rows,
                    int64_t dims, int64_t members) {
    const row_step job = {of, x, bias, residual, norm, rows, dims, rows * dims < WORTHWHILE ? 1 : members};
    attar_share(some_rows, &job, job.parts, members);
}

static void times(const dense *weight, const float *x, int64_t rows, float *out, int64_t members) {
    attar_times(weight->kind, x, weight->k, weight->packed, rows, weight->n, weight->k, out, members);
}

/* `work` holds rows * (4 D, or the dims of the wide layer if they are more, + D) floats, and then for each of the
   members who share the heads (as many as there are heads at most) the `each` floats that attention needs.
   Shape: x and out (rows, D), lengths (N) which sum to rows */
void attar_block(const block *of, const float *x, int64_t rows, const int64_t *lengths, int64_t n_sequences, float *work,
                 int64_t each, float *out, int64_t members) {
    const int64_t d = of->mix.n, wide = of->widen.n, helped = members < of->heads ? members : of->heads;
    float *qkv = work, *attended = qkv + 3 * d * rows, *hidden = work;
    float *mixed = work + (wide > 4 * d ? wide : 4 * d) * rows, *scratch = mixed + d * rows;
    const float *bias = of->qkv.bias;
    times(&of->qkv, x, rows, qkv, members);
    attar_attention(qkv, 3 * d, qkv + d, 3 * d, qkv + 2 * d, 3 * d, bias, bias + d, bias + 2 * d, lengths, n_sequences,
                    of->heads, d / of->heads, (float)of->scale, scratch, each, attended, helped, of->wide);
    times(&of->mix, attended, rows, mixed, members);
    by_rows(of, mixed, of->mix.bias, x, &of->middle, rows, d, members);
    times(&of->widen, mixed, rows, hidden, members);
    by_rows(of, hidden, of->widen.bias, 0, 0, rows, wide, members);
    times(&of->narrow, hidden, rows, out, members);
    by_rows(of, out, of->narrow.bias, mixed, &of->last, rows, d, members);
}
