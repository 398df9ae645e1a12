// SPDX-License-Identifier: GPL-2.0
#include "machine/sim/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define GIB (UINT64_C(1) << 30)
#define TWO_MIB (UINT64_C(1) << 21)
#define BASE UINT64_C(0x7f0000000000)

/* Has each CPU an array of such pages for data? */
static bool is_translated(const struct profile *p, uint64_t page_bytes)
{
	uint64_t without = profile_all_cpus(p);

	for (size_t i = 0; i < p->tlb_count; i++) {
		const struct profile_tlb *t = &p->tlbs[i];

		for (size_t j = 0; j < t->page_size_count; j++)
			if (t->type != PROFILE_INSTRUCTION &&
			    t->page_bytes[j] == page_bytes)
				without &= t->absent_on;
	}
	return !without;
}

/* Largest pages first, as the hugepage machine does it; but a size that no
 * data TLB has would need a page walk at each access; kernels do not map so.
 */
static uint64_t largest_page(const struct profile *p)
{
	uint64_t best = 0;

	for (size_t i = 0; i < p->tlb_count; i++) {
		const struct profile_tlb *t = &p->tlbs[i];

		if (t->type == PROFILE_INSTRUCTION)
			continue;
		for (size_t j = 0; j < t->page_size_count; j++)
			if (t->page_bytes[j] > best &&
			    t->page_bytes[j] <= GIB &&
			    is_translated(p, t->page_bytes[j]))
				best = t->page_bytes[j];
	}
	for (size_t i = 0; !p->tlb_count && i < p->huge_page_count; i++)
		if (p->huge_page_bytes[i] <= GIB)
			best = p->huge_page_bytes[i];
	return best ? best : p->page_bytes;
}

static uint64_t page_of(const struct profile *p)
{
	if (p->placement == PROFILE_RANDOM_4K)
		return p->page_bytes;
	if (p->placement == PROFILE_CONTIGUOUS)
		return largest_page(p);
	for (size_t i = 0; i < p->huge_page_count; i++)
		if (p->huge_page_bytes[i] == TWO_MIB)
			return TWO_MIB;
	return p->huge_page_bytes[0];
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A bijection on the numbers below a power of two, by mixing that can be
 * undone: distinct pages get distinct frames.
 */
struct shuffle {
	uint64_t mask;
	unsigned int shift;
	uint64_t odd[3];
	uint64_t add;
};

static struct shuffle shuffle_begin(uint64_t count, struct rng *rng)
{
	struct shuffle s = { .mask = count - 1, .shift = 1 };

	while (UINT64_C(1) << 2 * s.shift < count)
		s.shift++;
	for (int i = 0; i < 3; i++)
		s.odd[i] = rng_next(rng) | 1;
	s.add = rng_next(rng);
	return s;
}

static uint64_t shuffled(const struct shuffle *s, uint64_t x)
{
	x = (x + s->add) & s->mask;
	for (int i = 0; i < 3; i++) {
		x = x * s->odd[i] & s->mask;
		x ^= x >> s->shift;
	}
	return x;
}

/* Units in a row from a random place, or each at a random place. */
static void choose_frames(struct sim_memory *s, const struct profile *p,
			  size_t count, bool random, uint64_t align,
			  struct rng *rng)
{
	uint64_t space = UINT64_C(1) << p->phys_bits;
	uint64_t bytes = count * s->unit_bytes;

	if (random) {
		struct shuffle mix = shuffle_begin(space / s->unit_bytes, rng);

		for (size_t i = 0; i < count; i++)
			s->frames[i] = shuffled(&mix, i) * s->unit_bytes;
		return;
	}
	s->frames[0] = rng_below(rng, (space - bytes) / align + 1) * align;
	for (size_t i = 1; i < count; i++)
		s->frames[i] = s->frames[0] + i * s->unit_bytes;
}

/* The host's frames behind guest memory, page by page: hidden from methods. */
static int back(struct sim_memory *s, const struct profile *p, size_t count,
		struct rng *rng)
{
	uint64_t bytes = count * s->unit_bytes;
	uint64_t unit = p->host_page_bytes ?
				smaller(p->host_page_bytes, bytes) :
				smaller(s->page_bytes, bytes);
	uint64_t *frames = calloc(bytes / unit, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	free(s->frames);
	s->frames = frames;
	s->unit_bytes = unit;
	choose_frames(s, p, bytes / unit, true, unit, rng);
	return 0;
}

static void describe(const struct profile *p, const struct sim_memory *s,
		     struct region *region)
{
	static const char *const names[] = { "contiguous", "randomly placed",
					     "randomly placed" };

	region->page_bytes = s->page_bytes;
	snprintf(region->backing, sizeof(region->backing),
		 "%s simulated %llu KiB pages", names[p->placement],
		 (unsigned long long)(s->page_bytes >> 10));
}

int sim_memory_place(struct sim_memory *s, const struct profile *p,
		     uint64_t bytes, struct rng *rng, struct region *region)
{
	uint64_t space = UINT64_C(1) << p->phys_bits;
	bool random = p->placement != PROFILE_CONTIGUOUS;
	size_t count;
	int error;

	/* A machine may have less memory than the request. */
	bytes = smaller(bytes, space / 2);
	s->page_bytes = page_of(p);
	s->unit_bytes = smaller(s->page_bytes, bytes);
	count = bytes / s->unit_bytes;
	region->bytes = count * s->unit_bytes;
	s->base = BASE + rng_below(rng, 64) * GIB;
	s->frames = calloc(count, sizeof(*s->frames));
	if (!s->frames)
		return -ENOMEM;
	choose_frames(s, p, count, random,
		      smaller(s->page_bytes < TWO_MIB ? TWO_MIB : s->page_bytes,
			      space / 2),
		      rng);
	describe(p, s, region);
	error = region_list_extents(region, s->frames, count, s->unit_bytes);
	region->phys_known = true;
	if (!error && p->virtual_machine)
		error = back(s, p, count, rng);
	return error;
}

int sim_memory_frames(struct sim_memory *s, const struct profile *p,
		      uint64_t page_bytes, uint64_t count, struct rng *rng,
		      bool *contiguous)
{
	uint64_t space = UINT64_C(1) << p->phys_bits;
	bool random = p->placement != PROFILE_CONTIGUOUS;
	size_t units;

	s->frames = NULL;
	s->page_bytes = page_bytes;
	s->unit_bytes = page_bytes;
	if (count > space / 2 / page_bytes)
		return -ENOSPC;
	if (p->placement == PROFILE_RANDOM_2M && page_bytes < TWO_MIB)
		s->unit_bytes = TWO_MIB;
	units = (count * page_bytes + s->unit_bytes - 1) / s->unit_bytes;
	s->frames = calloc(units, sizeof(*s->frames));
	if (!s->frames)
		return -ENOMEM;
	choose_frames(s, p, units, random, s->unit_bytes, rng);
	/* The host's frames are hidden from methods. */
	*contiguous = (units == 1 || !random) && !p->virtual_machine;
	return p->virtual_machine ? back(s, p, units, rng) : 0;
}

void sim_memory_free(struct sim_memory *s)
{
	free(s->frames);
	s->frames = NULL;
}
