// SPDX-License-Identifier: GPL-2.0
/*
 * bench_evset.c - what a minimal set costs of an oracle that knows, beside
 * published costs of searches for the set of a given line among 3 U A random
 * candidates. Ours is one of any set, which overflows earlier.
 */
#include <errno.h>
#include <stdio.h>

#include "../unit/evset_ideal.h"
#include "bench.h"

#define SEEDS 20
#define MOST_OVER 1.2

/* Ideal LRU oracle, N = 3 U A, means of 5: last straw as Zhao et al. */
static const struct published {
	size_t ways, classes;
	double tests, accesses;
} published[] = {
	{ 8, 8, 44, 2.1e3 },   { 16, 8, 100, 8.1e3 },	{ 16, 64, 146, 81e3 },
	{ 12, 64, 107, 47e3 }, { 16, 512, 190, 740e3 }, { 11, 896, 136, 630e3 },
};

static int find(size_t ways, size_t classes, uint64_t seed, double *tests,
		double *accesses, struct failure *f)
{
	struct evset_set set = { .count = 0 };
	size_t prefix = 0;
	struct ideal i;
	int error;

	ideal_begin(&i, ways, classes, 3 * ways * classes, 0, seed);
	error = evset_overflow(&i.o, i.lines, i.count, 0, &prefix, f);
	if (!error && prefix)
		error = evset_reduce(&i.o, i.lines, prefix, &set, f);
	*tests += (double)i.o.tests / SEEDS;
	*accesses += (double)i.o.accesses / SEEDS;
	ideal_end(&i);
	if (!error && set.count != ways + 1)
		error = fail(f, STATUS_FAILED, EINVAL,
			     "bench: no minimal set of %zu lines was found",
			     ways + 1);
	return error;
}

int bench_evset(struct failure *f)
{
	int error = 0;
	bool good = true;

	printf("\nan eviction set of A + 1 lines among U classes, last straw; means\n%4s %5s %8s %10s %10s %12s\n",
	       "A", "U", "tests", "published", "accesses", "published");
	for (size_t k = 0; k < sizeof(published) / sizeof(published[0]); k++) {
		const struct published *p = &published[k];
		double tests = 0, accesses = 0;

		for (uint64_t seed = 1; !error && seed <= SEEDS; seed++)
			error = find(p->ways, p->classes, seed, &tests,
				     &accesses, f);
		if (error)
			return error;
		printf("%4zu %5zu %8.0f %10.0f %10.0f %12.0f\n", p->ways,
		       p->classes, tests, p->tests, accesses, p->accesses);
		if (p->ways == 16 && p->classes == 64)
			good = tests <= MOST_OVER * p->tests &&
			       accesses <= MOST_OVER * p->accesses;
	}
	if (!good)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"bench: an eviction set costs more than %.1f times what is published",
			MOST_OVER);
	return 0;
}
