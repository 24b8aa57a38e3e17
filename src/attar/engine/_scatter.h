/* One tile of a scatter: some columns of the vectors by a panel of others. */
#ifndef ATTAR_SCATTER
#define ATTAR_SCATTER

#include <stdint.h>

#define COLUMNS 48 /* of the vectors, which lie together: a panel */
#define HIGH 8     /* columns by those of a panel */

/* sums[i][j] = the sum over `depth` rows of rows[.][i] * with[.][j], each one chain of multiply-adds.
   Shape: rows and with (depth, COLUMNS), sums (HIGH, COLUMNS) */
typedef void scatter_tile(const float *rows, const float *with, int64_t depth, float *sums);
scatter_tile attar_scatter_tile_8, attar_scatter_tile_16;

#endif
