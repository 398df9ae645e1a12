// SPDX-License-Identifier: GPL-2.0
/*
 * bench_evset.c - the cost of a minimal set with an oracle that never errs,
 * beside published costs of searches for the set of a given line among 3 U A
 * random candidates, and its growth with their number. Our search is for any
 * set, which overflows earlier, and it proves that each line of the set is
 * needed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "method/evset/evset_ideal.h"

#define SEEDS 20
#define MOST_OVER 1.2
/* Candidates beyond those that overflow are never walked. */
#define MOST_POOL 16
#define MOST_POOL_GROWTH 0.05
/* Table row of 16 ways and 64 sets, and its neighbours with fewer and more. */
#define FEW_SETS 1
#define SOME_SETS 2
#define MANY_SETS 4

/**
 * struct cost - of one eviction set, mean
 * @tests: lists that the oracle was given
 * @accesses: lines of all of them
 */
struct cost {
	double tests;
	double accesses;
};

/* Ideal LRU oracle, N = 3 U A, means of 5: last straw as Zhao et al.
 * (algorithms, section 2.2).
 */
static const struct published {
	size_t ways, classes;
	struct cost cost;
} published[] = {
	{ 8, 8, { 44, 2.1e3 } },     { 16, 8, { 100, 8.1e3 } },
	{ 16, 64, { 146, 81e3 } },   { 12, 64, { 107, 47e3 } },
	{ 16, 512, { 190, 740e3 } }, { 11, 896, { 136, 630e3 } },
};
#define ROWS (sizeof(published) / sizeof(published[0]))

static int find(const struct published *p, size_t pool, uint64_t seed,
		struct cost *c, struct failure *f)
{
	struct evset_set set = { .count = 0 };
	size_t prefix = 0;
	struct ideal i;
	int error;

	ideal_begin(&i, p->ways, p->classes, pool, 0, seed);
	error = evset_overflow(&i.o, i.lines, i.count, 0, &prefix, f);
	if (!error && prefix)
		error = evset_reduce(&i.o, i.lines, prefix, &set, f);
	c->tests += (double)i.o.tests / SEEDS;
	c->accesses += (double)i.o.accesses / SEEDS;
	ideal_end(&i);
	if (!error && set.count != p->ways + 1)
		error = fail(f, STATUS_FAILED, EINVAL,
			     "bench: no minimal set of %zu lines was found",
			     p->ways + 1);
	return error;
}

/* @times: candidates divided by the published number. */
static int measure(const struct published *p, size_t times, struct cost *c,
		   struct failure *f)
{
	int error = 0;

	*c = (struct cost){ 0, 0 };
	for (uint64_t seed = 1; !error && seed <= SEEDS; seed++)
		error = find(p, times * 3 * p->ways * p->classes, seed, c, f);
	return error;
}

int bench_evset_accesses(double *ours, double *best, struct failure *f)
{
	struct cost c;
	int error = measure(&published[SOME_SETS], 1, &c, f);

	*ours = c.accesses;
	*best = published[SOME_SETS].cost.accesses;
	return error;
}

/* Return: whether both ratios are small enough. */
static bool print_row(const struct published *p, const struct cost *c)
{
	double tests = c->tests / p->cost.tests;
	double accesses = c->accesses / p->cost.accesses;

	printf("%4zu %5zu %8.0f %8.0f %6.2f %10.0f %10.0f %6.2f\n", p->ways,
	       p->classes, c->tests, p->cost.tests, tests, c->accesses,
	       p->cost.accesses, accesses);
	return tests <= MOST_OVER && accesses <= MOST_OVER;
}

/*
 * Exponent of the cost as a power of the number of candidates, from the costs
 * at a number and at a multiple of it. Least squares of three points give the
 * same if the second is half way.
 */
static double exponent(double small, double large, double times)
{
	return log(large / small) / log(times);
}

static void print_growth(const char *what, double times,
			 const struct cost *small, const struct cost *large)
{
	printf("%-46s %6.2f %10.2f\n", what,
	       exponent(small->tests, large->tests, times),
	       exponent(small->accesses, large->accesses, times));
}

static int check_growth(const struct cost *rows, struct failure *f)
{
	const struct published *few = &published[FEW_SETS];
	const struct published *many = &published[MANY_SETS];
	const struct cost *some = &rows[SOME_SETS];
	double times = (double)many->classes / (double)few->classes, ours;
	struct cost more;
	int error = measure(&published[SOME_SETS], MOST_POOL, &more, f);

	if (error)
		return error;
	printf("\nexponents of their growth with the pool         tests   accesses\n");
	print_growth("as many more sets, 16 ways, published", times, &few->cost,
		     &many->cost);
	print_growth("as many more sets, 16 ways, ours", times, &rows[FEW_SETS],
		     &rows[MANY_SETS]);
	print_growth("as many sets, 16 times the candidates, ours", MOST_POOL,
		     some, &more);
	ours = exponent(rows[FEW_SETS].accesses, rows[MANY_SETS].accesses,
			times);
	if (ours > exponent(few->cost.accesses, many->cost.accesses, times) ||
	    exponent(some->accesses, more.accesses, MOST_POOL) >
		    MOST_POOL_GROWTH)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"bench: an eviction set's accesses grow faster with the candidates than the published ones");
	return 0;
}

int bench_evset(struct failure *f)
{
	struct cost rows[ROWS];
	bool good = true;

	printf("\nan eviction set of A + 1 lines among U classes, last straw; means of %d\n%4s %5s %8s %8s %6s %10s %10s %6s\n",
	       SEEDS, "A", "U", "tests", "best", "ratio", "accesses", "best",
	       "ratio");
	for (size_t k = 0; k < ROWS; k++) {
		int error = measure(&published[k], 1, &rows[k], f);

		if (error)
			return error;
		good &= print_row(&published[k], &rows[k]);
	}
	if (!good)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"bench: an eviction set costs more than %.1f times the published one",
			MOST_OVER);
	return check_growth(rows, f);
}
