/* x . weight^T for weights that were laid out once, as the products read them.

   Whatever numbers are multiplied, they travel in units of 32 bits: one float32, two bfloat16 or 16-bit integers, four
   8-bit integers. A weight lies in panels of PANEL columns, a unit of each column after the other; UNITS of all panels
   come before the next. Every number of the result is one chain of multiply-adds over the units, in order, UNITS of them
   at a time, in whatever row it stands and with whatever vectors: so a token's vector does not depend on the tokens
   beside it, to the last bit, nor do float32 products on the processor. (Libraries treat rows by their place.) */

#ifndef ATTAR_PRODUCTS
#define ATTAR_PRODUCTS

#include <stdint.h>
#include <string.h>

#define PANEL 16   /* columns that lie together */
#define UNITS 192  /* of one pass: a panel stays in the first cache, */
#define BLOCK 96   /* and the rows that meet it in the second; a multiple of every TILE */
#define STRIDE 208 /* units from row to row there: an odd number of cache lines */

typedef struct {
    const float *x; /* (rows, k), rows `stride` floats apart */
    int64_t stride;
    const void *packed;
    int64_t rows, n, k;
    float *out; /* (rows, n) */
} product;

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Where the units of a panel begin: those of the passes before, then of the panels before in this pass. */
static inline int64_t panel_at(int64_t panel, int64_t panels, int64_t first, int64_t depth) {
    return (first * panels + panel * depth) * PANEL;
}

/* Rows to multiply, in units. 64 bytes apart from what other threads write. */
typedef union {
    float f[BLOCK * STRIDE];
    uint32_t u[BLOCK * STRIDE];
    uint16_t h[BLOCK * STRIDE * 2];
    uint8_t b[BLOCK * STRIDE * 4];
} __attribute__((aligned(64))) rows_in_units;

/* For each kind of product: the columns of some panels. */
typedef void columns_of(const product *, int64_t from_panel, int64_t to_panel);
columns_of attar_float32_8, attar_float32_16, attar_bfloat16_16, attar_int8_8, attar_int8_16;

#endif
