/* The loops of a product, for one kind of unit and vector. To be included by a file that says

   NAME               what the function is called
   TILE               rows whose sums stay in registers, for two vectors of columns
   LANES_             columns of a vector: 16, two panels at a time, or 8, the two halves of a panel
   PER_UNIT           dims of a unit
   vec                two vectors of sums; zero(), weights(at), times(sums, unit, weights), unit_at(at), load_columns(at, n), store_columns(at, v, n)
   row_info, measure, fill, finish   what is known of a row, how it is turned to units, and sums to numbers */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define STEP (LANES_ == PANEL ? 2 : 1) /* panels at a time */

/* `rows` (known when compiled) rows of two vectors of columns, or of the first alone; adds to what is there if `more`. */
static inline __attribute__((always_inline)) void JOIN(NAME, _tile)(const uint32_t *x, const uint32_t *left, const uint32_t *right,
    int64_t depth, int more, const row_info *info, const columns *about, float *out, int64_t stride, int64_t n, const int rows, const int two) {
    const int64_t ahead = STEP * depth * PANEL; /* the same place of the panels to come: from memory to the second cache */
    vec a[TILE], b[TILE];
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++) a[r] = zero(), b[r] = zero();
#pragma GCC unroll 2
    for (int64_t d = 0; d < depth; d++, left += PANEL, right += PANEL) {
        weights w = load_weights(left), v = two ? load_weights(right) : w;
        __builtin_prefetch(left + ahead, 0, 2);
        if (two && LANES_ == PANEL) __builtin_prefetch(right + ahead, 0, 2);
#pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {
            weights y = unit_at(x + r * STRIDE + d);
            a[r] = times(a[r], y, w);
            if (two) b[r] = times(b[r], y, v);
        }
    }
    int64_t first = least(n, LANES_), rest = n - first;
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++) {
        float *at = out + r * stride;
        if (more) a[r] = plus(a[r], load_columns(at, first));
        finish(at, a[r], first, info + r, about, 0);
        if (two) {
            if (more) b[r] = plus(b[r], load_columns(at + first, rest));
            finish(at + first, b[r], rest, info + r, about, LANES_);
        }
    }
}

#define CASE(R) \
    case R: \
        if (two) JOIN(NAME, _tile)(x, left, right, depth, more, info, about, out, stride, n, R, 1); \
        else JOIN(NAME, _tile)(x, left, right, depth, more, info, about, out, stride, n, R, 0); \
        break;

static void JOIN(NAME, _some)(const uint32_t *x, const uint32_t *left, const uint32_t *right, int64_t depth, int more,
    const row_info *info, const columns *about, float *out, int64_t stride, int64_t n, int64_t rows) {
    int two = n > LANES_;
    switch (rows) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5)
#if TILE == 12
        CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11)
#endif
        CASE(TILE)
    }
}

void NAME(const product *job, int64_t from_panel, int64_t to_panel) {
    static _Thread_local rows_in_units held;
    row_info info[BLOCK];
    const int64_t n = job->n, panels = up(n, PANEL), units = up(job->k, PER_UNIT);
    for (int64_t top = 0; top < job->rows; top += BLOCK) {
        const int64_t here = least(job->rows - top, BLOCK);
        const int64_t tile = up(here, up(here, TILE)); /* 7 and 6 rows rather than 12 and 1 */
        const float *x = job->x + top * job->stride;
        for (int64_t r = 0; r < here; r++) info[r] = measure(x + r * job->stride, job->k);
        for (int64_t first = 0; first < units; first += UNITS) {
            const int64_t depth = least(units - first, UNITS), dims = least(job->k - first * PER_UNIT, UNITS * PER_UNIT);
            const uint32_t *pass = (const uint32_t *)job->packed + panel_at(0, panels, first, depth);
            for (int64_t r = 0; r < here; r++)
                fill(x + r * job->stride + first * PER_UNIT, dims, &info[r], held.u + r * STRIDE);
            for (int64_t panel = from_panel; panel < to_panel; panel += STEP) {
                const uint32_t *left = pass + panel * depth * PANEL;
                const uint32_t *right = LANES_ == PANEL ? left + depth * PANEL : left + LANES_;
                const columns about = columns_from(job, panel, units, first + depth == units);
                const int64_t wide = least(least(panel + STEP, to_panel) * PANEL, n) - panel * PANEL;
                for (int64_t m = 0; m < here; m += tile)
                    JOIN(NAME, _some)(held.u + m * STRIDE, left, right, depth, first > 0, info + m, &about,
                                      job->out + (top + m) * n + panel * PANEL, n, wide, least(here - m, tile));
            }
        }
    }
}
