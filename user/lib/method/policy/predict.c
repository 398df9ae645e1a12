// SPDX-License-Identifier: GPL-2.0
/* predict.c - misses of a cycle in the long run, under a policy. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/policy/known_policies.h"
#include "method/policy/tuning.h"

/* Initial states that are tried, and before a hypothesis is ruled out. */
#define STARTS 32
#define MORE_STARTS (9 * STARTS)
/* Rounds within which a deterministic policy comes back to an earlier state. */
#define MOST_ROUNDS 48
/* Least rounds that an answer is the mean of. */
#define ANSWER_ROUNDS 16
/* Standard errors that a prediction may be off. */
#define SIGMAS 4
/* Numbers of blocks that are in no cycle. */
#define FOREIGN 100000
/* Rounds of another cycle that may have gone before. */
#define BEFORE_ROUNDS 3
#define SAME 1e-9
/* Lines of all cycles, per way: initial states draw from them. */
#define MOST_LINES 4

static unsigned int round_of(struct policy_set *s, const struct cycle *c)
{
	unsigned int misses = 0;
	size_t flushed = 0;

	for (size_t i = 0; c->cold && i < c->length; i++)
		policy_set_drop(s, c->blocks[i]);
	for (size_t i = 0; i < c->length; i++) {
		for (; flushed < c->flush_count && c->flushes[flushed].at <= i;
		     flushed++)
			policy_set_drop(s, c->flushes[flushed].block);
		misses += policy_set_access(s, c->blocks[i]);
	}
	return misses;
}

/* Initial lines: foreign ones, or lines of any cycle. */
static void place(struct policy_set *s, unsigned int start, struct rng *rng)
{
	unsigned int lines = MOST_LINES * s->ways;
	unsigned int first = start % 2 ? FOREIGN : 0;
	unsigned int step = 1 + 2 * (unsigned int)rng_below(rng, s->ways);
	unsigned int at = (unsigned int)rng_below(rng, lines);

	/* Steps that divide the number of lines would bring some twice. */
	while (lines % step == 0 && step > 1)
		step += 2;
	if (lines / step < s->ways)
		step = 1;
	for (unsigned int i = 0; i < s->ways; i++, at = (at + step) % lines)
		policy_set_place(s, i, first + at);
}

/* Any ages, also those that no short past would leave. */
static void scramble(struct policy_set *s, unsigned int start, struct rng *rng)
{
	uint64_t all = (UINT64_C(2) << (s->ways - 1)) - 1, *ages;

	if (s->permutation || s->policy.ops != &policy_ages || start % 4 < 2 ||
	    s->ways > 64)
		return;
	ages = policy_state(&s->policy, 0);
	ages[0] = rng_next(rng) & all;
	ages[1] = rng_next(rng) & all;
	if (start % 8 < 4)
		return;
	ages[0] = start % 3 == 1 ? all : 0;
	ages[1] = start % 3 == 2 ? all : 0;
}

/*
 * Begin with a full set after random hits and misses. The way of each line at
 * first is the same for all policies, so that policies that differ only in free
 * ways predict the same.
 */
static void begin_somehow(struct policy_set *s, unsigned int start,
			  const struct cycle *before, uint64_t seed)
{
	struct rng rng = { seed + start };

	place(s, start, &rng);
	scramble(s, start, &rng);
	for (unsigned int i = 0; before && start % 2 && i < BEFORE_ROUNDS; i++)
		round_of(s, before);
	for (unsigned int i = 0; i < (3 + start % 5) * s->ways; i++) {
		unsigned int at = (unsigned int)rng_below(&rng, s->ways);

		if (start % 3 && !rng_below(&rng, 4))
			policy_set_access(s, FOREIGN + at);
		else
			policy_set_access(s, s->blocks[at]);
	}
}

static void include(struct prediction *p, double low, double high)
{
	p->low = fmin(p->low, low);
	p->high = fmax(p->high, high);
}

/*
 * Include a period of rounds: a mean over some of them is off by the deviation
 * of their partial sums; a single round may be any of them.
 */
static void include_period(struct prediction *p, const unsigned int *misses,
			   unsigned int period, bool single)
{
	double mean = 0, sum = 0, least = 0, most = 0;

	for (unsigned int i = 0; i < period; i++) {
		mean += (double)misses[i] / period;
		if (single)
			include(p, misses[i], misses[i]);
	}
	for (unsigned int i = 0; i < period; i++) {
		sum += misses[i] - mean;
		least = fmin(least, sum);
		most = fmax(most, sum);
	}
	include(p, mean - (most - least) / ANSWER_ROUNDS,
		mean + (most - least) / ANSWER_ROUNDS);
}

/* Run until a state comes again. */
static void settle(struct policy_set *s, const struct cycle *c,
		   struct prediction *p)
{
	uint64_t states[MOST_ROUNDS][POLICY_SET_WORDS];
	unsigned int misses[MOST_ROUNDS], least = ~0U, most = 0;

	for (unsigned int i = 0; i < MOST_ROUNDS; i++) {
		size_t words;

		misses[i] = round_of(s, c);
		words = policy_set_state(s, states[i]);
		for (unsigned int j = i; j-- > 0;) {
			if (memcmp(states[i], states[j], words * 8))
				continue;
			include_period(p, misses + j + 1, i - j, c->cold);
			return;
		}
		if (i < MOST_ROUNDS / 2)
			continue;
		least = misses[i] < least ? misses[i] : least;
		most = misses[i] > most ? misses[i] : most;
	}
	include(p, least, most);
}

static void average(struct policy_set *s, const struct cycle *c,
		    struct prediction *p)
{
	double sum = 0, squares = 0, mean, error;

	for (unsigned int i = 0; i < PREDICT_FORGET_ROUNDS; i++)
		round_of(s, c);
	for (unsigned int i = 0; i < PREDICT_BATCHES; i++) {
		double batch = 0;

		for (unsigned int j = 0; j < PREDICT_BATCH_ROUNDS; j++)
			batch += round_of(s, c);
		batch /= PREDICT_BATCH_ROUNDS;
		sum += batch;
		squares += batch * batch;
	}
	mean = sum / PREDICT_BATCHES;
	error = sqrt(fmax(squares / PREDICT_BATCHES - mean * mean, 0) /
		     (PREDICT_BATCHES - 1));
	include(p, mean - SIGMAS * error, mean + SIGMAS * error);
}

static void run(struct policy_set *s, const struct cycle *c, unsigned int start,
		const struct cycle *before, uint64_t seed, struct prediction *p)
{
	uint64_t state[POLICY_SET_WORDS];

	begin_somehow(s, start, before, seed);
	if (policy_set_state(s, state))
		settle(s, c, p);
	else
		average(s, c, p);
}

static bool depends(const struct prediction *p)
{
	return p->high - p->low > SAME;
}

/* The initial state matters: states that were not tried may lead further. */
static void widen(struct prediction *p)
{
	double more = 1 + p->high - p->low;

	p->low -= more;
	p->high += more;
}

/* Try initial states @from to @to - 1. */
static int try_starts(const struct hypothesis *h, unsigned int ways,
		      const struct cycle *c, const struct cycle *before,
		      uint64_t seed, unsigned int from, unsigned int to,
		      struct prediction *p)
{
	for (unsigned int i = from; i < to; i++) {
		struct profile_policy policy = h->policy;
		struct policy_set s;
		int error;

		policy.seed = seed + i;
		error = policy_set_begin(&s, &policy, h->habit, ways);
		if (!error)
			run(&s, c, i, before, seed, p);
		policy_set_end(&s);
		if (error)
			return error;
	}
	return 0;
}

int hypothesis_predict(const struct hypothesis *h, unsigned int ways,
		       const struct cycle *c, const struct cycle *before,
		       uint64_t seed, struct prediction *p)
{
	/* A random policy ends up the same from any state. */
	unsigned int starts = h->random ? 1 : STARTS;
	int error;

	*p = (struct prediction){ INFINITY, -INFINITY };
	error = try_starts(h, ways, c, before, seed, 0, starts, p);
	if (!error && !h->random && depends(p))
		widen(p);
	return error;
}

int hypothesis_predict_again(const struct hypothesis *h, unsigned int ways,
			     const struct cycle *c, const struct cycle *before,
			     uint64_t seed, struct prediction *p)
{
	bool known = depends(p);
	int error = 0;

	for (unsigned int i = STARTS; !error && !depends(p) && i < MORE_STARTS;
	     i += STARTS)
		error = try_starts(h, ways, c, before, seed, i, i + STARTS, p);
	if (!error && !known && depends(p))
		widen(p);
	return error;
}

int hypothesis_predict_alone(const struct hypothesis *h, unsigned int ways,
			     const struct cycle *c, uint64_t seed,
			     struct prediction *p)
{
	*p = (struct prediction){ INFINITY, -INFINITY };
	for (unsigned int i = 0; i < STARTS; i++) {
		struct rng rng = { seed + i };
		struct policy_set s;
		int error = policy_set_begin(&s, &h->policy, h->habit, ways);

		if (!error) {
			/* Even numbers: no foreign lines. */
			place(&s, 2 * i, &rng);
			for (unsigned int j = 0; j < 4 * ways; j++)
				policy_set_access(
					&s, s.blocks[rng_below(&rng, ways)]);
			settle(&s, c, p);
		}
		policy_set_end(&s);
		if (error)
			return error;
	}
	if (depends(p))
		widen(p);
	return 0;
}

int permutation_predict(const struct permutation_policy *h,
			const struct cycle *c, uint64_t seed,
			struct prediction *p)
{
	*p = (struct prediction){ INFINITY, -INFINITY };
	for (unsigned int i = 0; i < STARTS; i++) {
		struct policy_set s;

		policy_set_begin_permutation(&s, h);
		run(&s, c, i, NULL, seed, p);
	}
	if (depends(p))
		widen(p);
	return 0;
}
