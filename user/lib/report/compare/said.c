// SPDX-License-Identifier: GPL-2.0
/* said.c - read the compared parameters from the results of each method. */
#include <string.h>

#include "report/compare/compare.h"

static struct parameter not_told(const char *reason)
{
	struct parameter p = { .status = PARAMETER_UNAVAILABLE };

	parameter_unavailable(&p, "%s", reason);
	return p;
}

static struct parameter nothing(void)
{
	return not_told("this method does not measure it");
}

static struct parameter no_level(bool *missed)
{
	*missed = true;
	return not_told("the method lists no such level");
}

/* Convert to another unit. */
static struct parameter scaled(struct parameter p, double factor)
{
	p.value *= factor;
	return p;
}

/* --- X-Ray ---------------------------------------------------------------- */

/*
 * The number is known only if no level may lie between the last one and memory.
 */
static struct parameter xray_levels(const struct hierarchy *h)
{
	struct parameter p = { .method = "x-ray" };

	for (size_t i = 0; i < h->cache_count; i++) {
		const struct cache_result *c = &h->caches[i];

		if (parameter_is_measured(&c->ways))
			continue;
		parameter_undecided(&p, "x-ray", "L%d: %.200s", c->level,
				    c->ways.reason);
		return p;
	}
	if (!h->cache_count ||
	    !parameter_is_measured(&h->memory_latency_cycles))
		parameter_undecided(
			&p, "x-ray",
			"whether another level lies above memory is not known");
	else
		parameter_measured(&p, (double)h->cache_count, 0, "x-ray");
	return p;
}

static struct parameter xray_cache(const struct hierarchy *h,
				   const struct compare_row *row, bool *missed)
{
	const struct cache_result *c;

	if ((size_t)row->level > h->cache_count)
		return no_level(missed);
	c = &h->caches[row->level - 1];
	switch (row->parameter) {
	case COMPARE_CAPACITY:
		return c->capacity_bytes;
	case COMPARE_EFFECTIVE:
		return row->level > 1 ? c->effective_capacity_bytes :
					c->capacity_bytes;
	case COMPARE_WAYS:
		return c->ways;
	case COMPARE_LINE:
		return c->line_bytes;
	default:
		return c->latency_cycles;
	}
}

static const struct tlb_result *xray_find_tlb(const struct hierarchy *h,
					      int level, uint64_t page_bytes)
{
	for (size_t i = 0; i < h->tlb_count; i++) {
		const struct tlb_result *t = &h->tlbs[i];

		if (t->level == level && t->page_bytes == page_bytes &&
		    strcmp(t->type, "instruction") != 0)
			return t;
	}
	return NULL;
}

static struct parameter xray_tlb(const struct hierarchy *h,
				 const struct compare_row *row, bool *missed)
{
	const struct tlb_result *t =
		xray_find_tlb(h, row->level, row->page_bytes);

	if (!t)
		return xray_find_tlb(h, 1, row->page_bytes) ? no_level(missed) :
							      nothing();
	switch (row->parameter) {
	case COMPARE_ENTRIES:
		return t->entries;
	case COMPARE_WAYS:
		return t->ways;
	default:
		return t->latency_cycles;
	}
}

static struct parameter xray_value(const struct hierarchy *h,
				   const struct compare_row *row, bool *missed)
{
	switch (row->where) {
	case COMPARE_HIERARCHY:
		return xray_levels(h);
	case COMPARE_CACHE:
		return xray_cache(h, row, missed);
	case COMPARE_MEMORY:
		return h->memory_latency_cycles;
	default:
		return xray_tlb(h, row, missed);
	}
}

/* --- AMP ------------------------------------------------------------------ */

static const struct amp_row *amp_find(const struct amp_result *r,
				      const struct compare_row *row)
{
	bool tlb = row->where == COMPARE_TLB;
	const struct amp_row *rows = tlb ? r->tlbs : r->caches;
	size_t count = tlb ? r->tlb_count : r->cache_count;

	for (size_t i = 0; i < count; i++)
		if (rows[i].level == row->level && !amp_is_code(&rows[i]) &&
		    rows[i].mapped_bytes == row->page_bytes)
			return &rows[i];
	return NULL;
}

/* AMP reports only levels whose misses a counter counts, so a level that it
 * does not list is not missed.
 */
static struct parameter amp_value(const struct amp_result *r,
				  const struct compare_row *row)
{
	const struct amp_row *found = NULL;

	if (row->where == COMPARE_CACHE || row->where == COMPARE_TLB)
		found = amp_find(r, row);
	if (!found)
		return r->answered ?
			       nothing() :
			       not_told("no counter passed its self-test");
	switch (row->parameter) {
	case COMPARE_CAPACITY:
	case COMPARE_ENTRIES:
		return found->size.p;
	case COMPARE_WAYS:
		return found->ways.p;
	case COMPARE_LINE:
		return found->block_bytes.p;
	default:
		return nothing();
	}
}

/* --- the others ----------------------------------------------------------- */

static struct parameter side_cache(const struct side_result *s,
				   const struct compare_row *row,
				   bool is_effective, bool *missed)
{
	const struct side_level *level;

	if ((size_t)row->level > s->cache_count) {
		/* A method without any result has no list. */
		return s->cache_count ? no_level(missed) : nothing();
	}
	level = &s->caches[row->level - 1];
	switch (row->parameter) {
	case COMPARE_CAPACITY:
		return is_effective ? nothing() : level->capacity_bytes;
	case COMPARE_EFFECTIVE:
		return is_effective ? level->capacity_bytes : nothing();
	case COMPARE_WAYS:
		return level->ways;
	case COMPARE_LINE:
		return level->line_bytes;
	default:
		return level->latency_cycles;
	}
}

/* Levels of one page size are listed in order, from the first on. */
static const struct side_tlb *side_find_tlb(const struct side_result *s,
					    int level, uint64_t page_bytes)
{
	for (size_t i = 0; i < s->tlb_count; i++)
		if (s->tlbs[i].page_bytes == page_bytes && !--level)
			return &s->tlbs[i];
	return NULL;
}

/*
 * The method times whole accesses: the cost of a translation is a difference.
 */
static struct parameter added_cycles(const struct side_result *s,
				     const struct compare_row *row)
{
	const struct side_tlb *above =
		side_find_tlb(s, row->level - 1, row->page_bytes);
	struct parameter p =
		side_find_tlb(s, row->level, row->page_bytes)->latency_cycles;

	if (!above || !parameter_is_measured(&above->latency_cycles))
		return nothing();
	p.value -= above->latency_cycles.value;
	return p;
}

static struct parameter side_tlb(const struct side_result *s,
				 const struct compare_row *row, bool *missed)
{
	const struct side_tlb *t =
		side_find_tlb(s, row->level, row->page_bytes);

	if (!t)
		return side_find_tlb(s, 1, row->page_bytes) ? no_level(missed) :
							      nothing();
	switch (row->parameter) {
	case COMPARE_ENTRIES:
		return scaled(t->reach_bytes, 1 / (double)t->page_bytes);
	case COMPARE_WAYS:
		return t->ways;
	default:
		return added_cycles(s, row);
	}
}

static struct parameter side_value(const struct side_result *s,
				   const struct compare_row *row,
				   bool is_effective, bool *missed)
{
	switch (row->where) {
	case COMPARE_HIERARCHY:
		return s->levels;
	case COMPARE_CACHE:
		return side_cache(s, row, is_effective, missed);
	case COMPARE_MEMORY:
		return s->memory_latency_cycles;
	default:
		return side_tlb(s, row, missed);
	}
}

/* --- all of them ---------------------------------------------------------- */

struct parameter compare_value(const struct compare_said *said,
			       enum compare_method method,
			       const struct compare_row *row, bool *missed)
{
	const struct compare_run *run = &said->runs[method];
	struct parameter p = nothing();

	*missed = false;
	if (!run->selected)
		return not_told("this method was not selected");
	if (method == COMPARE_XRAY && said->xray)
		p = xray_value(said->xray, row, missed);
	else if (method == COMPARE_AMP && said->amp)
		p = amp_value(said->amp, row);
	else if (method >= COMPARE_COOPER &&
		 said->sides[method - COMPARE_COOPER])
		p = side_value(said->sides[method - COMPARE_COOPER], row,
			       method == COMPARE_COOPER, missed);
	if (run->complete || p.status == PARAMETER_MEASURED)
		return p;
	/* An interrupted run may lack levels that it would have found. */
	*missed = false;
	if (p.status == PARAMETER_UNAVAILABLE && run->reason[0])
		parameter_unavailable(&p, "%s", run->reason);
	return p;
}

size_t compare_caches(const struct compare_said *said)
{
	size_t most = said->xray ? said->xray->cache_count : 0;

	for (size_t i = 0; said->amp && i < said->amp->cache_count; i++)
		if ((size_t)said->amp->caches[i].level > most)
			most = (size_t)said->amp->caches[i].level;
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		if (said->sides[i] && said->sides[i]->cache_count > most)
			most = said->sides[i]->cache_count;
	return most;
}

/**
 * struct places - a sorted list without duplicates
 * @all: @count of them
 */
struct places {
	struct compare_place *all;
	size_t count;
};

static void add_place(struct places *p, uint64_t page_bytes, int level)
{
	size_t at = 0;

	while (at < p->count && (p->all[at].page_bytes < page_bytes ||
				 (p->all[at].page_bytes == page_bytes &&
				  p->all[at].level < level)))
		at++;
	if (p->count == COMPARE_PLACES ||
	    (at < p->count && p->all[at].page_bytes == page_bytes &&
	     p->all[at].level == level))
		return;
	memmove(&p->all[at + 1], &p->all[at],
		(p->count - at) * sizeof(p->all[0]));
	p->all[at] = (struct compare_place){ page_bytes, level };
	p->count++;
}

static void add_places_of_side(struct places *p, const struct side_result *s)
{
	for (size_t i = 0; i < s->tlb_count; i++) {
		int level = 1;

		for (size_t k = 0; k < i; k++)
			level += s->tlbs[k].page_bytes == s->tlbs[i].page_bytes;
		add_place(p, s->tlbs[i].page_bytes, level);
	}
}

size_t compare_tlbs(const struct compare_said *said,
		    struct compare_place places[COMPARE_PLACES])
{
	const struct hierarchy *h = said->xray;
	const struct amp_result *a = said->amp;
	struct places p = { .all = places };

	for (size_t i = 0; h && i < h->tlb_count; i++)
		if (strcmp(h->tlbs[i].type, "instruction") != 0)
			add_place(&p, h->tlbs[i].page_bytes, h->tlbs[i].level);
	for (size_t i = 0; a && i < a->tlb_count; i++)
		if (!amp_is_code(&a->tlbs[i]))
			add_place(&p, a->tlbs[i].mapped_bytes,
				  a->tlbs[i].level);
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		if (said->sides[i])
			add_places_of_side(&p, said->sides[i]);
	return p.count;
}
