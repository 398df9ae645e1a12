// SPDX-License-Identifier: GPL-2.0
/* simcache.c - a small simulated machine with known answers */
#include "kit/simcache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kit/roundkit.h"
#include "kit/simcache_set.h"

/* Beyond all memory. */
#define OWN_LINES (UINT64_C(1) << 40)
#define PAGE_SHIFT 12

struct sim {
	struct machine machine;
	struct sim_config config;
	struct simcache caches[SIM_LEVELS];
	unsigned int count;
	uint64_t *tlb;
	unsigned int paused_ms;
	struct rng rng;
	uint64_t drawn;
	struct rounds rounds;
};

/* A set that is read may be changed: its lines are kept for the comparison. */
static void note(struct sim *s, struct simcache *c, uint64_t set)
{
	struct rounds *r = &s->rounds;

	if (!r->begun || r->known || c->noted[set] == r->generation)
		return;
	c->noted[set] = r->generation;
	rounds_note(r, c->lines + set * c->level->ways, c->level->ways);
	rounds_note(r, c->trees + set, 1);
}

/* Where a line is, in *set, or NULL. */
static uint64_t *find(struct sim *s, struct simcache *c, uint64_t line,
		      uint64_t *set)
{
	uint64_t *lines;

	*set = simcache_set_of(c->level, line);
	note(s, c, *set);
	lines = c->lines + *set * c->level->ways;
	for (unsigned int i = 0; i < c->level->ways; i++)
		if (lines[i] == line)
			return &lines[i];
	return NULL;
}

/* Return: the line that was evicted, or NOTHING. */
static uint64_t fill(struct sim *s, struct simcache *c, uint64_t line)
{
	uint64_t set = simcache_set_of(c->level, line), gone;
	unsigned int way;

	note(s, c, set);
	way = simcache_victim(c, set, &s->rng, &s->drawn);
	gone = c->lines[set * c->level->ways + way];
	c->lines[set * c->level->ways + way] = line;
	simcache_touch(c, set, way, true);
	return gone;
}

static unsigned int translate(struct sim *s, uint64_t address)
{
	const uint64_t *end = s->tlb + s->config.tlb_entries;

	if (!s->config.tlb_entries)
		return 0;
	for (uint64_t *page = s->tlb; page < end; page++) {
		if (*page != address >> PAGE_SHIFT)
			continue;
		simcache_to_front(s->tlb, page + 1);
		return 0;
	}
	simcache_to_front(s->tlb, end);
	*s->tlb = address >> PAGE_SHIFT;
	return s->config.tlb_penalty;
}

static unsigned int load(struct sim *s, uint64_t address)
{
	unsigned int cycles = s->config.memory_latency, hit = s->count;

	for (unsigned int i = 0; i < s->count && hit == s->count; i++) {
		struct simcache *c = &s->caches[i];
		uint64_t line = address / c->level->line_bytes, set;
		const uint64_t *lines = c->lines;
		uint64_t *at = find(s, c, line, &set);

		if (!at)
			continue;
		hit = i;
		cycles = c->level->latency;
		if (c->level->exclusive)
			*at = NOTHING;
		simcache_touch(
			c, set,
			(unsigned int)(at - lines - set * c->level->ways),
			false);
	}
	for (unsigned int i = hit; i-- > 0;) {
		struct simcache *c = &s->caches[i], *below = c + 1;
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
		s->caches[0].lines[rng_below(&s->rng, all)] = NOTHING;
}

static void flush(struct sim *s, uint64_t address)
{
	for (unsigned int i = 0; i < s->count && !s->config.no_flush; i++) {
		struct simcache *c = &s->caches[i];
		uint64_t line = address / c->level->line_bytes, set;
		uint64_t *at = find(s, c, line, &set);

		if (at)
			*at = NOTHING;
	}
}

static double noise(struct sim *s)
{
	double cycles = s->config.jitter * rng_uniform(&s->rng);

	if (rng_uniform(&s->rng) < s->config.burst)
		cycles += s->config.burst_cycles;
	return cycles;
}

static bool knows_steps(const struct walk_plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].other || plan->steps[i].kind == STEP_STORE)
			return false;
	return true;
}

/* Before each sample, by this CPU. */
static void take_steps(struct sim *s, const struct walk_plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct walk_step *step = &plan->steps[i];

		for (size_t j = 0; j < step->lines->length; j++)
			if (step->kind == STEP_FLUSH)
				flush(s, step->lines->offsets[j]);
			else
				load(s, step->lines->offsets[j]);
	}
	if (plan->step_count)
		rounds_forget(&s->rounds);
}

static void end_round(struct sim *s, uint64_t cycles)
{
	struct rounds *r = &s->rounds;

	if (r->known || !rounds_end(r, cycles))
		return;
	rounds_note(r, &s->drawn, 1);
	rounds_note(r, s->tlb, s->config.tlb_entries);
}

static void use_own(struct sim *s)
{
	for (uint64_t i = 0; i < s->config.own_lines; i++)
		load(s, OWN_LINES + i * 1024);
}

/*
 * Rounds after which everything is as some rounds before repeat: they are
 * counted, not done. Return: cycles of @count rounds.
 */
static double go_round(struct sim *s, const struct sequence *q, uint64_t count,
		       bool others)
{
	struct rounds *r = &s->rounds;
	uint64_t all = 0;

	while (count) {
		uint64_t cycles = 0;

		if (r->known && count >= r->since) {
			all += count / r->since * r->cycles;
			count %= r->since;
			continue;
		}
		if (others)
			use_own(s);
		for (size_t i = 0; i < q->length; i++) {
			cycles += load(s, q->offsets[i]);
			if (others)
				steal(s);
		}
		if (!others)
			end_round(s, cycles);
		all += cycles;
		count--;
	}
	return (double)all;
}

static double time_each(struct sim *s, const struct sequence *q,
			uint64_t rounds, double *ticks)
{
	double all = 0;

	memset(ticks, 0, q->length * sizeof(*ticks));
	for (uint64_t r = 0; r < rounds; r++)
		for (size_t i = 0; i < q->length; i++) {
			double cycles = (double)load(s, q->offsets[i]);

			ticks[i] += cycles / (double)rounds;
			all += cycles;
		}
	rounds_forget(&s->rounds);
	return all;
}

static int walk(struct machine *m, const struct sequence *q,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct sim *s = (struct sim *)m;
	bool others = s->config.thief > 0 || s->config.own_lines;
	uint64_t rounds = 1;

	if (sequence_span(q) > m->region.bytes)
		return fail(f, STATUS_FAILED, ERANGE, "walk: out of region");
	rounds_forget(&s->rounds);
	if (!knows_steps(plan))
		return fail(f, STATUS_FAILED, EOPNOTSUPP,
			    "walk: no such steps");
	if (!(plan->flags & WALK_COLD) && !plan->step_count)
		while (rounds * q->length < plan->loads)
			rounds++;
	if (!plan->step_count)
		go_round(s, q, plan->warm_rounds, false);
	if (others)
		rounds_forget(&s->rounds);
	for (unsigned int j = 0; j < plan->samples; j++) {
		samples[j] = (struct sample){ .loads = rounds * q->length };
		take_steps(s, plan);
		for (size_t i = 0; plan->flags & WALK_COLD && i < q->length;
		     i++)
			flush(s, q->offsets[i]);
		if (plan->flags & WALK_COLD)
			rounds_forget(&s->rounds);
		samples[j].ticks = plan->each ? time_each(s, q, rounds,
							  plan->each->ticks) :
						go_round(s, q, rounds, others);
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
		free(s->caches[i].lines);
		free(s->caches[i].trees);
		free(s->caches[i].noted);
	}
	free(s->tlb);
	rounds_free(&s->rounds);
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

static uint64_t *empty(size_t count)
{
	uint64_t *lines = allocate(count, sizeof(*lines));

	for (size_t i = 0; i < count; i++)
		lines[i] = NOTHING;
	return lines;
}

struct machine *sim_open(const struct sim_config *config)
{
	struct sim *s = allocate(1, sizeof(*s));
	struct region *region = &s->machine.region;

	s->config = *config;
	s->rng.state = config->seed;
	for (; s->count < SIM_LEVELS && config->levels[s->count].ways;
	     s->count++) {
		struct simcache *c = &s->caches[s->count];

		c->level = &s->config.levels[s->count];
		c->lines = empty((size_t)c->level->ways * c->level->sets);
		c->trees = allocate(c->level->sets, sizeof(*c->trees));
		c->noted = allocate(c->level->sets, sizeof(*c->noted));
	}
	s->tlb = empty(config->tlb_entries);
	s->machine.ops = &ops;
	s->machine.times_each = config->times_each;
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
