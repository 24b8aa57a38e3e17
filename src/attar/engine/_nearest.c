/* The nearest of k centres to each row, for several starts of k-means. A row knows its margin: how much farther than its own
   centre any other is, at least. Centres that move take as much of it as they go, and only rows without any are asked. */

#include <math.h>

#include "_bytes.h"
#include "_team.h"
#include "_vectors.h"

#define AHEAD 8        /* rows */
#define MOSTLY 12      /* of TOGETHER rows in a line: all are asked, by a panel that all starts share */
#define BLOCK_ROWS 256 /* whose bytes stay at hand while all starts ask */

typedef struct {
    const byte_kind *kind;
    byte_rows rows;
    const float *x;        /* (active, k, dims): centres */
    float *packed;         /* (active, CENTERS_ROOM) */
    const int64_t *active; /* (active): places of starts in what follows */
    int64_t n_active, k, parts, each;
    const float *lost;      /* (starts, k): what margins of rows of a centre lose */
    int32_t *labels, *left; /* (starts, n): centres, and those before; -1 for none */
    float *margins;         /* (starts, n) */
    double *sums;           /* (starts, k, dims) of the rows of each centre */
    int64_t *counts;        /* (starts, k) rows */
    float *scratch;         /* (parts, each) */
    int64_t *moved;         /* (active) rows that have another centre than before */
} search;

static byte_centers centers_of(const search *job, int64_t active) {
    return attar_centers_at(job->x + active * job->k * job->rows.dims, job->packed + active * CENTERS_ROOM(job->rows.units, job->k),
                            job->k, job->rows.units);
}

static inline float root(float x) { return x > 0 ? sqrtf(x) : 0; }

/* Scores are x.c - |c|^2 / 2, largest where the distance is smallest: |x|^2 - 2 score. */
static float margin_of(float square, float best, float second) {
    const float both = root(square - 2 * best) + root(square - 2 * second);
    return both > 0 ? 2 * (best - second) / both : 0;
}

typedef struct {
    v8 lower, upper, second;
    u8 label; /* of the highest upper bound */
} bounds;

/* The highest lower bound and the two highest upper ones, of eight rows of a panel. */
static bounds highest(const byte_scratch *of, int64_t k, int64_t half) {
    bounds b = {all(-INFINITY), all(-INFINITY), all(-INFINITY), {0}};
    for (int64_t j = 0; j < k; j++) {
        const v8 middle = load(of->middle + j * TOGETHER + half), off = load(of->off + j * TOGETHER + half), upper = middle + off;
        const u8 higher = (u8)(upper > b.upper);
        b.lower = larger(middle - off, b.lower);
        b.second = larger(smaller(upper, b.upper), b.second);
        b.upper = larger(upper, b.upper);
        b.label = (b.label & ~higher) | (higher & (uint32_t)j);
    }
    return b;
}

/* A row that will be asked for soon: memory is slower than all that is done with it. */
static inline void fetch_row(const search *job, int64_t i) {
    const char *at = (const char *)(job->rows.x + i * job->rows.dims);
    for (int64_t line = 0; line < job->rows.dims * (int64_t)sizeof(float); line += 64) __builtin_prefetch(at + line, 0, 2);
}

static float score_of(const search *job, const byte_centers *centers, int32_t i, int64_t j) {
    const int64_t dims = job->rows.dims;
    return job->kind->times(job->rows.x + i * dims, centers->x + j * dims, dims) - centers->halves[j];
}

/* Where bounds leave more than one centre: the most likely one by floats, then those that may still be nearer. */
static int32_t measure(const search *job, const byte_centers *centers, const byte_scratch *of, int64_t lane, int32_t i,
                       int32_t likely, float *margin) {
    const float square = job->rows.squares[i], rounding = ROUNDING * (square + *centers->largest);
    float best = score_of(job, centers, i, likely), second = -INFINITY;
    int32_t label = likely;
    for (int64_t j = 0; j < job->k; j++) {
        float score = of->middle[j * TOGETHER + lane] + of->off[j * TOGETHER + lane];
        if (j == likely) continue;
        if (!(score < best)) {
            score = score_of(job, centers, i, j);
            if (score > best || (score == best && j < label)) {
                second = best;
                best = score;
                label = (int32_t)j;
                continue;
            }
        }
        second = score > second ? score : second;
    }
    *margin = margin_of(square, best - rounding, second);
    return label;
}

/* Up to TOGETHER rows, side by side already. */
static void ask(const search *job, int64_t active, const int32_t *which, int64_t n, const byte_scratch *scratch) {
    const byte_centers own = centers_of(job, active), *centers = &own;
    int32_t *labels = job->labels + job->active[active] * job->rows.n;
    float *margins = job->margins + job->active[active] * job->rows.n;
    attar_bound(job->kind, &job->rows, which, centers, scratch);
    const bounds both[] = {highest(scratch, job->k, 0), highest(scratch, job->k, LANES)};
    for (int64_t r = 0; r < n; r++)
        if (!(both[r / LANES].second[r % LANES] < both[r / LANES].lower[r % LANES])) fetch_row(job, which[r]);
    for (int64_t half = 0; half < n; half += LANES) {
        const bounds b = both[half / LANES];
        for (int64_t r = half; r < fewer(n, half + LANES); r++) {
            const int32_t i = which[r];
            const float lower = b.lower[r - half], second = b.second[r - half];
            if (second < lower) {
                labels[i] = (int32_t)b.label[r - half];
                margins[i] = margin_of(job->rows.squares[i], lower, second);
            } else {
                labels[i] = measure(job, centers, scratch, r, i, (int32_t)b.label[r - half], margins + i);
            }
        }
    }
}

/* Rows picked from several places; `which` has room for TOGETHER. */
static void ask_some(const search *job, int64_t active, int32_t *which, int64_t n, const byte_scratch *scratch) {
    for (int64_t r = n; r < TOGETHER; r++) which[r] = which[0];
    attar_turn(job->kind, &job->rows, which, scratch->panel);
    ask(job, active, which, n, scratch);
}

/* Rows in a line, of which the panel may be there from another start. */
static void ask_line(const search *job, int64_t active, int64_t from, const byte_scratch *scratch, uint32_t *panel, int *turned) {
    byte_scratch own = *scratch;
    int32_t which[TOGETHER];
    for (int r = 0; r < TOGETHER; r++) which[r] = (int32_t)from + r;
    if (!*turned) attar_turn(job->kind, &job->rows, which, panel);
    *turned = 1;
    own.panel = panel;
    ask(job, active, which, TOGETHER, &own);
}

/* The rows from `at` on that have no margin left; how many. */
static int64_t without_margin(const search *job, int64_t start, int64_t at, int64_t n, int32_t *which) {
    const int32_t *labels = job->labels + start * job->rows.n;
    int32_t *left = job->left + start * job->rows.n;
    float *margins = job->margins + start * job->rows.n;
    const float *lost = job->lost + start * job->k;
    int64_t found = 0;
    for (int64_t i = at; i < at + n; i++) {
        left[i] = labels[i];
        if (left[i] >= 0) margins[i] -= lost[left[i]];
        which[found] = (int32_t)i;
        found += left[i] < 0 || !(margins[i] > 0);
    }
    return found;
}

static void ask_block(const search *job, int64_t active, int64_t from, int64_t to, const byte_scratch *scratch,
                      uint32_t *panels, int *turned) {
    int32_t which[2 * TOGETHER];
    int64_t n = 0;
    for (int64_t at = from; at < to; at += TOGETHER) {
        const int64_t found = without_margin(job, job->active[active], at, fewer(to - at, TOGETHER), which + n), line = (at - from) / TOGETHER;
        if (found >= MOSTLY && to - at >= TOGETHER) {
            ask_line(job, active, at, scratch, panels + line * job->rows.units * TOGETHER, turned + line);
            continue;
        }
        n += found;
        if (n < TOGETHER) continue;
        ask_some(job, active, which, TOGETHER, scratch);
        n -= TOGETHER;
        memcpy(which, which + TOGETHER, (size_t)n * sizeof *which);
    }
    if (n) ask_some(job, active, which, n, scratch);
}

#define LINES (BLOCK_ROWS / TOGETHER)

static void some_blocks(const void *given, int64_t part) {
    const search *job = given;
    const byte_scratch scratch = attar_byte_scratch(job->scratch + part * job->each, job->rows.units, job->k);
    uint32_t *panels = (uint32_t *)job->scratch + part * job->each + SCRATCH(job->rows.units, job->k);
    for (int64_t from = part * BLOCK_ROWS; from < job->rows.n; from += job->parts * BLOCK_ROWS) {
        int turned[LINES] = {0};
        for (int64_t active = 0; active < job->n_active; active++)
            ask_block(job, active, from, fewer(from + BLOCK_ROWS, job->rows.n), &scratch, panels, turned);
    }
}

static void add_row(const float *row, int64_t dims, double sign, double *to) {
    for (int64_t d = 0; d < dims; d++) to[d] += sign * (double)row[d];
}

static void sums_of_start(const void *given, int64_t active) {
    const search *job = given;
    const int64_t start = job->active[active], n = job->rows.n, dims = job->rows.dims;
    const int32_t *labels = job->labels + start * n, *left = job->left + start * n;
    double *sums = job->sums + start * job->k * dims;
    int64_t *counts = job->counts + start * job->k, moved = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i + AHEAD < n && labels[i + AHEAD] != left[i + AHEAD]) fetch_row(job, i + AHEAD);
        if (labels[i] == left[i]) continue;
        const float *row = job->rows.x + i * dims;
        moved++;
        counts[labels[i]]++;
        add_row(row, dims, 1, sums + labels[i] * dims);
        if (left[i] < 0) continue;
        counts[left[i]]--;
        add_row(row, dims, -1, sums + left[i] * dims);
    }
    job->moved[active] = moved;
}

/* Finds the centres of rows of the active starts, and corrects sums and counts by the rows that moved.
   Shape: x (active, k, dims), packed (active, CENTERS_ROOM), scratch (parts, SCRATCH + units * BLOCK_ROWS); the rest as in `search` */
void attar_nearest(const byte_rows *rows, const float *x, float *packed, const int64_t *active, int64_t n_active, int64_t k,
                   const float *lost, int32_t *labels, int32_t *left, float *margins, double *sums, int64_t *counts,
                   int64_t *moved, float *scratch, int64_t parts, int64_t members, int64_t dots) {
    const search job = {attar_byte_kind(dots), *rows, x, packed, active, n_active, k, parts,
                        SCRATCH(rows->units, k) + rows->units * BLOCK_ROWS, lost, labels, left, margins, sums, counts, scratch, moved};
    for (int64_t a = 0; a < n_active; a++) {
        const byte_centers centers = centers_of(&job, a);
        attar_pack_centers(job.kind, &centers, rows->dims, rows->units);
    }
    attar_share(some_blocks, &job, parts, members);
    attar_share(sums_of_start, &job, n_active, members);
}
