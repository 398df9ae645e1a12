// SPDX-License-Identifier: GPL-2.0
/* registers_int.c - chains of integers. */
#define TYPE unsigned long
#define KIND "r"
#define TARGET
#define PROLOGUE
#define EPILOGUE
#define CHAINS registers_int
#include "registers_chain.h"
