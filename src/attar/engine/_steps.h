/* The steps of a packed transformer, each of which Python may call by itself (see where they are written). */
#ifndef ATTAR_STEPS
#define ATTAR_STEPS

#include <stdint.h>

void attar_times(int64_t kind, const float *x, int64_t stride, const void *packed, int64_t rows, int64_t n, int64_t k,
                 float *out, int64_t members);
void attar_attention(const float *q, int64_t q_stride, const float *k, int64_t k_stride, const float *v, int64_t v_stride,
                     const float *q_bias, const float *k_bias, const float *v_bias, const int64_t *lengths,
                     int64_t n_sequences, int64_t heads, int64_t dh, float scale, float *scratch, int64_t each, float *out,
                     int64_t members, int64_t wide);
void attar_bias_gelu(float *x, const float *bias, int64_t rows, int64_t dims);
void attar_bias_relu(float *x, const float *bias, int64_t rows, int64_t dims);
void attar_add_norm(float *x, const float *bias, const float *residual, const float *gain, const float *offset,
                    float epsilon, int64_t rows, int64_t dims);

#endif
