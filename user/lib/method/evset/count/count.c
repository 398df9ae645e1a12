// SPDX-License-Identifier: GPL-2.0
/* count.c - how many sets a level has (algorithms: sections 2.5, 3). */

#include "method/evset/count/count.h"

#include <stdio.h>

#include "method/evset/count/pages.h"
#include "method/evset/count/rank.h"

/* Places that a set is moved to. */
#define MOVES 6
#define LINEAR_TRIES 3

/* A random distance that the window can be moved by in the arena; 0: none. */
static int64_t choose_move(const struct evset_machine *e)
{
	struct prober *p = e->x->prober;
	uint64_t before =
		(e->window.begin - p->arena_offset) / e->window.low_bytes;
	uint64_t after = (p->arena_offset + p->arena_bytes - e->window.begin -
			  e->window.bytes) /
			 e->window.low_bytes;
	uint64_t place;

	if (!before && !after)
		return 0;
	place = rng_below(&p->rng, before + after);
	return ((int64_t)place - (int64_t)before + (place >= before)) *
	       (int64_t)e->window.low_bytes;
}

/*
 * Lines that share a set modulo some number of sets still share one if all are
 * moved by the same distance. If they do not, the index is not modulo; and with
 * a number of sets that is no power of two, it is not linear.
 */
static int disprove_modulo(struct evset_machine *e, struct evset_count *c,
			   struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && c->index == INDEX_UNKNOWN && i < MOVES; i++) {
		int64_t by = choose_move(e);
		enum verdict verdict = VERDICT_UNDECIDED;
		struct evset_set moved = *c->set;

		if (!by)
			break;
		for (size_t j = 0; j < moved.count; j++)
			moved.lines[j] += (uint64_t)by;
		for (size_t j = 0; j < moved.evictor_count; j++)
			moved.evictors[j] += (uint64_t)by;
		error = evset_ask_set(&e->o, &moved, moved.lines, moved.count,
				      true, &verdict, f);
		if (verdict == VERDICT_COMPACT)
			c->index = INDEX_HASHED;
	}
	return error;
}

/* By time, address bits may fail by chance, and are fast beside the next
 * method; not so if a block may be scattered over the host.
 */
static int linear_tries(const struct evset_machine *e)
{
	if (e->window.block_bytes <= e->window.low_bytes)
		return 0;
	return xray_counter(e->x) || e->x->prober->m->virtual_machine ?
		       1 :
		       LINEAR_TRIES;
}

/* Why neither method gave a number. */
static void join_reasons(struct evset_count *c, const char *first)
{
	char second[sizeof(c->reason) / 2 - 1];

	if (!first[0])
		return;
	snprintf(second, sizeof(second), "%.*s", (int)sizeof(second) - 1,
		 c->reason);
	snprintf(c->reason, sizeof(c->reason), "%s; %s", first, second);
}

int evset_measure_sets(struct evset_machine *e, struct evset_count *c,
		       struct failure *f)
{
	char linear[sizeof(c->reason) / 2];
	int error = 0;

	c->sets = 0;
	c->reason[0] = '\0';
	for (int i = 0; !error && !c->sets && i < linear_tries(e); i++)
		error = evset_linear_sets(e, c, f);
	c->linear = !error && c->sets;
	if (error || c->sets)
		return error;
	snprintf(linear, sizeof(linear), "%.*s", (int)sizeof(linear) - 1,
		 c->reason);
	error = evset_page_sets(e, c, f);
	if (!error && !c->sets)
		join_reasons(c, linear);
	if (!error && (c->sets & (c->sets - 1)) && e->window.contiguous)
		error = disprove_modulo(e, c, f);
	return error;
}
