/* A tile of a scatter by vectors of sixteen. */

#include "_wide.h"
#ifdef ATTAR_HAS_WIDE
#include <immintrin.h>

#include "_scatter.h"

WIDE_BEGIN("avx512f,avx512bw,avx512vl,avx512dq")

void attar_scatter_tile_16(const float *rows, const float *with, int64_t depth, float *sums) {
    __m512 a[HIGH], b[HIGH], c[HIGH];
#pragma GCC unroll 8
    for (int i = 0; i < HIGH; i++) a[i] = b[i] = c[i] = _mm512_setzero_ps();
    for (int64_t t = 0; t < depth; t++, rows += COLUMNS, with += COLUMNS) {
        const __m512 u = _mm512_loadu_ps(with), v = _mm512_loadu_ps(with + 16), w = _mm512_loadu_ps(with + 32);
#pragma GCC unroll 8
        for (int i = 0; i < HIGH; i++) {
            const __m512 x = _mm512_set1_ps(rows[i]);
            a[i] = _mm512_fmadd_ps(x, u, a[i]);
            b[i] = _mm512_fmadd_ps(x, v, b[i]);
            c[i] = _mm512_fmadd_ps(x, w, c[i]);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < HIGH; i++, sums += COLUMNS) {
        _mm512_storeu_ps(sums, a[i]);
        _mm512_storeu_ps(sums + 16, b[i]);
        _mm512_storeu_ps(sums + 32, c[i]);
    }
}
WIDE_END
#endif
