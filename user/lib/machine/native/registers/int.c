// SPDX-License-Identifier: GPL-2.0
/* int.c - chains of integers. */
#define TYPE unsigned long
#define KIND "r"
#define CHAINS registers_int
#include "machine/native/registers/chain.h"
