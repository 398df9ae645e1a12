// SPDX-License-Identifier: GPL-2.0
/* double.c - chains of scalar floating point. */
#define TYPE double
#ifdef __aarch64__
#define KIND "w"
#else
#define KIND "x"
#endif
#define CHAINS registers_double
#include "machine/native/registers/chain.h"
