/* Which products this processor has, and how one is shared by threads. */

#include "_products.h"
#include "_steps.h"
#include "_team.h"
#include "_wide.h"

#define VECTORS 1  /* of eight: all there is without these */
#define WIDE 2     /* of sixteen */
#define BRAIN 4    /* bfloat16 */
#define DOTS 8     /* of 8-bit integers */

/* The sum of what this processor can do; 0 where it can't run this code. */
int attar_processor(void) {
#if defined(__x86_64__) && defined(__AVX2__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
#endif
    int found = VECTORS;
#ifdef ATTAR_HAS_WIDE
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        found |= WIDE;
        if (__builtin_cpu_supports("avx512bf16")) found |= BRAIN;
        if (__builtin_cpu_supports("avx512vnni")) found |= DOTS;
    }
#endif
    return found;
}

#ifdef ATTAR_HAS_WIDE
static columns_of *const KINDS[] = {attar_float32_8, attar_float32_16, attar_bfloat16_16, attar_int8_8, attar_int8_16};
#else
static columns_of *const KINDS[] = {attar_float32_8, 0, 0, attar_int8_8, 0};
#endif

typedef struct {
    product whole;
    columns_of *columns;
    int64_t share; /* panels of one part */
} shared_product;

static void some_columns(const void *job, int64_t part) {
    const shared_product *shared = job;
    const int64_t from = part * shared->share;
    shared->columns(&shared->whole, from, least(from + shared->share, up(shared->whole.n, PANEL)));
}

#define WORTHWHILE 500000 /* multiplications that are done sooner than another thread takes notice */

/* out = x . weight^T. Rows of x stand `stride` floats apart. `kind` is the place in KINDS.
   Shape: x (rows, k), packed as that kind reads it, out (rows, n) */
void attar_times(int64_t kind, const float *x, int64_t stride, const void *packed, int64_t rows, int64_t n, int64_t k,
                 float *out, int64_t members) {
    const int64_t panels = up(n, PANEL), parts = rows * n * k < WORTHWHILE ? 1 : 2 * members;
    const int64_t share = up(up(panels, parts), 2) * 2; /* wide vectors take two panels at a time */
    const shared_product job = {{x, stride, packed, rows, n, k, out}, KINDS[kind], share};
    attar_share(some_columns, &job, up(panels, share), members);
}
