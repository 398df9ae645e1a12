// SPDX-License-Identifier: GPL-2.0
/* populate.c - pages are cleared by several CPUs at once. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "machine/host/populate.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/host/cpu.h"

/* Tuning: more helpers wait for the same memory bus. */
#define MOST_HELPERS 7
#define MOST_NODES 1024
#define BITS (8 * sizeof(unsigned long))

/**
 * struct populating - memory that is written to
 * @base: of it
 * @bytes: its length
 * @page_bytes: one write in each of these
 * @next: offset of the next page to write
 */
struct populating {
	char *base;
	uint64_t bytes;
	uint64_t page_bytes;
	atomic_uint_fast64_t next;
};

/* Each thread takes the next page: a busy CPU delays one page only. */
static void *write_pages(void *context)
{
	struct populating *p = context;

	for (;;) {
		uint64_t at = atomic_fetch_add(&p->next, p->page_bytes);

		if (at >= p->bytes)
			return NULL;
		*(volatile char *)(p->base + at) = 0;
	}
}

/* Return: false where several nodes may give it. */
static bool stay_on_node(const struct populating *p)
{
	unsigned long nodes[MOST_NODES / BITS] = { 0 };
	unsigned int cpu, node;

	if (getcpu(&cpu, &node) || node >= MOST_NODES)
		return false;
	nodes[node / BITS] = 1UL << node % BITS;
	return !syscall(SYS_mbind, p->base, p->bytes, MPOL_PREFERRED, nodes,
			MOST_NODES, 0) ||
	       errno == ENOSYS;
}

void populate(char *base, uint64_t bytes, uint64_t page_bytes, const int *cpus,
	      size_t count)
{
	struct populating p = { .base = base,
				.bytes = bytes,
				.page_bytes = page_bytes };
	pthread_t helpers[MOST_HELPERS];
	size_t started = 0;

	if (count && stay_on_node(&p))
		for (size_t i = 0; i < count && started < MOST_HELPERS; i++)
			started += !cpu_start_thread(&helpers[started], cpus[i],
						     write_pages, &p);
	write_pages(&p);
	while (started)
		pthread_join(helpers[--started], NULL);
}
