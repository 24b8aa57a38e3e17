/* Vectors of sixteen, for the files that are compiled for AVX-512 and called only where the processor has it. */
#ifndef ATTAR_WIDE
#define ATTAR_WIDE

#if defined(__x86_64__) && ((defined(__clang__) && __clang_major__ >= 9) || (!defined(__clang__) && __GNUC__ >= 11))
#define ATTAR_HAS_WIDE 1
#endif

#endif
