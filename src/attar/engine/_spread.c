/* k-means++: what trials of a next centre would leave of each row's squared distance to the nearest one. */

#include "_bytes.h"
#include "_team.h"
#include "_vectors.h"

#define BLOCK_ROWS 512

typedef struct {
    const byte_kind *kind;
    byte_rows rows;
    byte_centers trials;
    int64_t each; /* trials of a start */
    const float *distances;
    float *left, *scratch;
    double *sums;
    int64_t parts;
} trial;

/* Floats are asked only where a trial may be nearer than what is there. */
static void try_panel(const trial *job, int32_t from, int64_t n, const byte_scratch *scratch, double *sums) {
    const int64_t n_rows = job->rows.n, dims = job->rows.dims;
    int32_t which[TOGETHER];
    for (int r = 0; r < TOGETHER; r++) which[r] = r < n ? from + r : from;
    attar_turn(job->kind, &job->rows, which, scratch->panel);
    attar_bound(job->kind, &job->rows, which, &job->trials, scratch);
    for (int64_t t = 0; t < job->trials.n; t++) {
        const float *so_far = job->distances + t / job->each * n_rows + from, square = 2 * job->trials.halves[t];
        float *left = job->left + t * n_rows + from, least[TOGETHER];
        for (int half = 0; half < TOGETHER; half += LANES) {
            const int64_t at = t * TOGETHER + half;
            store(least + half, load(scratch->middle + at) + load(scratch->off + at));
        }
        double sum = 0;
        for (int64_t r = 0; r < n; r++) {
            const float own = job->rows.squares[from + r];
            float distance = so_far[r];
            if (!(own - 2 * least[r] > distance)) {
                const float found = own + square - 2 * job->kind->times(job->rows.x + (from + r) * dims, job->trials.x + t * dims, dims);
                distance = found < distance ? (found > 0 ? found : 0) : distance;
            }
            left[r] = distance;
            sum += (double)distance;
        }
        sums[t] += sum;
    }
}

static void some_blocks(const void *given, int64_t part) {
    const trial *job = given;
    const int64_t n = job->rows.n, size = SCRATCH(job->rows.units, job->trials.n);
    const byte_scratch scratch = attar_byte_scratch(job->scratch + part * size, job->rows.units, job->trials.n);
    for (int64_t block = part; block < up(n, BLOCK_ROWS); block += job->parts) {
        double *sums = job->sums + block * job->trials.n;
        memset(sums, 0, (size_t)job->trials.n * sizeof *sums);
        for (int64_t i = block * BLOCK_ROWS; i < fewer(n, (block + 1) * BLOCK_ROWS); i += TOGETHER)
            try_panel(job, (int32_t)i, fewer(n - i, TOGETHER), &scratch, sums);
    }
}

/* Squared distances to the nearest centre if the trial were one, and their sums over blocks of BLOCK_ROWS rows.
   Shape: x (trials, dims), packed (CENTERS_ROOM), distances (trials / each, n), left (trials, n), sums (blocks, trials),
   scratch (parts, SCRATCH) */
void attar_spread(const byte_rows *rows, const float *x, float *packed, int64_t trials, int64_t each, const float *distances,
                  float *left, double *sums, float *scratch, int64_t parts, int64_t members, int64_t dots) {
    const trial job = {attar_byte_kind(dots), *rows, attar_centers_at(x, packed, trials, rows->units), each, distances, left,
                       scratch, sums, parts};
    attar_pack_centers(job.kind, &job.trials, rows->dims, rows->units);
    attar_share(some_blocks, &job, parts, members);
}
