// SPDX-License-Identifier: GPL-2.0
/* mmx.c - chains of 64-bit vectors in registers of their own. */
#include "machine/native/registers/registers.h"

#ifdef __x86_64__
#include <mmintrin.h>

/* An instruction, not an operator: compilers have moved the operators on this
 * type to SSE registers.
 */
#define TYPE __m64
#define KIND "y"
#define ADD(to, from) __asm__ volatile("paddd %1, %0" : "+y"(to) : "y"(from));
#define EPILOGUE __asm__ volatile("emms");
#define CHAINS registers_mmx
#include "machine/native/registers/chain.h"
#endif
