/* What stands between the matrix products of a packed transformer, each in one pass over memory.

   Rows are tokens; all arrays are C-contiguous float32 unless a stride is given. Letters: T tokens, D dims, H heads,
   Dh dims of a head. No threads, no allocation, no Python: called through ctypes, which lets go of the interpreter. */

#include <math.h>

#include "_attention.h"
#include "_steps.h"
#include "_team.h"
#include "_vectors.h"
#include "_wide.h"

static inline float sum(v8 x) {
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

static inline float greatest(v8 x) {
#ifdef __AVX2__ /* what compilers do not find by themselves */
    __m128 m = _mm_max_ps(_mm256_castps256_ps128((__m256)x), _mm256_extractf128_ps((__m256)x, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
#else
    float most = x[0];
    for (int i = 1; i < LANES; i++) most = x[i] > most ? x[i] : most;
    return most;
#endif
}

/* e^x for x <= 0, relative error 1e-7, NaN of NaN: x = n ln 2 + r, with a polynomial in f = r / ln 2 for 2^f. */
static inline v8 exp_of(v8 x) {
    const v8 shift = all(12582912.0f); /* 1.5 * 2^23: adding it rounds to the nearest integer */
    u8 strange = (u8)(x != x);
    x = larger(x, all(-87.0f));
    v8 rounded = fused(x, all(1.44269504f), shift);
    v8 n = rounded - shift;
    v8 f = fused(n, all(-0.693359375f), x); /* ln 2 in two parts, the first without rounding */
    f = fused(n, all(2.12194440e-4f), f) * 1.44269504f;
    v8 p = all(1.327645254e-03f);
    p = fused(p, f, all(9.675542278e-03f));
    p = fused(p, f, all(5.550713343e-02f));
    p = fused(p, f, all(2.402211971e-01f));
    p = fused(p, f, all(6.931469670e-01f));
    p = fused(p, f, all(1.0f));
    u8 exponent = (u8)rounded << 23; /* the integer stands in the low bits */
    return (v8)(((u8)p + exponent) | strange);
}

/* x Phi(x) by a rational function of x^2 for Phi(x) - 1/2; absolute error of Phi below 3e-7; NaN where x is not finite. */
static inline v8 gelu_of(v8 x) {
    v8 strange = x - x; /* 0, or NaN */
    x = larger(x, all(-5.4447222f)); /* below, the product is 0 within the error */
    v8 z = smaller(x, all(5.4447222f));
    v8 u = z * z;
    v8 p = all(2.309816399e-08f);
    p = fused(p, u, all(6.355010488e-06f));
    p = fused(p, u, all(1.662692353e-04f));
    p = fused(p, u, all(4.662204527e-03f));
    p = fused(p, u, all(3.358145748e-02f));
    p = fused(p, u, all(3.989422408e-01f));
    v8 q = all(1.207854440e-06f);
    q = fused(q, u, all(7.293201838e-05f));
    q = fused(q, u, all(1.869975982e-03f));
    q = fused(q, u, all(2.849467494e-02f));
    q = fused(q, u, all(2.508422477e-01f));
    q = fused(q, u, all(1.0f));
    return x * (z * p / q + 0.5f) + strange;
}

/* x = gelu(x + bias). Shape: x (rows, dims), bias (dims) */
void attar_bias_gelu(float *x, const float *bias, int64_t rows, int64_t dims) {
    int64_t whole = dims / LANES * LANES;
    for (int64_t r = 0; r < rows; r++, x += dims) {
        for (int64_t d = 0; d < whole; d += LANES) store(x + d, gelu_of(load(x + d) + load(bias + d)));
        if (whole < dims) {
            int64_t n = dims - whole;
            store_some(x + whole, gelu_of(load_some(x + whole, n) + load_some(bias + whole, n)), n);
        }
    }
}

/* x = max(x + bias, 0); NaN where that is not finite. Shape: x (rows, dims), bias (dims) */
void attar_bias_relu(float *x, const float *bias, int64_t rows, int64_t dims) {
    for (int64_t r = 0; r < rows; r++, x += dims)
        for (int64_t d = 0; d < dims; d++) {
            float y = x[d] + bias[d];
            x[d] = (y > 0 ? y : 0) + (y - y);
        }
}

/* x = (x + bias + residual) * gain + offset. Rows of the residual stand `stride` floats apart. */
void attar_add_scale(float *x, const float *bias, const float *residual, int64_t stride, const float *gain,
                     const float *offset, int64_t rows, int64_t dims) {
    for (int64_t r = 0; r < rows; r++, x += dims, residual += stride)
        for (int64_t d = 0; d < dims; d++) x[d] = (x[d] + bias[d] + residual[d]) * gain[d] + offset[d];
}

/* x = norm(x + bias + residual) * gain + offset, each row to mean 0 and variance 1. */
void attar_add_norm(float *x, const float *bias, const float *residual, const float *gain, const float *offset,
                    float epsilon, int64_t rows, int64_t dims) {
    int64_t whole = dims / LANES * LANES;
    for (int64_t r = 0; r < rows; r++, x += dims, residual += dims) {
        v8 total = all(0), squares = all(0);
        for (int64_t d = 0; d < whole; d += LANES) {
            v8 y = load(x + d) + load(bias + d) + load(residual + d);
            store(x + d, y);
            total += y;
        }
        float rest = 0;
        for (int64_t d = whole; d < dims; d++) rest += x[d] = x[d] + bias[d] + residual[d];
        float mean = (sum(total) + rest) / (float)dims;
        for (int64_t d = 0; d < whole; d += LANES) {
            v8 y = load(x + d) - mean;
            squares += y * y;
        }
        rest = 0;
        for (int64_t d = whole; d < dims; d++) rest += (x[d] - mean) * (x[d] - mean);
        float scale = 1.0f / sqrtf((sum(squares) + rest) / (float)dims + epsilon);
        for (int64_t d = 0; d < whole; d += LANES)
            store(x + d, (load(x + d) - mean) * scale * load(gain + d) + load(offset + d));
        for (int64_t d = whole; d < dims; d++) x[d] = (x[d] - mean) * scale * gain[d] + offset[d];
    }
}

/* Eight dims of up to eight keys, with their bias, to keys of dims; rows of the result stand KEYS floats apart.
   Where keys are absent the last one is repeated: their scores are not used. */
static inline void transpose8(const float *from, int64_t stride, const float *bias, int64_t present, float *to) {
    const float *row[LANES];
    for (int i = 0; i < LANES; i++) row[i] = from + (i < present ? i : present - 1) * stride;
#ifdef __AVX2__
    __m256 a[LANES], b[LANES];
    for (int i = 0; i < LANES; i++) a[i] = _mm256_add_ps(_mm256_loadu_ps(row[i]), _mm256_loadu_ps(bias));
    for (int i = 0; i < LANES; i += 2) {
        b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4) {
        a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44);
        a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xEE);
        a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44);
        a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xEE);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(to + i * KEYS, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
        _mm256_storeu_ps(to + (i + 4) * KEYS, _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
    }
#else
    for (int d = 0; d < LANES; d++)
        for (int k = 0; k < LANES; k++) to[d * KEYS + k] = row[k][d] + bias[d];
#endif
}

/* Keys of one head, with their bias, in blocks of KEYS, each block (Dh, KEYS). */
static void gather_keys(const float *keys, int64_t stride, const float *bias, int64_t n, int64_t dh, float *to) {
    for (int64_t k = 0; k < n; k += LANES) {
        float *block = to + k / KEYS * KEYS * dh + k % KEYS;
        for (int64_t d = 0; d < dh; d += LANES) transpose8(keys + k * stride + d, stride, bias + d, n - k, block + d * KEYS);
    }
}

#define FEW 4 /* queries that share each load of keys and values */

/* scores = queries . keys for FEW queries and a block of 16 or 8 keys; rows of scores stand `width` floats apart. */
#define SCORE(NAME, VECTORS)                                                                                          \
    static inline void NAME(const float *queries, const float *keys, int64_t width, int64_t dh, float *scores) {      \
        v8 s[FEW][VECTORS] = {{{0}}};                                                                                \
        for (int64_t d = 0; d < dh; d++)                                                                              \
            for (int i = 0; i < FEW; i++)                                                                            \
                for (int k = 0; k < VECTORS; k++) s[i][k] = fused(load(keys + d * KEYS + k * LANES), all(queries[i * dh + d]), s[i][k]); \
        for (int i = 0; i < FEW; i++)                                                                                \
            for (int k = 0; k < VECTORS; k++) store(scores + i * width + k * LANES, s[i][k]);                         \
    }
SCORE(score16, 2)
SCORE(score8, 1)

/* Scores of one query to shares, not yet divided by their sum, which is returned. */
static inline float soften(float *scores, int64_t n, int64_t width) {
    for (int64_t j = n; j < width; j++) scores[j] = -INFINITY;
    v8 most = load(scores), total = all(0);
    for (int64_t j = LANES; j < width; j += LANES) most = larger(most, load(scores + j));
    float top = greatest(most);
    for (int64_t j = 0; j < width; j += LANES) {
        v8 shares = exp_of(load(scores + j) - top);
        store(scores + j, shares);
        total += shares;
    }
    return sum(total);
}

/* out = shares . values / total + bias for FEW queries and 16 or 8 dims, of which `rows` queries are stored. */
#define AVERAGE(NAME, VECTORS)                                                                                        \
    static inline void NAME(const float *shares, int64_t width, const float *values, int64_t stride, int64_t n,      \
                            const float *totals, const float *bias, float *out, int64_t out_stride, int64_t rows) {  \
        v8 o[FEW][VECTORS] = {{{0}}};                                                                               \
        for (int64_t j = 0; j < n; j++)                                                                              \
            for (int i = 0; i < FEW; i++)                                                                           \
                for (int k = 0; k < VECTORS; k++) o[i][k] = fused(load(values + j * stride + k * LANES), all(shares[i * width + j]), o[i][k]); \
        for (int64_t i = 0; i < rows; i++)                                                                           \
            for (int k = 0; k < VECTORS; k++)                                                                        \
                store(out + i * out_stride + k * LANES, o[i][k] * (1.0f / totals[i]) + load(bias + k * LANES));      \
    }
AVERAGE(average16, 2)
AVERAGE(average8, 1)

/* FEW queries at a time: twice as many sums as there are queries, and what is multiplied, are all the vectors there are. */
static void attend(const float *queries, const float *keys, rows_of values, int64_t n, int64_t width, int64_t dh,
                   float *scores, const float *bias, float *out, int64_t out_stride, int64_t rows) {
    for (int64_t done = 0; done < rows; done += FEW, queries += FEW * dh, scores += FEW * width, out += FEW * out_stride) {
        const int64_t here = rows - done < FEW ? rows - done : FEW;
        float totals[FEW] = {1, 1, 1, 1};
        int64_t k = 0, d = 0;
        for (; k + 16 <= width; k += 16) score16(queries, keys + k * dh, width, dh, scores + k);
        if (k < width) score8(queries, keys + k * dh, width, dh, scores + k);
        for (int64_t i = 0; i < here; i++) totals[i] = soften(scores + i * width, n, width);
        for (; d + 16 <= dh; d += 16)
            average16(scores, width, values.at + d, values.stride, n, totals, bias + d, out + d, out_stride, here);
        if (d < dh) average8(scores, width, values.at + d, values.stride, n, totals, bias + d, out + d, out_stride, here);
    }
}

/* What attention reads and writes; the threads' parts of it are runs of heads. */
typedef struct {
    rows_of q, k, v;
    const float *q_bias, *k_bias, *v_bias;
    const int64_t *lengths;
    int64_t n_sequences, heads, dh;
    float scale;
    float *scratch;
    int64_t scratch_each;
    float *out;
    int64_t parts;
    attend_rows *attend;
} attention;

static void attend_heads(const void *given, int64_t part) {
    const attention *job = given;
    const int64_t dh = job->dh, dims = job->heads * dh;
    const int64_t from = part * job->heads / job->parts * dh, to = (part + 1) * job->heads / job->parts * dh;
    const float *q = job->q.at, *k = job->k.at, *v = job->v.at;
    float *queries = job->scratch + part * job->scratch_each, *keys = queries + ROWS * dh, *out = job->out;
    memset(queries, 0, (size_t)(ROWS * dh) * sizeof(float));
    for (int64_t s = 0; s < job->n_sequences; s++) {
        int64_t n = job->lengths[s], width = (n + LANES - 1) / LANES * LANES;
        float *values = keys + dh * ((n + KEYS - 1) / KEYS * KEYS), *scores = values + dh * n;
        for (int64_t h = from; h < to; h += dh) {
            gather_keys(k + h, job->k.stride, job->k_bias + h, n, dh, keys);
            for (int64_t i = 0; i < n; i++) memcpy(values + i * dh, v + i * job->v.stride + h, (size_t)dh * sizeof(float));
            for (int64_t first = 0; first < n; first += ROWS) {
                int64_t rows = n - first < ROWS ? n - first : ROWS;
                for (int64_t i = 0; i < rows; i++)
                    for (int64_t d = 0; d < dh; d += LANES)
                        store(queries + i * dh + d, (load(q + (first + i) * job->q.stride + h + d) + load(job->q_bias + h + d)) * job->scale);
                job->attend(queries, keys, (rows_of){values, dh}, n, width, dh, scores, job->v_bias + h,
                            out + first * dims + h, dims, rows);
            }
        }
        q += n * job->q.stride, k += n * job->k.stride, v += n * job->v.stride, out += n * dims;
    }
}

/* Attention of each sequence to itself, straight from wherever the matrix products left queries, keys and values.

   The bias of the values is added to their average. (That of the keys adds the same to all scores of a query and could
   be left out, but where it keeps scores small it saves digits.) Dh must be a multiple of 8. `wide`: the processor has
   vectors of sixteen. For each of the members,
   who share the heads, `scratch` holds `each` = (2 Dh + ROWS) * (longest + KEYS) + ROWS * Dh floats.
   Shape: queries, keys, values (T, H Dh); their biases (H Dh); lengths (N) which sum to T; out (T, H Dh) */
void attar_attention(const float *q, int64_t q_stride, const float *k, int64_t k_stride, const float *v,
                     int64_t v_stride, const float *q_bias, const float *k_bias, const float *v_bias,
                     const int64_t *lengths, int64_t n_sequences, int64_t heads, int64_t dh, float scale, float *scratch,
                     int64_t each, float *out, int64_t members, int64_t wide) {
#ifdef ATTAR_HAS_WIDE
    attend_rows *const chosen = wide ? attar_attend_16 : attend;
#else
    attend_rows *const chosen = attend;
    (void)wide;
#endif
    const attention job = {{q, q_stride}, {k, k_stride}, {v, v_stride}, q_bias, k_bias, v_bias, lengths, n_sequences,
                           heads, dh, scale, scratch, each, out, members, chosen};
    attar_share(attend_heads, &job, members, members);
}
