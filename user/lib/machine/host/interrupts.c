// SPDX-License-Identifier: GPL-2.0
#include "machine/host/interrupts.h"

#if defined(__x86_64__)
/* A null selector: index 0 of the GDT, any privilege level but 0. */
#define NULL_SELECTOR 1

void interrupts_watch(void)
{
	__asm__ volatile("mov %0, %%es" : : "r"(NULL_SELECTOR));
}

bool interrupts_seen(void)
{
	unsigned short selector;

	__asm__ volatile("mov %%es, %0" : "=r"(selector));
	return selector != NULL_SELECTOR;
}
#else
void interrupts_watch(void)
{
}

bool interrupts_seen(void)
{
	return false;
}
#endif
