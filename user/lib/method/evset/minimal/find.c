// SPDX-License-Identifier: GPL-2.0
/* find.c - verified minimal sets out of a machine's memory. */
#include "method/evset/minimal/minimal.h"

#include <stdlib.h>

#include "method/evset/minimal/cluster_pools.h"
#include "method/evset/minimal/self_conflicts.h"
#include "method/evset/oracle/list_walk.h"
#include "method/evset/oracle/per_load.h"

/* Candidates. By time a single miss does not show among more of them; by
 * counter it does. In contiguous memory address bits give fewer candidates.
 */
#define MOST_BY_TIME 4096
#define MOST_BY_COUNTER 16384
#define MOST_CONTIGUOUS 2048
#define MOST_TIMED 16384
/* After this many failures in a row, self-conflicts are useless for the level's
 * policy, or under its contention.
 */
#define MOST_CONFLICT_FAILURES 16
#define ATTEMPTS 3
#define MARGIN 16
/* Bits of a cube: 2^18 lines are walked at once, at most. */
#define CUBE_BITS 18
#define LEAST_CUBE_BITS 12
/* Fewer lines may all be of one set, so that none is left to evict from the
 * levels above.
 */
#define FEW_CUBE_BITS 6
#define MOST_BITS 40
#define MISSES_MOSTLY 0.4

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t kept = *a;

	*a = *b;
	*b = kept;
}

static int cube_misses(struct evset_machine *e, uint64_t base,
		       const uint64_t *bits, size_t bit_count, uint64_t *lines,
		       bool *misses, struct failure *f)
{
	double share = 0;
	int error;

	evset_span(e, base, bits, bit_count, lines);
	error = evset_list_misses(e, lines, (size_t)1 << bit_count, 0, &share,
				  f);
	/* If the level is small, the control lines do not hit either. */
	if (!error && share <= MISSES_MOSTLY && !xray_counter(e->x))
		error = evset_list_misses_once(e, lines, (size_t)1 << bit_count,
					       &share, f);
	*misses = !error && share > MISSES_MOSTLY;
	return error;
}

/* The highest @most bits of an address in the window that can be varied. */
static size_t cube_bits(const struct evset_machine *e, uint64_t *bits,
			size_t most)
{
	size_t n = 0;

	for (uint64_t b = e->window.bytes / 2;
	     b >= e->window.low_bytes && n < most; b /= 2)
		bits[n++] = b;
	return n;
}

/* Few bits, or more of them if these do not overflow a set. */
static int smallest_cube(struct evset_machine *e, uint64_t base, uint64_t *bits,
			 size_t *bit_count, uint64_t *lines, bool *misses,
			 struct failure *f)
{
	int error = 0;

	for (size_t most = LEAST_CUBE_BITS;
	     !error && !*misses && most <= CUBE_BITS; most++) {
		*bit_count = cube_bits(e, bits, most);
		if (*bit_count < most)
			break;
		error = cube_misses(e, base, bits, most, lines, misses, f);
	}
	return error;
}

/*
 * Lines that differ in all combinations of some address bits fall into sets
 * evenly, if the index is linear over GF(2): all of them miss or none. A bit
 * that only distinguishes sets can be dropped.
 */
static int cube_candidates(struct evset_machine *e, uint64_t **lines,
			   size_t *count, struct failure *f)
{
	struct rng *rng = &e->x->prober->rng;
	uint64_t bits[MOST_BITS];
	size_t n = 0, all;
	uint64_t base =
		e->window.begin + rng_below(rng, e->window.bytes / 1024) * 1024;
	bool misses = false;
	int error;

	*count = 0;
	*lines = calloc((size_t)1 << CUBE_BITS, sizeof(**lines));
	if (!*lines)
		return prober_out_of_memory(f);
	error = smallest_cube(e, base, bits, &n, *lines, &misses, f);
	all = n;
	for (size_t i = n; i > 1; i--)
		swap(&bits[i - 1], &bits[rng_below(rng, i)]);
	for (size_t i = n; !error && misses && i-- > 0;) {
		bool still = false;

		/* The one to drop comes last. */
		swap(&bits[i], &bits[n - 1]);
		if ((size_t)1 << (n - 1) < e->o.upper_evictors)
			break;
		error = cube_misses(e, base, bits, n - 1, *lines, &still, f);
		n -= still;
	}
	if (error || !misses)
		return error;
	/* The bits that were dropped last come next. */
	while (n < all && n < FEW_CUBE_BITS)
		n++;
	evset_span(e, base, bits, n, *lines);
	*count = (size_t)1 << n;
	return 0;
}

static bool may_use_conflicts(const struct evset_machine *e)
{
	return !e->search.pools && !e->window.contiguous &&
	       e->o.upper_evictors > 1 &&
	       e->search.conflict_failures < MOST_CONFLICT_FAILURES &&
	       evset_per_load_possible(e);
}

/* A set out of candidates that conflict with each other. */
static int find_by_conflicts(struct evset_machine *e, struct evset_set *set,
			     struct failure *f)
{
	uint64_t *lines = NULL;
	size_t count = 0;
	int error = evset_candidates(e, MOST_TIMED, &lines, &count, f);

	if (!error)
		error = evset_self_conflicts(e, lines, count, set, f);
	free(lines);
	return error;
}

/* Candidates of which some prefix is not compact; *prefix 0: none is. */
static int gather(struct evset_machine *e, uint64_t **lines, size_t *prefix,
		  struct failure *f)
{
	size_t most = e->window.contiguous ? MOST_CONTIGUOUS :
		      xray_counter(e->x)   ? MOST_BY_COUNTER :
					     MOST_BY_TIME;
	struct sequence s;
	size_t count = 0;
	int error;

	*prefix = 0;
	if (e->search.cubes) {
		error = cube_candidates(e, lines, &count, f);
		s = (struct sequence){ *lines, count };
		if (!error)
			sequence_shuffle(&s, &e->x->prober->rng);
	} else {
		error = evset_candidates(e, most, lines, &count, f);
	}
	if (!error && count > e->o.upper_evictors)
		error = evset_overflow(&e->o, *lines, count,
				       e->o.upper_evictors, prefix, f);
	/* A shortest prefix that is just slow enough may not be slow again. */
	if (*prefix && !xray_counter(e->x))
		*prefix += *prefix / MARGIN;
	if (*prefix > count)
		*prefix = count;
	return error;
}

/* A set to be verified; *overflows: some list did. @by_conflicts: out of
 * candidates that conflict with each other.
 */
static int find_once(struct evset_machine *e, bool by_conflicts,
		     struct evset_set *set, bool *overflows, struct failure *f)
{
	uint64_t *lines = NULL;
	size_t prefix = 0;
	int error;

	if (e->search.pools || by_conflicts) {
		error = by_conflicts ? find_by_conflicts(e, set, f) :
				       evset_cluster_pools_find(e, set, f);
		*overflows = set->count;
		return error;
	}
	error = gather(e, &lines, &prefix, f);
	if (!error && prefix)
		error = evset_reduce(&e->o, lines, prefix, set, f);
	*overflows = prefix;
	free(lines);
	return error;
}

/* What is done another way from now on may give sets. */
static void count_failure(struct evset_machine *e,
			  const struct evset_search *before, bool conflicts,
			  bool found)
{
	if (found || before->cubes != e->search.cubes ||
	    before->pools != e->search.pools ||
	    conflicts != may_use_conflicts(e))
		e->search.failures = 0;
	else
		e->search.failures++;
}

int evset_find(struct evset_machine *e, struct evset_set *set,
	       struct failure *f)
{
	const struct evset_search before = e->search;
	const bool conflicts = may_use_conflicts(e);
	int error = 0;

	set->count = 0;
	e->effort.warmup_factor = 1;
	for (int i = 0; !error && !set->count && i < ATTEMPTS; i++) {
		const bool by_conflicts = may_use_conflicts(e);
		enum outcome outcome = OUTCOME_OPEN;
		bool overflows = false;

		error = find_once(e, by_conflicts, set, &overflows, f);
		if (!error && set->count)
			error = evset_verify(&e->o, set, &outcome, f);
		if (outcome != OUTCOME_DECIDED)
			set->count = 0;
		if (set->count && by_conflicts)
			e->search.conflict_failures = 0;
		if (!error)
			evset_cluster_pools_judge(e, set->count);
		/* The policy may need longer to settle, or contention makes
		 * lists miss that fit.
		 */
		e->effort.warmup_factor *= 4;
		e->effort.samples_required =
			e->effort.samples_required ?
				2 * e->effort.samples_required :
				2;
		/* Too many sets for chance to overfill one. */
		if (!error && !overflows && !e->search.cubes &&
		    e->window.contiguous)
			e->search.cubes = true;
	}
	count_failure(e, &before, conflicts, set->count);
	e->effort.warmup_factor = 1;
	e->effort.samples_required = 0;
	return error;
}
