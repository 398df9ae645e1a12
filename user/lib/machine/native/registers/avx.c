// SPDX-License-Identifier: GPL-2.0
/* avx.c - chains of 256-bit vectors. */
#include "machine/native/registers/registers.h"

#ifdef __x86_64__
typedef float vector __attribute__((vector_size(32)));

#define TYPE vector
#define KIND "x"
#define TARGET __attribute__((target("avx")))
#define EPILOGUE __builtin_ia32_vzeroupper();
#define CHAINS registers_avx
#include "machine/native/registers/chain.h"
#endif
