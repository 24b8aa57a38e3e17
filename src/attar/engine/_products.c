/* x . weight^T for a weight that was laid out once, as the product reads it.

   Every number of the result is one chain of fused multiply-adds over the dims, in order, DEPTH of them at a time, in
   whatever row it stands: so a token's vector does not depend on the tokens beside it, to the last bit. (Libraries treat
   rows by their place in the matrix.) No threads, no allocation. */

#include "_vectors.h"

#define TILE 6     /* rows, and */
#define PANEL 16   /* columns whose sums stay in registers */
#define DEPTH 192  /* dims of one pass: a panel of weights stays in the first cache, */
#define BLOCK 96   /* and the rows that meet it in the second; a multiple of TILE */

/* 0: not on this processor. 1: all but the products, whose libraries have wider vectors here. 2: all. */
int attar_runs_here(void) {
#if defined(__x86_64__) && defined(__AVX2__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
    return __builtin_cpu_supports("avx512f") ? 1 : 2;
#else
    return 1;
#endif
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A weight (n, k) in panels (k, PANEL), DEPTH dims of all panels before the next; absent columns are 0.
   `to` holds k * (n rounded up to PANEL) floats. */
void attar_pack(const float *weight, int64_t n, int64_t k, float *to) {
    for (int64_t first = 0; first < k; first += DEPTH) {
        int64_t depth = least(k - first, DEPTH);
        for (int64_t column = 0; column < n; column += PANEL, to += depth * PANEL)
            for (int64_t i = 0; i < PANEL; i++)
                for (int64_t d = 0; d < depth; d++)
                    to[d * PANEL + i] = column + i < n ? weight[(column + i) * k + first + d] : 0.0f;
    }
}

/* Rows in tiles (depth, TILE); where rows are absent the last one is repeated. */
static void gather(const float *x, int64_t stride, int64_t rows, int64_t depth, float *to) {
    for (int64_t m = 0; m < rows; m += TILE, to += TILE * depth)
        for (int64_t r = 0; r < TILE; r++) {
            const float *from = x + least(m + r, rows - 1) * stride;
            for (int64_t d = 0; d < depth; d++) to[d * TILE + r] = from[d];
        }
}

/* Some rows and columns of the result, at most TILE and PANEL; adds to what is there if `more`. */
static inline void times_tile(const float *x, const float *panel, int64_t depth, int more, float *out, int64_t stride,
                              int64_t rows, int64_t columns) {
    v8 sums[TILE][2];
    for (int r = 0; r < TILE; r++) sums[r][0] = sums[r][1] = all(0);
#pragma GCC unroll 4
    for (int64_t d = 0; d < depth; d++, panel += PANEL, x += TILE) {
        v8 left = load(panel), right = load(panel + LANES);
        __builtin_prefetch(panel + 8 * PANEL);
#pragma GCC unroll 6
        for (int r = 0; r < TILE; r++) {
            v8 y = all(x[r]);
            sums[r][0] = fused(y, left, sums[r][0]);
            sums[r][1] = fused(y, right, sums[r][1]);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < TILE; r++) {
        if (r >= rows) break;
        float *at = out + r * stride;
        if (columns == PANEL) {
            if (more) sums[r][0] += load(at), sums[r][1] += load(at + LANES);
            store(at, sums[r][0]), store(at + LANES, sums[r][1]);
        } else {
            int64_t n = least(columns, LANES), rest = columns - n;
            if (more) sums[r][0] += load_some(at, n), sums[r][1] += load_some(at + n, rest);
            store_some(at, sums[r][0], n), store_some(at + n, sums[r][1], rest);
        }
    }
}

/* out = x . weight^T. Rows of x stand `stride` floats apart; `scratch` holds BLOCK * DEPTH floats.
   Shape: x (rows, k), packed as `attar_pack` makes it, out (rows, n) */
void attar_times(const float *x, int64_t stride, const float *packed, int64_t rows, int64_t n, int64_t k,
                 float *scratch, float *out) {
    for (int64_t top = 0; top < rows; top += BLOCK, x += BLOCK * stride, out += BLOCK * n) {
        int64_t here = least(rows - top, BLOCK);
        const float *panel = packed;
        for (int64_t first = 0; first < k; first += DEPTH) {
            int64_t depth = least(k - first, DEPTH);
            gather(x + first, stride, here, depth, scratch);
            for (int64_t column = 0; column < n; column += PANEL, panel += depth * PANEL)
                for (int64_t m = 0; m < here; m += TILE)
                    times_tile(scratch + m * depth, panel, depth, first > 0, out + m * n + column, n, here - m,
                               least(n - column, PANEL));
        }
    }
}
