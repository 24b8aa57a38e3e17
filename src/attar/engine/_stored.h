/* How numbers are stored. */

#ifndef ATTAR_STORED
#define ATTAR_STORED

#include <stdint.h>

typedef struct {
    void (*read)(const uint8_t *, int64_t, float *); /* so many numbers, whole blocks of them */
    int64_t numbers, bytes;                          /* of one block */
} format;

extern const format ATTAR_FORMATS[]; /* by the code of io/quantized.py */

#endif
