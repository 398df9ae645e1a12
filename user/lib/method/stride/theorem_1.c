// SPDX-License-Identifier: GPL-2.0
/* theorem_1.c - Theorem 1 around an answer. */
#include <stdio.h>
#include <string.h>

#include "method/level/xor_copies.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"

/* More lines need more translations than the smallest TLBs have. */
#define MOST_SPREAD 64

static void against_theorem(struct xray_geometry *g, uint64_t stride,
			    size_t count, enum verdict wanted)
{
	g->hashed = true;
	snprintf(
		g->reason, sizeof(g->reason),
		"index is hashed, or the machine too noisy: %zu lines %llu bytes apart are %s, against Theorem 1 for %zu ways of %llu bytes",
		count, (unsigned long long)stride,
		wanted == VERDICT_COMPACT ? "not compact" : "compact",
		g->level.ways, (unsigned long long)g->level.way_bytes);
}

/* Expects a verdict; g->found is false with g->reason set otherwise. */
static int expect_of(struct xray *x, const struct shape *w, enum verdict wanted,
		     struct xray_geometry *g, struct failure *f)
{
	enum verdict verdict;
	struct evidence e;
	int error;

	if (!g->found || w->stride < XRAY_LEAST_STRIDE)
		return 0;
	error = xray_compact_shape(x, w, &verdict, &e, f);
	if (error || verdict == wanted)
		return error;
	g->found = false;
	if (verdict == VERDICT_UNDECIDED) {
		xray_say_undecided(g, &e, w->stride, w->outer);
		return 0;
	}
	against_theorem(g, w->stride, w->outer, wanted);
	return 0;
}

static int expect(struct xray *x, uint64_t stride, size_t count,
		  enum verdict wanted, struct xray_geometry *g,
		  struct failure *f)
{
	struct shape w = xray_shape(x, stride, count);

	return expect_of(x, &w, wanted, g, f);
}

/* Copies that differ just below the way would share sets of half of it, which
 * look like a way twice as long. Copies of lower bits would not.
 */
static int verify_copies(struct xray *x, struct xray_geometry *g,
			 struct failure *f)
{
	size_t more = g->level.ways + 1;
	struct shape w = xray_shape(x, g->level.way_bytes, more);
	struct shape lower = xray_shape(x, g->level.way_bytes / 2, more);

	if (!xray_is_below_hashed(x) || lower.folds.count != w.folds.count ||
	    !memcmp(lower.folds.vectors, w.folds.vectors,
		    w.folds.count * sizeof(w.folds.vectors[0])))
		return 0;
	lower.stride = w.stride;
	return expect_of(x, &lower, VERDICT_NON_COMPACT, g, f);
}

/* A power-of-two stride takes turns in m sets of a cache that has m * 2^k of
 * them, so that it seems to have m times the ways. At m times the stride the
 * lines share one set, where a linear index by bits would keep them apart. Where m is no
 * prime, its factors show one after the other.
 */
static int find_modulo(struct xray *x, struct xray_geometry *g,
		       struct failure *f)
{
	for (size_t m = 3; g->found && m <= g->level.ways; m += 2) {
		const size_t a = g->level.ways;
		uint64_t stride = m * g->level.way_bytes;
		enum verdict verdict;
		struct evidence e;
		int error;

		if (a % m)
			continue;
		error = xray_compact(x, stride, a / m + 1, &verdict, &e, f);
		if (error)
			return error;
		if (verdict == VERDICT_UNDECIDED) {
			xray_say_undecided(g, &e, stride, a / m + 1);
			g->found = false;
		}
		if (verdict == VERDICT_NON_COMPACT) {
			g->level.ways = a / m;
			g->level.way_bytes = stride;
			g->modulo = true;
			m -= 2;
		}
	}
	return 0;
}

/*
 * All the way down: k times as many lines at T / k share the sets evenly. Most of
 * them hit, whatever the tool itself has in some of the sets. They do not where
 * few lines of the level below hold some here (an inclusive one that gives new
 * lines the place which it takes next), or where an index folds bits that T leaves
 * out: then T is too large. Rows of copies that cross are no such lines; the test of the whole
 * capacity follows in any case.
 */
static int verify_spread(struct xray *x, struct xray_geometry *g,
			 struct failure *f)
{
	for (size_t k = 4; g->found && k * g->level.ways <= MOST_SPREAD;
	     k *= 2) {
		uint64_t stride = g->level.way_bytes / k;
		struct shape w = xray_shape(x, stride, k * g->level.ways);
		enum outcome fits;
		int error;

		if (stride < XRAY_LEAST_STRIDE)
			return 0;
		if (shape_reach(&w) >= stride)
			continue;
		error = xray_fits(x, &w, &fits, f);
		if (error)
			return error;
		g->found = fits == OUTCOME_DECIDED;
		if (!g->found)
			against_theorem(g, stride, k * g->level.ways,
					VERDICT_COMPACT);
	}
	return 0;
}

/* Twice as many lines at T / 2, and one more puts A + 1 into one set. In an
 * exclusive hierarchy the two sets share what is above them.
 */
static int verify_half(struct xray *x, struct xray_geometry *g,
		       struct failure *f)
{
	size_t a = g->level.ways;
	uint64_t t = g->level.way_bytes, longest = 0;
	int error = 0;

	for (size_t j = 0; j < x->upper_count; j++) {
		g->nested |= x->upper[j].way_bytes == t;
		if (x->upper[j].way_bytes > longest)
			longest = x->upper[j].way_bytes;
	}
	g->level.own = g->nested ? 0 : a;
	if (g->found && g->nested && longest == t && !xray_is_below_hashed(x)) {
		error = xray_find_shorter_way(x, g, f);
		a = g->level.ways;
		t = g->level.way_bytes;
	}
	if (xray_is_below_hashed(x)) {
		g->nested = false;
		g->level.own = a;
		if (g->found)
			error = xray_takes_victims(x, &g->level, &g->takes, f);
	} else if (g->found && x->upper_count && longest <= t / 2)
		error = xray_count_own(x, g, longest, f);
	if (error || !g->found || t / 2 < XRAY_LEAST_STRIDE ||
	    (g->level.own && g->level.own < a && longest <= t))
		return error;
	error = expect(x, t / 2, 2 * a, VERDICT_COMPACT, g, f);
	if (!error)
		error = expect(x, t / 2, 2 * a + 1, VERDICT_NON_COMPACT, g, f);
	return error ? error : verify_spread(x, g, f);
}

/*
 * Whole ways apart, lines share a set whatever the multiple. A hash of higher
 * address bits may deal out powers of two evenly, but not odd multiples, too.
 */
static int verify_multiples(struct xray *x, struct xray_geometry *g,
			    struct failure *f)
{
	size_t a = g->level.ways;
	uint64_t multiples[] = { 3, 5 + 2 * rng_below(&x->prober->rng, 5) };

	for (int i = 0; i < 2; i++) {
		uint64_t stride = multiples[i] * g->level.way_bytes;
		int error;

		if ((a + 1) * stride > x->prober->arena_bytes)
			continue;
		error = expect(x, stride, a, VERDICT_COMPACT, g, f);
		if (!error)
			error = expect(x, stride, a + 1, VERDICT_NON_COMPACT, g,
				       f);
		if (error)
			return error;
	}
	return 0;
}

/* Bits of an address select one of 2^k sets, whose lines are a power of two apart. */
static bool is_by_bits(uint64_t way_bytes)
{
	return !(way_bytes & (way_bytes - 1));
}

/* Theorem 2: what A + 1 lines say rests on copies that do not come round in T. */
static void check_copies(const struct xray *x, struct xray_geometry *g)
{
	const struct xray_level *level = &g->level;
	const struct shape w = xray_shape(x, level->way_bytes, level->ways + 1);

	if (!g->found || xray_is_below_hashed(x) || w.inner < 2 ||
	    shape_reach(&w) < level->way_bytes)
		return;
	g->found = false;
	g->unclear = true;
	snprintf(
		g->reason, sizeof(g->reason),
		"%zu lines that miss above need %zu copies, which come round in %llu bytes: the level holds too little more than those above",
		level->ways + 1, w.inner, (unsigned long long)level->way_bytes);
}

int xray_verify(struct xray *x, struct xray_geometry *g, struct failure *f)
{
	size_t a;
	uint64_t t;
	int error;

	g->found = true;
	error = find_modulo(x, g, f);
	a = g->level.ways;
	t = g->level.way_bytes;
	/* An odd multiple of a stride may have shown it before any power of two. */
	g->modulo |= !is_by_bits(t);
	if (!error)
		check_copies(x, g);
	if (!error)
		error = expect(x, t, a, VERDICT_COMPACT, g, f);
	if (!error)
		error = expect(x, t, a + 1, VERDICT_NON_COMPACT, g, f);
	if (!error && g->found)
		error = verify_copies(x, g, f);
	if (!error)
		error = expect(x, 2 * t, a, VERDICT_COMPACT, g, f);
	if (!error && x->upper_count)
		error = verify_multiples(x, g, f);
	if (!error)
		error = verify_half(x, g, f);
	g->found &= !error;
	return error;
}
