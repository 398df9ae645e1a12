// SPDX-License-Identifier: GPL-2.0
/* count.c - how many sets a level has (algorithms: sections 2.5, 3). */

#include "method/evset/count/count.h"

#include <stdio.h>

#include "method/evset/count/pages.h"
#include "method/evset/count/rank.h"

/* Places that a set is moved to. */
#define MOVES 6
#define LINEAR_TRIES 3

/* Both have said why. */
static void join_reasons(char *reason, size_t size, const char *second)
{
	char first[128];

	snprintf(first, sizeof(first), "%s", reason);
	snprintf(reason, size, "%s%s%s", first, first[0] ? "; " : "", second);
}

/* How far the window can be moved in the arena, at random; 0: not at all. */
static int64_t choose_move(const struct evset_machine *e)
{
	struct prober *p = e->x->prober;
	uint64_t before = (e->window - p->arena_offset) / e->low_bytes;
	uint64_t after = (p->arena_offset + p->arena_bytes - e->window -
			  e->window_bytes) /
			 e->low_bytes;
	uint64_t place;

	if (!before && !after)
		return 0;
	place = rng_below(&p->rng, before + after);
	return ((int64_t)place - (int64_t)before + (place >= before)) *
	       (int64_t)e->low_bytes;
}

/*
 * Lines that share a set modulo some number of sets share one wherever they are
 * moved together. Where they do not, the index is neither that nor linear, if
 * the number of sets is no power of two.
 */
static int disprove_modulo(struct evset_machine *e, const struct evset_set *set,
			   enum index_kind *index, struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && *index == INDEX_UNKNOWN && i < MOVES; i++) {
		int64_t by = choose_move(e);
		enum verdict verdict = VERDICT_UNDECIDED;
		struct evset_set moved = *set;

		if (!by)
			break;
		for (size_t j = 0; j < set->count; j++)
			moved.lines[j] += (uint64_t)by;
		for (size_t j = 0; j < set->padding_count; j++)
			moved.padding[j] += (uint64_t)by;
		error = evset_ask_set(&e->o, &moved, moved.lines, moved.count,
				      true, &verdict, f);
		if (verdict == VERDICT_COMPACT)
			*index = INDEX_HASHED;
	}
	return error;
}

/* By time address bits may fail by chance, and are cheap beside what comes then;
 * not so where a block may be scattered over the host.
 */
static int linear_tries(const struct evset_machine *e)
{
	if (e->block_bytes <= e->low_bytes)
		return 0;
	return xray_counter(e->x) || e->x->prober->m->virtual_machine ?
		       1 :
		       LINEAR_TRIES;
}

int evset_measure_sets(struct evset_machine *e, const struct evset_set *set,
		       uint64_t line_bytes, uint64_t *sets,
		       enum index_kind *index, char *reason, size_t size,
		       struct failure *f)
{
	char second[128] = "";
	int error = 0;

	*sets = 0;
	*index = INDEX_UNKNOWN;
	for (int i = 0; !error && !*sets && i < linear_tries(e); i++)
		error = evset_linear_sets(e, set, line_bytes, sets, index,
					  reason, size, f);
	e->linear = !error && *sets;
	if (error || *sets)
		return error;
	error = evset_page_sets(e, set, line_bytes, sets, index, second,
				sizeof(second), f);
	if (!error && !*sets)
		join_reasons(reason, size, second);
	if (!error && *sets && (*sets & (*sets - 1)) && e->contiguous)
		error = disprove_modulo(e, set, index, f);
	return error;
}
