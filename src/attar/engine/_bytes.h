/* Rows and centres as bytes, whose products bound those of floats: they decide most comparisons for a quarter of the work,
   and only the rest is asked of the floats. Bytes are whole numbers: only what goes into them is rounded, and by how much
   is known of each row and of each centre. */
#ifndef ATTAR_BYTES
#define ATTAR_BYTES

#include <stdint.h>

#define TOGETHER 16    /* rows of a panel */
#define GROUP 20       /* centres whose products stay in registers */
#define PER_UNIT 4     /* bytes that are multiplied at once */
#define ZERO 128       /* what 0 is in the bytes of a row, which have no sign */
#define ROUNDING 4e-6f /* of |x|^2 + |c|^2: what products of float32 may be wrong by */

/* Vectors, and their bytes: x is about step * (byte - ZERO), and `off` is the length of the difference. */
typedef struct {
    const float *x;                /* (n, dims) */
    uint8_t *bytes;                /* (n, units * PER_UNIT); units are even, so that eight floats always have their bytes */
    float *steps, *offs, *squares; /* (n); |x|^2 */
    int64_t n, dims, units;
} byte_rows;

/* Centres, what they are multiplied as, and what bounds need. */
typedef struct {
    const float *x;                         /* (n, dims) */
    uint32_t *units;                        /* (groups, units, centres of the group): four bytes with a sign each */
    float *steps, *offs, *lengths, *halves; /* (n); |c|^2 / 2 */
    int32_t *zeros;                         /* (n): what ZERO adds to a product */
    int8_t *row;                            /* (units * PER_UNIT): one of them */
    float *largest;                         /* (1) |c|^2 of all */
    int64_t n;
} byte_centers;

/* Rows side by side. Shape: TOGETHER rows of `units` units, panel (units, TOGETHER) */
typedef void byte_panel(const uint8_t *const *rows, int64_t units, uint32_t *panel);
/* Products of a panel with a group of n centres. Shape: centers (units, n), products (n, TOGETHER) */
typedef void byte_group(const uint32_t *panel, const uint32_t *centers, int64_t units, int64_t n, int32_t *products);
/* The product of two vectors of floats; the same bits by vectors of any width. */
typedef float float_times(const float *a, const float *b, int64_t dims);

byte_panel attar_byte_panel_8, attar_byte_panel_16;
byte_group attar_byte_group_8, attar_byte_group_16;
float_times attar_float_times_8, attar_float_times_16;

/* What differs between processors. */
typedef struct {
    int top; /* the largest number of a centre: where products of two units are added up in 16 bits, these must hold them */
    byte_panel *panel;
    byte_group *group;
    float_times *times;
} byte_kind;

const byte_kind *attar_byte_kind(int64_t dots);

/* Some centres, whose bytes and all else are to lie at `room`, and then making them. */
#define CENTERS_ROOM(units, n) ((n) * ((units) + 5) + (units) + 1) /* floats */
byte_centers attar_centers_at(const float *x, float *room, int64_t n, int64_t units);
void attar_pack_centers(const byte_kind *kind, const byte_centers *to, int64_t dims, int64_t units);

/* What a thread works with: a panel, and products, bounds and how far these may be off, of all centres. */
typedef struct {
    uint32_t *panel;   /* (units, TOGETHER) */
    int32_t *products; /* (GROUP, TOGETHER) */
    float *middle, *off; /* (centres, TOGETHER) */
} byte_scratch;

#define SCRATCH(units, n) (((units) + GROUP + 2 * (n)) * TOGETHER) /* floats */
byte_scratch attar_byte_scratch(float *at, int64_t units, int64_t n);

/* Puts TOGETHER rows side by side, then: x.c - |c|^2 / 2 of each with all centres is within `off` of `middle`. */
void attar_turn(const byte_kind *kind, const byte_rows *rows, const int32_t *which, uint32_t *panel);
void attar_bound(const byte_kind *kind, const byte_rows *rows, const int32_t *which, const byte_centers *centers,
                 const byte_scratch *to);

static inline int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by; }
static inline int64_t fewer(int64_t a, int64_t b) { return a < b ? a : b; }

/* All groups of n centres but the last have so many. */
static inline int64_t in_group(int64_t n) { return up(n, up(n, GROUP)); }

#endif
