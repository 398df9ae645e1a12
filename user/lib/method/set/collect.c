// SPDX-License-Identifier: GPL-2.0
#include "method/set/collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/evset/members.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/oracle/miss_penalty.h"
#include "method/set/members.h"
#include "method/set/tuning.h"

/* Least lines of the set, per way: fewer allow no question. */
#define LEAST_PER_WAY 3
/* Share of the other sets' room that clearing lines may take. */
#define CLEAR_SHARE 0.75
#define CLEAR_TIMES 2

/**
 * struct collector - a collection under way
 * @e: the level, as eviction sets see it
 * @x: the level, with the levels above
 * @above: the levels above
 * @result: what was measured of the level
 * @window: offset of the memory that candidates may come from, @window_bytes
 *          long, at physical address @phys
 * @part_bytes: length of the part that they do come from
 * @set: the current minimal eviction set
 * @candidates: lines of the window that share the sets of the levels above with
 *              it
 * @candidate_count: their number
 * @why: why the last try failed
 */
struct collector {
	struct evset_machine e;
	struct xray x;
	struct xray_level above[RESULT_MAX_LEVELS];
	const struct cache_result *result;
	uint64_t window;
	uint64_t window_bytes;
	uint64_t phys;
	uint64_t part_bytes;
	struct evset_set set;
	uint64_t *candidates;
	size_t candidate_count;
	const char *why;
};

static size_t ways_of(const struct cache_result *c)
{
	return (size_t)c->ways.value;
}

static struct xray_level above_of(const struct cache_result *c)
{
	const struct parameter *ways = &c->ways;

	if (parameter_is_measured(&c->effective_ways) &&
	    c->effective_ways.value > ways->value)
		ways = &c->effective_ways;
	return (struct xray_level){
		.ways = (size_t)ways->value,
		.way_bytes =
			(uint64_t)(c->capacity_bytes.value / c->ways.value),
		.line_bytes = (uint64_t)c->line_bytes.value,
		.own = ways_of(c),
		.clearing = c->clearing_lines,
	};
}

/* A part of the whole window, anywhere in it. */
static void choose_part(struct collector *c)
{
	struct evset_machine *e = &c->e;
	const struct region *r = &e->x->prober->m->region;
	uint64_t step = c->part_bytes;

	e->window.begin = c->window;
	e->window.phys = c->phys;
	e->window.bytes = c->part_bytes;
	e->search.cubes = false;
	if (!e->window.contiguous && r->page_bytes >= e->window.low_bytes)
		step = r->page_bytes;
	step *= rng_below(&e->x->prober->rng,
			  (c->window_bytes - c->part_bytes) / step + 1);
	e->window.begin += step;
	if (e->window.contiguous) {
		e->window.phys += step;
		e->window.block_bytes = c->part_bytes;
	}
}

static void choose_window(struct collector *c)
{
	const struct parameter *bytes = &c->result->capacity_bytes;

	c->window = c->e.window.begin;
	c->window_bytes = c->part_bytes = c->e.window.bytes;
	c->phys = c->e.window.phys;
	if (!parameter_is_measured(bytes))
		return;
	while (c->part_bytes > LEAST_WINDOW_BYTES &&
	       c->part_bytes >= 2 * WINDOW_PER_CAPACITY * bytes->value)
		c->part_bytes /= 2;
	choose_part(c);
}

/*
 * An index may map all lines of a part to different sets. Return: false: there
 * is no larger part.
 */
static bool widen(struct collector *c)
{
	if (c->part_bytes == c->window_bytes)
		return false;
	c->part_bytes *= 2;
	if (c->part_bytes > c->window_bytes)
		c->part_bytes = c->window_bytes;
	choose_part(c);
	return true;
}

/* Return: 0, or -errno; @c->why when it cannot be. */
static int begin(struct collector *c, struct prober *p,
		 const struct hierarchy *h, size_t level, struct failure *f)
{
	enum outcome slow = OUTCOME_OPEN;
	bool possible;
	uint64_t *lines = NULL;
	size_t count = 0;
	int error;

	c->result = &h->caches[level - 1];
	for (size_t i = 0; i + 1 < level; i++)
		c->above[i] = above_of(&h->caches[i]);
	xray_prepare(&c->x, p, c->above, level - 1);
	error = prober_time(p, &c->x.reference.control, 0, &c->x.hit_ticks, f);
	if (!error)
		error = xray_choose_counter(&c->x, f);
	if (error)
		return error;
	evset_machine_begin(&c->e, &c->x, &possible);
	if (!possible) {
		c->why =
			"pages are too short, or sets of the levels above too odd, for lines that share those";
		return 0;
	}
	error = evset_candidates(&c->e, SIZE_MAX, &lines, &count, f);
	if (!error)
		error = evset_miss_penalty(&c->e, lines, count, &slow, f);
	free(lines);
	choose_window(c);
	if (!error && slow != OUTCOME_DECIDED)
		c->why = "no number of lines is slow";
	return error;
}

/* All lines of the window that share the sets above with the minimal set. */
static int list_candidates(struct collector *c, struct failure *f)
{
	const struct evset_window *w = &c->e.window;
	struct sequence s;
	int error;

	free(c->candidates);
	error = evset_places(&c->e, (c->set.lines[0] - w->begin) % w->low_bytes,
			     0, w->bytes / w->low_bytes, &s, f);
	c->candidates = s.offsets;
	c->candidate_count = s.length;
	return error;
}

/*
 * More lines than ways that all share a set of the level above, too: an
 * exclusive level has room for those that are up there, whatever the policies
 * are; any other one that lets them in has not.
 */
static int takes_victims(struct collector *c, const struct set_lines *l,
			 enum verdict *takes, struct failure *f)
{
	size_t above =
		c->x.upper_count ? c->x.upper[c->x.upper_count - 1].ways : 0;
	size_t count = l->ways + (3 * above + 3) / 4;

	*takes = VERDICT_UNDECIDED;
	if (above && count > l->tested_count)
		return 0;
	*takes = VERDICT_NON_COMPACT;
	if (above && !parameter_is_measured(&c->result->effective_ways))
		return evset_ask(&c->e.o, l->tested, count, true, takes, f);
	return 0;
}

static int collect_tested(struct collector *c, struct set_members *s,
			  struct set_lines *l, enum outcome *outcome,
			  struct failure *f)
{
	const struct index_function *known = &c->result->function;
	enum verdict takes = VERDICT_UNDECIDED;
	int error;

	*outcome = OUTCOME_OPEN;
	evset_allow(&c->e);
	error = evset_collect(&c->e, &c->set, known, l->tested,
			      SET_LINES_PER_WAY * (size_t)l->ways,
			      &l->tested_count, f);
	evset_allow(&c->e);
	if (!error)
		error = set_members_confirm(s, l->tested, &l->tested_count, f);
	if (error)
		return error;
	if (l->tested_count < LEAST_PER_WAY * (size_t)l->ways) {
		c->why =
			"too little memory for enough lines of one set (free some)";
		return 0;
	}
	error = set_members_check(s, l->tested, l->tested_count, outcome, f);
	if (!error && *outcome != OUTCOME_DECIDED)
		c->why =
			"lines that seemed to share a set did not when they were checked: too disturbed (run it when the machine is quiet)";
	if (!error && *outcome == OUTCOME_DECIDED)
		error = takes_victims(c, l, &takes, f);
	if (!error && *outcome == OUTCOME_DECIDED &&
	    takes != VERDICT_NON_COMPACT) {
		*outcome = OUTCOME_OPEN;
		c->why =
			"levels above may add to it, so what a visit does there is not known";
	}
	return error;
}

/* As many as the other sets have room for, with some to spare. */
static size_t most_clearing(const struct collector *c,
			    const struct set_lines *l)
{
	const struct parameter *bytes = &c->result->capacity_bytes;
	double most = MOST_CLEARING;

	if (parameter_is_measured(bytes))
		most = CLEAR_SHARE *
		       (bytes->value / (double)c->e.window.low_bytes - l->ways);
	return most < 0		    ? 0 :
	       most > MOST_CLEARING ? MOST_CLEARING :
				      (size_t)most;
}

static int collect_clearing(struct collector *c, struct set_members *s,
			    struct set_lines *l, enum outcome *outcome,
			    struct failure *f)
{
	size_t most = most_clearing(c, l);
	int error;

	if (most < c->set.evictor_count)
		most = c->set.evictor_count;
	l->clearing =
		calloc(most + 1 + EVSET_MOST_EVICTORS, sizeof(*l->clearing));
	if (!l->clearing)
		return prober_out_of_memory(f);
	evset_allow(&c->e);
	error = set_members_clear(s, l->tested, l->tested_count, c->candidates,
				  c->candidate_count, l->clearing, most,
				  &l->clearing_count, f);
	*outcome = outcome_if(l->clearing_count >= CLEAR_TIMES * l->between,
			      OUTCOME_OPEN);
	if (!error && *outcome != OUTCOME_DECIDED)
		c->why =
			"too few lines were found that clear the levels above and fit here with it";
	return error;
}

static int try_set(struct collector *c, struct set_lines *l,
		   enum outcome *outcome, struct failure *f)
{
	struct set_members s = { .o = &c->e.o,
				 .set = &c->set,
				 .rng = &c->x.prober->rng };
	int error;

	*outcome = OUTCOME_OPEN;
	set_lines_free(l);
	evset_allow(&c->e);
	error = evset_find(&c->e, &c->set, f);
	if (error || c->set.count != ways_of(c->result) + 1) {
		c->why =
			c->set.count ?
				"eviction sets have fewer lines than it has ways: others keep lines there" :
				"no eviction set passed its controls";
		return error;
	}
	*l = (struct set_lines){
		.words = (size_t)c->result->line_bytes.value / sizeof(uint64_t),
		.ways = (unsigned int)ways_of(c->result),
		.between = set_lines_between(c->x.upper, c->x.upper_count),
	};
	l->tested =
		calloc(SET_LINES_PER_WAY * (size_t)l->ways, sizeof(*l->tested));
	if (!l->tested)
		return prober_out_of_memory(f);
	error = list_candidates(c, f);
	if (!error)
		error = collect_tested(c, &s, l, outcome, f);
	if (!error && *outcome == OUTCOME_DECIDED && c->x.upper_count)
		error = collect_clearing(c, &s, l, outcome, f);
	return error;
}

static int try_sets(struct collector *c, struct set_lines *l, struct failure *f)
{
	struct machine *m = c->x.prober->m;
	enum outcome outcome = OUTCOME_OPEN;
	int tries = 0;

	while (outcome != OUTCOME_DECIDED && tries < COLLECT_TRIES) {
		int error = try_set(c, l, &outcome, f);

		if (error && error != -EAGAIN)
			return error;
		if (error) {
			outcome = OUTCOME_OPEN;
			c->why =
				"too noisy to go on (run it when the machine is quiet)";
		}
		if (outcome != OUTCOME_DECIDED)
			m->ops->pause(m, COLLECT_APART_MS);
		if (++tries == TRIES_OF_PART && outcome != OUTCOME_DECIDED &&
		    widen(c))
			tries = 0;
	}
	if (outcome == OUTCOME_DECIDED)
		c->why = NULL;
	else
		set_lines_free(l);
	return 0;
}

int set_collect(struct set_lines *lines, struct prober *p,
		const struct hierarchy *h, size_t level, char *why, size_t size,
		struct failure *f)
{
	struct collector *c = calloc(1, sizeof(*c));
	int error;

	*lines = (struct set_lines){ .tested = NULL };
	why[0] = '\0';
	if (!c)
		return prober_out_of_memory(f);
	prober_progress(p, "L%zu: lines of one set", level);
	error = begin(c, p, h, level, f);
	if (!error && !c->why)
		error = try_sets(c, lines, f);
	if (error == -ERANGE || error == -EAGAIN) {
		c->why =
			error == -ERANGE ?
				"too little memory (free some)" :
				"too noisy to go on (run it when the machine is quiet)";
		error = 0;
	}
	if (!error && c->why)
		snprintf(why, size, "%s", c->why);
	free(c->candidates);
	free(c);
	return error;
}
