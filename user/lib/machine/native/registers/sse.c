// SPDX-License-Identifier: GPL-2.0
/* sse.c - chains of 128-bit vectors: SSE, NEON. */
typedef float vector __attribute__((vector_size(16)));

#define TYPE vector
#ifdef __aarch64__
#define KIND "w"
#else
#define KIND "x"
#endif
#define CHAINS registers_sse
#include "machine/native/registers/chain.h"
