/* The scatter of vectors: sums of products of their differences from the mean. Blocks of rows are measured each from its
   own mean and multiplied in float32, and runs of a block are added up in float64. Only half of it is computed. */

#include "_scatter.h"
#include "_team.h"
#include "_vectors.h"
#include "_wide.h"

#define BLOCK_ROWS 512
#define RUN 128 /* rows that are added up in float32 */

typedef struct {
    const float *x;
    int64_t stride, rows, dims, panels;
    float *packed; /* (panels, rows, COLUMNS): differences from the mean, 0 beyond the last dim */
    double *means, *off, *scatter;
    scatter_tile *tile;
} block;

static inline int64_t fewer(int64_t a, int64_t b) { return a < b ? a : b; }

#define VECTORS (COLUMNS / LANES)

/* A row's columns of a panel; 0 beyond the last dim. */
static inline void row_of(const block *job, int64_t row, int64_t first, v8 *to) {
    const float *x = job->x + row * job->stride + first;
    const int64_t n = job->dims - first;
    if (n >= COLUMNS) {
#pragma GCC unroll 6
        for (int i = 0; i < VECTORS; i++) to[i] = load(x + i * LANES);
        return;
    }
    for (int64_t i = 0; i < VECTORS; i++) {
        const int64_t left = n - i * LANES;
        to[i] = left >= LANES ? load(x + i * LANES) : left > 0 ? load_some(x + i * LANES, left) : all(0);
    }
}

/* About the mean of each column, as floats: exactly what all rows hold where they hold the same. */
static void middle(const block *job, int64_t first, v8 *about) {
    v8 top[VECTORS], row[VECTORS], sum[VECTORS] = {{0}};
    row_of(job, 0, first, top);
    for (int64_t t = 1; t < job->rows; t++) {
        row_of(job, t, first, row);
#pragma GCC unroll 6
        for (int i = 0; i < VECTORS; i++) sum[i] += row[i] - top[i];
    }
    for (int i = 0; i < VECTORS; i++) about[i] = top[i] + sum[i] / (float)job->rows;
}

/* What a panel's numbers are off from about their mean, and the mean itself. */
static void pack(const void *given, int64_t panel) {
    const block *job = given;
    const int64_t first = panel * COLUMNS, n = fewer(job->dims - first, COLUMNS);
    float *to = job->packed + panel * job->rows * COLUMNS, sums[COLUMNS], from[COLUMNS];
    double total[COLUMNS] = {0};
    v8 about[VECTORS], row[VECTORS];
    middle(job, first, about);
    for (int64_t start = 0; start < job->rows; start += RUN) {
        v8 sum[VECTORS] = {{0}};
        for (int64_t t = start; t < fewer(start + RUN, job->rows); t++, to += COLUMNS) {
            row_of(job, t, first, row);
#pragma GCC unroll 6
            for (int i = 0; i < VECTORS; i++) {
                store(to + i * LANES, row[i] - about[i]);
                sum[i] += row[i] - about[i];
            }
        }
        memcpy(sums, sum, sizeof sums);
        for (int i = 0; i < COLUMNS; i++) total[i] += (double)sums[i];
    }
    memcpy(from, about, sizeof from);
    for (int64_t i = 0; i < n; i++) {
        job->off[first + i] = total[i] / (double)job->rows;
        job->means[first + i] = (double)from[i] + job->off[first + i];
    }
}

static void add_tile(const block *job, const float *rows, const float *with, int64_t i, int64_t j) {
    const int64_t size = job->rows * COLUMNS, high = fewer(job->dims - i, HIGH), wide = fewer(job->dims - j, COLUMNS);
    float sums[HIGH * COLUMNS];
    double total[HIGH * COLUMNS] = {0};
    for (int64_t t = 0; t < size; t += RUN * COLUMNS) {
        job->tile(rows + t, with + t, fewer(size - t, RUN * COLUMNS) / COLUMNS, sums);
        for (int64_t at = 0; at < HIGH * COLUMNS; at++) total[at] += (double)sums[at];
    }
    for (int64_t row = 0; row < high; row++) {
        double *to = job->scatter + (i + row) * job->dims + j;
        for (int64_t column = 0; column < wide; column++) to[column] += total[row * COLUMNS + column];
    }
}

/* The columns of a panel by all from that one on. */
static void multiply(const void *given, int64_t panel) {
    const block *job = given;
    const int64_t size = job->rows * COLUMNS;
    for (int64_t other = panel; other < job->panels; other++)
        for (int64_t at = 0; at < COLUMNS; at += HIGH)
            add_tile(job, job->packed + panel * size + at, job->packed + other * size, panel * COLUMNS + at, other * COLUMNS);
}

/* Four rows of 24 columns: twelve sums, and what is multiplied, are all the vectors that most processors have. */
void attar_scatter_tile_8(const float *rows, const float *with, int64_t depth, float *sums) {
    for (int high = 0; high < HIGH; high += 4)
        for (int at = 0; at < COLUMNS; at += 3 * LANES) {
            const float *x = rows + high, *y = with + at;
            v8 a[4], b[4], c[4];
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) a[i] = b[i] = c[i] = all(0);
            for (int64_t t = 0; t < depth; t++, x += COLUMNS, y += COLUMNS) {
                const v8 u = load(y), v = load(y + LANES), w = load(y + 2 * LANES);
#pragma GCC unroll 4
                for (int i = 0; i < 4; i++) {
                    const v8 same = all(x[i]);
                    a[i] = fused(same, u, a[i]);
                    b[i] = fused(same, v, b[i]);
                    c[i] = fused(same, w, c[i]);
                }
            }
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                float *to = sums + (high + i) * COLUMNS + at;
                store(to, a[i]);
                store(to + LANES, b[i]);
                store(to + 2 * LANES, c[i]);
            }
        }
}

/* Of each block of BLOCK_ROWS rows the mean, and what the differences were measured from is off from it; the sum over
   blocks of the products of differences. Rows of x stand `stride` floats apart.
   Shape: x (rows, dims), packed (panels, BLOCK_ROWS, COLUMNS), means and off (blocks, dims), scatter (dims, dims) of zeros */
void attar_scatter(const float *x, int64_t stride, int64_t rows, int64_t dims, float *packed,
                   double *means, double *off, double *scatter, int64_t members, int64_t wide) {
    const int64_t panels = (dims + COLUMNS - 1) / COLUMNS;
    scatter_tile *tile = attar_scatter_tile_8;
#ifdef ATTAR_HAS_WIDE
    if (wide) tile = attar_scatter_tile_16;
#endif
    for (int64_t first = 0; first < rows; first += BLOCK_ROWS, means += dims, off += dims) {
        const int64_t here = fewer(rows - first, BLOCK_ROWS);
        const block job = {x + first * stride, stride, here, dims, panels, packed, means, off, scatter, tile};
        attar_share(pack, &job, panels, members);
        attar_share(multiply, &job, panels, members);
    }
    for (int64_t i = 0; i < dims; i++)
        for (int64_t j = 0; j < i; j++) scatter[i * dims + j] = scatter[j * dims + i];
    (void)wide;
}
