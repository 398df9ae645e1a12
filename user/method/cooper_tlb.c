// SPDX-License-Identifier: GPL-2.0
/* cooper_tlb.c - translation by T(n,k). */
#include "cooper_internal.h"

int cooper_measure_tlbs(struct cooper *c, struct failure *f)
{
	(void)c;
	(void)f;
	return 0;
}
