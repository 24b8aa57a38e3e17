/* Nothing has to be known of rows or columns of float32. */
typedef struct { char none; } row_info;
typedef struct { char none; } columns;

static inline row_info measure(const float *row, int64_t k) { (void)row, (void)k; return (row_info){0}; }
static inline columns columns_from(const product *job, int64_t panel, int64_t units, int last) {
    (void)job, (void)panel, (void)units, (void)last;
    return (columns){0};
}
static inline void fill(const float *row, int64_t dims, const row_info *info, uint32_t *to) {
    (void)info;
    memcpy(to, row, (size_t)dims * sizeof(float));
}
