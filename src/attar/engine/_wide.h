/* Vectors of sixteen, for the files that are compiled for AVX-512 and called only where the processor has it. */
#ifndef ATTAR_WIDE
#define ATTAR_WIDE

#if defined(__x86_64__) && ((defined(__clang__) && __clang_major__ >= 9) || (!defined(__clang__) && __GNUC__ >= 11))
#define ATTAR_HAS_WIDE 1
#endif

/* Between WIDE_BEGIN("avx512f,...") and WIDE_END functions are compiled for those instructions; includes stand before. */
#define WIDE_PRAGMA(words) _Pragma(#words)
#ifdef __clang__
#define WIDE_BEGIN(features) WIDE_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define WIDE_END _Pragma("clang attribute pop")
#else
#define WIDE_BEGIN(features) WIDE_PRAGMA(GCC target(features))
#define WIDE_END
#endif

#endif
