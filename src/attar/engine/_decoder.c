/* What stands between the matrix products of a packed causal decoder: norms, rotary places, attention to what came
   before, gates. Every number of a row is computed in the same order whatever rows stand beside it and however the
   sequence is split into a shared beginning and the rest. No threads, no allocation.

   Letters: T tokens, D dims, H heads, G heads of keys and values, Dh dims of a head, P tokens of the beginning. */

#include "_arithmetic.h"

#define ROWS 4  /* queries that share each load of keys and values */
#define KEYS 16 /* keys of one block */

/* Sum of the squares of x - mean. */
static float squares_of(const float *x, float mean, int64_t dims) {
    int64_t whole = dims / LANES * LANES;
    v8 total = all(0);
    float rest = 0;
    for (int64_t d = 0; d < whole; d += LANES) {
        v8 y = load(x + d) - mean;
        total += y * y;
    }
    for (int64_t d = whole; d < dims; d++) rest += (x[d] - mean) * (x[d] - mean);
    return sum_of(total) + rest;
}

/* out = x / sqrt(mean of x^2 + epsilon) * gain. Rows of x stand `x_stride` floats apart, those of out `stride`. */
void attar_rms_norm(const float *x, int64_t x_stride, const float *gain, float epsilon, int64_t rows, int64_t dims,
                    float *out, int64_t stride) {
    for (int64_t r = 0; r < rows; r++, x += x_stride, out += stride) {
        float scale = 1.0f / sqrtf(squares_of(x, 0, dims) / (float)dims + epsilon);
        for (int64_t d = 0; d < dims; d++) out[d] = x[d] * scale * gain[d];
    }
}

/* out = (x - mean) / sqrt(variance + epsilon) * gain + offset. Shape: (rows, dims) */
void attar_layer_norm(const float *x, const float *gain, const float *offset, float epsilon, int64_t rows,
                      int64_t dims, float *out) {
    int64_t whole = dims / LANES * LANES;
    for (int64_t r = 0; r < rows; r++, x += dims, out += dims) {
        v8 total = all(0);
        float rest = 0;
        for (int64_t d = 0; d < whole; d += LANES) total += load(x + d);
        for (int64_t d = whole; d < dims; d++) rest += x[d];
        float mean = (sum_of(total) + rest) / (float)dims;
        float scale = 1.0f / sqrtf(squares_of(x, mean, dims) / (float)dims + epsilon);
        for (int64_t d = 0; d < dims; d++) out[d] = (x[d] - mean) * scale * gain[d] + offset[d];
    }
}

/* Turns pairs of each head by the angle of its place, in place. A pair is (i, i + half), or (2 i, 2 i + 1) if
   `neighbours`. Dims of a head from 2 half on stay. Shape: x (T, heads Dh), places (T), cosines and sines (P, half) */
void attar_rotate(float *x, int64_t stride, const int64_t *places, const float *cosines, const float *sines,
                  int64_t rows, int64_t heads, int64_t dh, int64_t half, int64_t neighbours) {
    int64_t step = neighbours ? 2 : 1, apart = neighbours ? 1 : half;
    for (int64_t r = 0; r < rows; r++, x += stride) {
        const float *c = cosines + places[r] * half, *s = sines + places[r] * half;
        for (int64_t h = 0; h < heads; h++) {
            float *head = x + h * dh;
            for (int64_t i = 0; i < half; i++) {
                float a = head[i * step], b = head[i * step + apart];
                head[i * step] = a * c[i] - b * s[i];
                head[i * step + apart] = b * c[i] + a * s[i];
            }
        }
    }
}

/* x = x sigmoid(x) if `kind` is 0, the tanh form of gelu if it is 1; times the other factor if there is one.
   Shape: (n) */
void attar_gate(float *x, const float *factor, int64_t kind, int64_t n) {
    for (int64_t at = 0; at < n; at += LANES) {
        int64_t here = n - at < LANES ? n - at : LANES;
        v8 y = here == LANES ? load(x + at) : load_some(x + at, here);
        v8 inner = kind ? 1.5957691216f * (y + 0.044715f * y * y * y) : y; /* 2 sqrt(2 / pi) */
        y *= sigmoid_of(inner);
        if (factor) y *= here == LANES ? load(factor + at) : load_some(factor + at, here);
        if (here == LANES) store(x + at, y);
        else store_some(x + at, y, here);
    }
}

/* Keys `first` to `first + n` of one head into blocks (Dh, KEYS). */
static void gather_keys(const float *keys, int64_t stride, int64_t first, int64_t n, int64_t dh, float *to) {
    for (int64_t j = 0; j < n; j++) {
        float *at = to + (first + j) / KEYS * KEYS * dh + (first + j) % KEYS;
        for (int64_t d = 0; d < dh; d++) at[d * KEYS] = keys[j * stride + d];
    }
}

/* scores = queries . keys for ROWS queries and a block of keys; rows of scores stand `width` floats apart. */
static inline void score(const float *queries, const float *keys, int64_t width, int64_t dh, float *scores) {
    v8 s[ROWS][2] = {{{0}}};
    for (int64_t d = 0; d < dh; d++)
        for (int i = 0; i < ROWS; i++) {
            v8 query = all(queries[i * dh + d]);
            s[i][0] = fused(load(keys + d * KEYS), query, s[i][0]);
            s[i][1] = fused(load(keys + d * KEYS + LANES), query, s[i][1]);
        }
    for (int i = 0; i < ROWS; i++) store(scores + i * width, s[i][0]), store(scores + i * width + LANES, s[i][1]);
}

/* Scores of one query to shares of the keys `first` to n, which sum to 1; 0 for the others. */
static void soften(float *scores, int64_t first, int64_t n, int64_t width) {
    int64_t used = (n + LANES - 1) / LANES * LANES;
    for (int64_t j = 0; j < first; j++) scores[j] = -INFINITY;
    for (int64_t j = n; j < used; j++) scores[j] = -INFINITY;
    float top = scores[first];
    for (int64_t j = first + 1; j < n; j++) top = scores[j] > top ? scores[j] : top;
    v8 total = all(0);
    for (int64_t j = 0; j < used; j += LANES) {
        v8 shares = exp_below(load(scores + j) - top);
        store(scores + j, shares);
        total += shares;
    }
    float scale = 1.0f / sum_of(total);
    for (int64_t j = 0; j < used; j += LANES) store(scores + j, load(scores + j) * scale);
    for (int64_t j = used; j < width; j++) scores[j] = 0;
}

typedef struct { /* rows `stride` floats apart, heads side by side in a row */
    const float *at;
    int64_t stride;
} rows_of;

static inline void add_values(v8 o[ROWS], const float *shares, int64_t width, rows_of values, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        v8 value = load(values.at + j * values.stride);
        for (int i = 0; i < ROWS; i++) o[i] = fused(value, all(shares[i * width + j]), o[i]);
    }
}

/* Attention of each token to itself and to what stands before it: the beginning that all sequences share, and its own
   sequence; where there is a window, only to so many of them. H / G heads of queries share one of keys and values. Dh
   must be a multiple of 8. `scratch` holds (Dh + ROWS) * (P + longest + 2 KEYS) + ROWS * Dh floats.
   Shape: q, out (T, H Dh); k, v (T, G Dh); of the beginning (P, G Dh), contiguous; lengths (N) which sum to T */
void attar_attend_before(const float *q, int64_t q_stride, const float *k, int64_t k_stride, const float *v,
                         int64_t v_stride, const float *first_k, const float *first_v, int64_t n_first,
                         const int64_t *lengths, int64_t n_sequences, int64_t heads, int64_t groups, int64_t dh,
                         float scale, int64_t window, float *scratch, float *out) {
    int64_t shared = heads / groups, first_stride = groups * dh, dims = heads * dh;
    float *queries = scratch, *keys = queries + ROWS * dh;
    memset(queries, 0, (size_t)(ROWS * dh) * sizeof(float));
    for (int64_t g = 0; g < groups; g++) {
        gather_keys(first_k + g * dh, first_stride, 0, n_first, dh, keys);
        int64_t start = 0;
        for (int64_t s = 0; s < n_sequences; start += lengths[s], s++) {
            int64_t n = n_first + lengths[s];
            float *scores = keys + dh * ((n + KEYS - 1) / KEYS * KEYS);
            gather_keys(k + start * k_stride + g * dh, k_stride, n_first, lengths[s], dh, keys);
            for (int64_t h = g * shared; h < (g + 1) * shared; h++)
                for (int64_t t = 0; t < lengths[s]; t += ROWS) {
                    int64_t rows = lengths[s] - t < ROWS ? lengths[s] - t : ROWS;
                    int64_t seen = n_first + t + rows, width = (seen + KEYS - 1) / KEYS * KEYS;
                    for (int64_t i = 0; i < rows; i++)
                        for (int64_t d = 0; d < dh; d++)
                            queries[i * dh + d] = q[(start + t + i) * q_stride + h * dh + d] * scale;
                    for (int64_t j = 0; j < width; j += KEYS) score(queries, keys + j * dh, width, dh, scores + j);
                    for (int64_t i = 0; i < rows; i++) {
                        int64_t upto = n_first + t + i + 1;
                        soften(scores + i * width, window && upto > window ? upto - window : 0, upto, width);
                    }
                    for (int64_t d = 0; d < dh; d += LANES) {
                        v8 o[ROWS] = {{0}};
                        add_values(o, scores, width, (rows_of){first_v + g * dh + d, first_stride}, n_first);
                        add_values(o, scores + n_first, width,
                                   (rows_of){v + start * v_stride + g * dh + d, v_stride}, seen - n_first);
                        for (int64_t i = 0; i < rows; i++) store(out + (start + t + i) * dims + h * dh + d, o[i]);
                    }
                }
        }
    }
}
