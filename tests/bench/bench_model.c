// SPDX-License-Identifier: GPL-2.0
/*
 * bench_model.c - modelled accesses per second on a three-level hierarchy with
 * TLBs, beside a bare pointer chase over the same sequence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "bench.h"
#include "model/model.h"

#define KIB UINT64_C(1024)
#define LINE 64
#define ACCESSES (1 << 20)
#define TRIALS 15

/* Nehalem's caches and TLBs (CPUID of an i7-920), one CPU. */
static const struct profile nehalem = {
	.cycle_ns = 0.375,
	.phys_bits = 36,
	.page_bytes = 4096,
	.cpus = 1,
	.cache_count = 4,
	.caches = {
		{ .level = 1, .type = PROFILE_DATA, .capacity_bytes = 32 * KIB,
		  .ways = 8, .line_bytes = LINE, .sets = 64,
		  .policy.name = PROFILE_TREE_PLRU, .write_allocate = true,
		  .write_back = true, .latency_cycles = 4, .instances = 1 },
		{ .level = 1, .type = PROFILE_INSTRUCTION,
		  .capacity_bytes = 32 * KIB, .ways = 4, .line_bytes = LINE,
		  .sets = 128, .policy.name = PROFILE_TREE_PLRU,
		  .write_allocate = true, .write_back = true,
		  .latency_cycles = 4, .instances = 1 },
		{ .level = 2, .type = PROFILE_UNIFIED, .physical = true,
		  .capacity_bytes = 256 * KIB, .ways = 8, .line_bytes = LINE,
		  .sets = 512, .policy.name = PROFILE_TREE_PLRU,
		  .write_allocate = true, .write_back = true,
		  .latency_cycles = 10, .instances = 1 },
		{ .level = 3, .type = PROFILE_UNIFIED, .physical = true,
		  .capacity_bytes = 8192 * KIB, .ways = 16, .line_bytes = LINE,
		  .sets = 8192, .policy.name = PROFILE_BIT_PLRU,
		  .inclusion = PROFILE_INCLUSIVE, .write_allocate = true,
		  .write_back = true, .latency_cycles = 40, .instances = 1 },
	},
	.tlb_count = 3,
	.tlbs = {
		{ .level = 1, .type = PROFILE_DATA, .page_bytes = { 4096 },
		  .page_size_count = 1, .entries = 64, .ways = 4,
		  .policy.name = PROFILE_TREE_PLRU, .coalesce_pages = 1 },
		{ .level = 1, .type = PROFILE_INSTRUCTION,
		  .page_bytes = { 4096 }, .page_size_count = 1, .entries = 64,
		  .ways = 4, .policy.name = PROFILE_TREE_PLRU,
		  .coalesce_pages = 1 },
		{ .level = 2, .type = PROFILE_UNIFIED, .page_bytes = { 4096 },
		  .page_size_count = 1, .entries = 512, .ways = 4,
		  .policy.name = PROFILE_TREE_PLRU, .latency_cycles = 7,
		  .coalesce_pages = 1 },
	},
	.walk_latency_cycles = 30,
	.memory_latency_cycles = 200,
};

struct node {
	struct node *next;
	char rest[LINE - sizeof(struct node *)];
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* All lines in one random cycle (Sattolo 1986). */
static void link_nodes(struct node *nodes, size_t count)
{
	struct rng rng = { .state = 1 };
	size_t *order = calloc(count, sizeof(*order));

	if (!order)
		abort();
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count - 1; i > 0; i--) {
		size_t j = rng_below(&rng, i), swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
	for (size_t i = 0; i < count; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % count]];
	free(order);
}

static double chase_ns(const struct node *nodes)
{
	const struct node *volatile p = nodes;
	const struct node *at = p;
	double begun = now_ns();

	for (int i = 0; i < ACCESSES; i++)
		at = at->next;
	p = at;
	return (now_ns() - begun) / ACCESSES;
}

/* One access after the other, as the lab's emulator has them. */
static double singly_ns(struct model *m, const struct model_access *all)
{
	double begun = now_ns();

	for (int i = 0; i < ACCESSES; i++)
		model_access(m, &all[i]);
	return (now_ns() - begun) / ACCESSES;
}

/* A sequence that is known before, as the sim machine has it. */
static double sequence_ns(struct model *m, const struct model_access *all)
{
	double begun = now_ns();

	model_run(m, all, ACCESSES);
	return (now_ns() - begun) / ACCESSES;
}

static double lower(double a, double b)
{
	return a < b ? a : b;
}

static void bench_footprint(struct model *m, const char *what, uint64_t bytes)
{
	struct node *nodes = aligned_alloc(4096, bytes);
	struct model_access *all = calloc(ACCESSES, sizeof(*all));
	double bare = 1e9, singly = 1e9, sequence = 1e9;
	const struct node *at = nodes;

	if (!nodes || !all)
		abort();
	link_nodes(nodes, bytes / LINE);
	for (int i = 0; i < ACCESSES; i++, at = at->next) {
		all[i].phys = (uint64_t)((const char *)at - (char *)nodes);
		all[i].virt = UINT64_C(0x7f0000000000) + all[i].phys;
		all[i].page_bytes = 4096;
		all[i].kind = MODEL_LOAD;
	}
	for (int i = 0; i < TRIALS; i++) {
		bare = lower(bare, chase_ns(nodes));
		singly = lower(singly, singly_ns(m, all));
		sequence = lower(sequence, sequence_ns(m, all));
	}
	printf("%-10s %9.1f %12.2f %9.1f %12.2f\n", what, 1e3 / sequence,
	       sequence / bare, 1e3 / singly, singly / bare);
	free(nodes);
	free(all);
}

void bench_model(void)
{
	struct model *m = model_create(&nehalem);

	if (!m)
		abort();
	printf("model: million accesses/s, and one access / one of a bare chase\n"
	       "%-10s %9s %12s %9s %12s\n",
	       "footprint", "sequence", "/ bare chase", "singly",
	       "/ bare chase");
	bench_footprint(m, "in L1", 16 * KIB);
	bench_footprint(m, "in L2", 128 * KIB);
	bench_footprint(m, "in L3", 2048 * KIB);
	bench_footprint(m, "in memory", 65536 * KIB);
	model_destroy(m);
}
