// SPDX-License-Identifier: GPL-2.0
#include "simcache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

#define NOTHING UINT64_MAX
#define PAGE_SHIFT 12

struct way {
	uint64_t line;
	uint64_t stamp;
};

struct cache {
	const struct sim_level *level;
	struct way *ways;
	uint64_t *trees;
};

struct sim {
	struct machine machine;
	struct sim_config config;
	struct cache caches[SIM_LEVELS];
	unsigned int count;
	struct way *tlb;
	uint64_t clock;
	unsigned int paused_ms;
	struct rng rng;
};

static uint64_t set_of(const struct sim_level *l, uint64_t line)
{
	uint64_t address = line * l->line_bytes, set = 0;

	if (!l->masks[0])
		return line % l->sets;
	for (unsigned int i = 0; 1U << i < l->sets; i++)
		set |= (uint64_t)__builtin_parityll(address & l->masks[i]) << i;
	return set;
}

static struct way *ways_of(struct cache *c, uint64_t line)
{
	return c->ways + set_of(c->level, line) * c->level->ways;
}

static struct way *find(struct cache *c, uint64_t line)
{
	struct way *w = ways_of(c, line);

	for (unsigned int i = 0; i < c->level->ways; i++)
		if (w[i].line == line)
			return &w[i];
	return NULL;
}

static void touch_tree(struct cache *c, uint64_t set, unsigned int way)
{
	unsigned int node = 1;

	for (unsigned int half = c->level->ways / 2; half; half /= 2) {
		bool right = way & half;

		if (right)
			c->trees[set] &= ~(UINT64_C(1) << node);
		else
			c->trees[set] |= UINT64_C(1) << node;
		node = 2 * node + right;
	}
}

static unsigned int tree_victim(const struct cache *c, uint64_t set)
{
	unsigned int node = 1, way = 0;

	for (unsigned int half = c->level->ways / 2; half; half /= 2) {
		bool right = c->trees[set] >> node & 1;

		way += right ? half : 0;
		node = 2 * node + right;
	}
	return way;
}

/* Bit 0: recently used; when all are, all others are forgotten. */
static void touch_bit(struct cache *c, uint64_t set, unsigned int way)
{
	uint64_t all = (UINT64_C(1) << c->level->ways) - 1;

	c->trees[set] |= UINT64_C(1) << way;
	if ((c->trees[set] & all) == all)
		c->trees[set] = UINT64_C(1) << way;
}

static void touch(struct sim *s, struct cache *c, struct way *w, bool filled)
{
	uint64_t set = set_of(c->level, w->line);
	unsigned int way = (unsigned int)(w - (c->ways + set * c->level->ways));

	if (filled || c->level->policy != SIM_FIFO)
		w->stamp = ++s->clock;
	if (c->level->policy == SIM_TREE_PLRU)
		touch_tree(c, set, way);
	else if (c->level->policy == SIM_BIT_PLRU)
		touch_bit(c, set, way);
}

static struct way *victim(struct sim *s, struct cache *c, uint64_t line)
{
	struct way *w = ways_of(c, line), *oldest = w;
	uint64_t set = set_of(c->level, line);

	for (unsigned int i = 0; i < c->level->ways; i++)
		if (w[i].line == NOTHING)
			return &w[i];
	switch (c->level->policy) {
	case SIM_RANDOM:
		return &w[rng_below(&s->rng, c->level->ways)];
	case SIM_TREE_PLRU:
		return &w[tree_victim(c, set)];
	case SIM_BIT_PLRU:
		return &w[__builtin_ctzll(~c->trees[set])];
	default:
		break;
	}
	for (unsigned int i = 1; i < c->level->ways; i++)
		if (w[i].stamp < oldest->stamp)
			oldest = &w[i];
	return oldest;
}

/* Return: the line that had to go, or NOTHING. */
static uint64_t fill(struct sim *s, struct cache *c, uint64_t line)
{
	struct way *w = victim(s, c, line);
	uint64_t gone = w->line;

	w->line = line;
	touch(s, c, w, true);
	return gone;
}

static unsigned int translate(struct sim *s, uint64_t address)
{
	struct way *oldest = s->tlb;

	for (unsigned int i = 0; i < s->config.tlb_entries; i++) {
		if (s->tlb[i].line == address >> PAGE_SHIFT) {
			s->tlb[i].stamp = ++s->clock;
			return 0;
		}
		if (s->tlb[i].stamp < oldest->stamp)
			oldest = &s->tlb[i];
	}
	if (!oldest)
		return 0;
	oldest->line = address >> PAGE_SHIFT;
	oldest->stamp = ++s->clock;
	return s->config.tlb_penalty;
}

static unsigned int load(struct sim *s, uint64_t address)
{
	unsigned int cycles = s->config.memory_latency, hit = s->count;

	for (unsigned int i = 0; i < s->count && hit == s->count; i++) {
		struct cache *c = &s->caches[i];
		struct way *w = find(c, address / c->level->line_bytes);

		if (!w)
			continue;
		hit = i;
		cycles = c->level->latency;
		touch(s, c, w, false);
		if (c->level->exclusive)
			w->line = NOTHING;
	}
	for (unsigned int i = hit; i-- > 0;) {
		struct cache *c = &s->caches[i], *below = c + 1;
		uint64_t gone;

		if (c->level->exclusive)
			continue;
		gone = fill(s, c, address / c->level->line_bytes);
		if (gone != NOTHING && i + 1 < s->count &&
		    below->level->exclusive)
			fill(s, below, gone);
	}
	return cycles + translate(s, address);
}

static void steal(struct sim *s)
{
	const struct sim_level *l = s->caches[0].level;
	uint64_t all = (uint64_t)l->ways * l->sets;

	if (rng_uniform(&s->rng) < s->config.thief)
		s->caches[0].ways[rng_below(&s->rng, all)].line = NOTHING;
}

static void flush(struct sim *s, uint64_t address)
{
	for (unsigned int i = 0; i < s->count && !s->config.no_flush; i++) {
		struct cache *c = &s->caches[i];
		struct way *w = find(c, address / c->level->line_bytes);

		if (w)
			w->line = NOTHING;
	}
}

static double noise(struct sim *s)
{
	double cycles = s->config.jitter * rng_uniform(&s->rng);

	if (rng_uniform(&s->rng) < s->config.burst)
		cycles += s->config.burst_cycles;
	return cycles;
}

/* Loads by this CPU; *known: there are no other steps. */
static void take_steps(struct sim *s, const struct walk_plan *plan, bool *known)
{
	*known = true;
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct walk_step *step = &plan->steps[i];

		*known &= step->kind == STEP_LOAD && !step->other;
		for (size_t j = 0; *known && j < step->lines->length; j++)
			load(s, step->lines->offsets[j]);
	}
}

static int walk(struct machine *m, const struct sequence *q,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct sim *s = (struct sim *)m;
	uint64_t loads = q->length;
	bool known;

	if (sequence_span(q) > m->region.bytes)
		return fail(f, STATUS_FAILED, ERANGE, "walk: out of region");
	take_steps(s, plan, &known);
	if (!known)
		return fail(f, STATUS_FAILED, EOPNOTSUPP,
			    "walk: no such steps");
	if (!(plan->flags & WALK_COLD))
		while (loads < plan->loads)
			loads += q->length;
	for (uint64_t i = 0; i < plan->warm_rounds * q->length; i++)
		load(s, q->offsets[i % q->length]);
	for (unsigned int j = 0; j < plan->samples; j++) {
		samples[j] = (struct sample){ .loads = loads };
		for (size_t i = 0; plan->flags & WALK_COLD && i < q->length;
		     i++)
			flush(s, q->offsets[i]);
		for (uint64_t i = 0; i < loads; i++) {
			samples[j].ticks += load(s, q->offsets[i % q->length]);
			if (s->config.thief > 0)
				steal(s);
		}
		samples[j].ticks += noise(s);
		m->conditions.samples++;
	}
	return 0;
}

static double add_chain(struct machine *m, unsigned int adds)
{
	(void)m;
	return adds;
}

static void let_pass(struct machine *m, unsigned int ms)
{
	struct sim *s = (struct sim *)m;

	s->paused_ms += ms;
	if (s->config.thief_leaves_ms &&
	    s->paused_ms >= s->config.thief_leaves_ms)
		s->config.thief = 0;
}

static void close_sim(struct machine *m)
{
	struct sim *s = (struct sim *)m;

	for (unsigned int i = 0; i < s->count; i++) {
		free(s->caches[i].ways);
		free(s->caches[i].trees);
	}
	free(s->tlb);
	free(m->region.extents);
	free(s);
}

static const struct machine_ops ops = {
	.kind = "sim",
	.walk = walk,
	.add_chain = add_chain,
	.pause = let_pass,
	.close = close_sim,
};

static void *allocate(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		abort();
	return p;
}

static struct way *empty_ways(size_t count)
{
	struct way *w = allocate(count, sizeof(*w));

	for (size_t i = 0; i < count; i++)
		w[i].line = NOTHING;
	return w;
}

struct machine *sim_open(const struct sim_config *config)
{
	struct sim *s = allocate(1, sizeof(*s));
	struct region *region = &s->machine.region;

	s->config = *config;
	s->rng.state = config->seed;
	for (; s->count < SIM_LEVELS && config->levels[s->count].ways;
	     s->count++) {
		struct cache *c = &s->caches[s->count];

		c->level = &s->config.levels[s->count];
		c->ways = empty_ways((size_t)c->level->ways * c->level->sets);
		c->trees = allocate(c->level->sets, sizeof(*c->trees));
	}
	if (config->tlb_entries)
		s->tlb = empty_ways(config->tlb_entries);
	s->machine.ops = &ops;
	s->machine.timer =
		(struct timer_info){ .name = "model", .ticks_per_ns = 1 };
	region->bytes = config->region_bytes ? config->region_bytes :
					       UINT64_C(512) << 20;
	region->page_bytes = UINT64_C(2) << 20;
	region->extents = allocate(1, sizeof(*region->extents));
	region->extents[0] = (struct extent){ .bytes = region->bytes };
	region->extent_count = 1;
	return &s->machine;
}
