// SPDX-License-Identifier: GPL-2.0
/*
 * bench_model.c - modelled accesses per second on a three-level hierarchy with
 * TLBs, beside a bare pointer chase over the same sequence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "model/model.h"
#include "rng.h"

#define KIB UINT64_C(1024)
#define LINE 64
#define ACCESSES 2000000
#define TRIALS 7

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

static double model_ns(struct model *m, const uint32_t *offsets)
{
	struct model_access a = { .page_bytes = 4096, .kind = MODEL_LOAD };
	double begun = now_ns();

	for (int i = 0; i < ACCESSES; i++) {
		a.virt = UINT64_C(0x7f0000000000) + offsets[i];
		a.phys = offsets[i];
		model_access(m, &a);
	}
	return (now_ns() - begun) / ACCESSES;
}

static void bench_footprint(struct model *m, const char *what, uint64_t bytes)
{
	struct node *nodes = aligned_alloc(4096, bytes);
	uint32_t *offsets = calloc(ACCESSES, sizeof(*offsets));
	double bare = 1e9, modelled = 1e9;
	const struct node *at = nodes;

	if (!nodes || !offsets)
		abort();
	link_nodes(nodes, bytes / LINE);
	for (int i = 0; i < ACCESSES; i++, at = at->next)
		offsets[i] = (uint32_t)((const char *)at - (char *)nodes);
	for (int i = 0; i < TRIALS; i++) {
		double one = chase_ns(nodes), other = model_ns(m, offsets);

		bare = one < bare ? one : bare;
		modelled = other < modelled ? other : modelled;
	}
	printf("model, %-10s %6.1f million accesses/s, / bare chase  %6.2f\n",
	       what, 1e3 / modelled, modelled / bare);
	free(nodes);
	free(offsets);
}

void bench_model(void)
{
	struct model *m = model_create(&nehalem);

	if (!m)
		abort();
	bench_footprint(m, "in L1", 16 * KIB);
	bench_footprint(m, "in L2", 128 * KIB);
	bench_footprint(m, "in L3", 2048 * KIB);
	bench_footprint(m, "in memory", 65536 * KIB);
	model_destroy(m);
}
