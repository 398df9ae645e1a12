// SPDX-License-Identifier: GPL-2.0
/* avx512.c - chains of 512-bit vectors. */
#include "machine/native/registers/registers.h"

#ifdef __x86_64__
typedef float vector __attribute__((vector_size(64)));

#define TYPE vector
#define KIND "v"
#define TARGET __attribute__((target("avx512f")))
#define EPILOGUE __builtin_ia32_vzeroupper();
#define CHAINS registers_avx512
#include "machine/native/registers/chain.h"
#endif
