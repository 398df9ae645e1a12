// SPDX-License-Identifier: GPL-2.0
/* known.c - loads, stores and cycles whose number is known. */
#include "method/counter/trial.h"
#include "observe/proof.h"
#include "observe/sampler.h"

/* Words of a few lines, which are there after a round. */
#define HOT_WORDS 64
#define HOT_LOADS 2048
#define WARM_ROUNDS 64
/* Misses among loads that hit: other code may have run, and system calls read the
 * counter, which evict what is read with.
 */
#define HOT_MOST 24
#define FEW_LINES 24
#define MANY_LINES 96
/* A counter that is wrong is off by more. */
#define LEAST_PART 0.85
#define MOST_PART 1.2
#define MOST_MORE 2
#define LEAST_OF_HALF 0.7
/* Distance of lines that are two whatever their size is, use all sets, and are
 * many to a page; and more of them than any first level has, with four times as many
 * as could stay.
 */
#define EVICTING_STRIDE 320
#define EVICTING_LINES 16384
#define FIRST_LEVEL_LINES 4096

#define FEW_LOADS 1024
#define MANY_LOADS 4096
/* A load is one instruction; what leads to the next is no more than this. */
#define INSTRUCTIONS_OF_A_LOAD 4
/* Clocks wander, and cycles are known through one. */
#define CYCLES_WITHIN 0.2

static double least_of(double count)
{
	return LEAST_PART * count - 1;
}

static double most_of(double count)
{
	return MOST_PART * count + MOST_MORE;
}

static struct sequence hot_words(uint64_t *offsets)
{
	for (size_t i = 0; i < HOT_WORDS; i++)
		offsets[i] = i * sizeof(uint64_t);
	return (struct sequence){ offsets, HOT_WORDS };
}

/* In an order that no stream is recognised in: @count has no factor 29. */
static struct sequence far_lines(uint64_t *offsets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		offsets[i] = i * 29 % count * (uint64_t)PROOF_COLD_STRIDE;
	return (struct sequence){ offsets, count };
}

static int try_hot(struct counter_bench *b, unsigned int loads, double least,
		   double most, struct failure *f)
{
	uint64_t offsets[HOT_WORDS];
	const struct sequence s = hot_words(offsets);
	const struct counter_walk w = {
		.s = &s,
		.plan = { .warm_rounds = WARM_ROUNDS, .loads = loads },
	};

	return counter_try(b, &w, least, most, f, "%u loads that hit", loads);
}

static int try_flushed(struct counter_bench *b, size_t lines, struct failure *f)
{
	uint64_t offsets[MANY_LINES];
	const struct sequence s = far_lines(offsets, lines);
	const struct counter_walk w = { .s = &s,
					.plan = { .flags = WALK_COLD } };

	return counter_try(b, &w, least_of((double)lines),
			   most_of((double)lines), f, "%zu flushed lines",
			   lines);
}

/* Hits among misses. On real machines the kernel's share is another one each time. */
static int try_half(struct counter_bench *b, struct failure *f)
{
	uint64_t offsets[MANY_LINES];
	const struct sequence s = far_lines(offsets, MANY_LINES);
	const struct sequence half = { offsets, MANY_LINES / 2 };
	const struct walk_step steps[] = {
		{ .kind = STEP_LOAD, .lines = &s },
		{ .kind = STEP_LOAD, .lines = &s },
		{ .kind = STEP_FLUSH, .lines = &half },
	};
	const struct counter_walk w = {
		.s = &s,
		.plan = { .steps = steps, .step_count = 3 },
	};

	return counter_try(b, &w, LEAST_OF_HALF * (double)half.length,
			   most_of(MANY_LINES), f,
			   "%d lines, %zu of them flushed", MANY_LINES,
			   half.length);
}

/* More lines than a first level has: by the pigeonhole principle each round
 * misses as many as do not fit, whatever the policy is.
 */
static int try_evicted(struct counter_bench *b, struct failure *f)
{
	const struct shape shape = { .inner = 1,
				     .stride = EVICTING_STRIDE,
				     .outer = EVICTING_LINES };
	struct counter_walk w = { .plan = { .warm_rounds = 2 } };
	struct sequence s;
	int error;

	if (shape_span(&shape) > b->p->m->region.bytes)
		return 0;
	if (sequence_place(&s, &shape, 0))
		return prober_out_of_memory(f);
	sequence_shuffle(&s, &b->p->rng);
	w.s = &s;
	error = counter_try(b, &w, EVICTING_LINES - FIRST_LEVEL_LINES,
			    most_of(EVICTING_LINES), f,
			    "%d lines, most of them evicted", EVICTING_LINES);
	sequence_free(&s);
	return error;
}

static bool too_little_memory(struct counter_bench *b)
{
	if (b->p->m->region.bytes >=
	    (MANY_LINES + 1) * (uint64_t)PROOF_COLD_STRIDE)
		return false;
	counter_reject(b->check, COUNTER_UNTESTED,
		       "too little memory for %d lines far apart", MANY_LINES);
	return true;
}

int counter_try_cache(struct counter_bench *b, struct failure *f)
{
	int error;

	if (too_little_memory(b))
		return 0;
	error = try_hot(b, HOT_LOADS, 0, HOT_MOST, f);
	if (!error)
		error = try_flushed(b, FEW_LINES, f);
	if (!error)
		error = try_flushed(b, MANY_LINES, f);
	if (!error && b->p->m->flushes_lines)
		error = try_half(b, f);
	/* How many lines the levels below have is not known. */
	if (!error && b->role == COUNTER_L1D_MISS)
		error = try_evicted(b, f);
	return error;
}

static int try_stored(struct counter_bench *b, size_t lines, struct failure *f)
{
	uint64_t offsets[MANY_LINES];
	const struct sequence s = far_lines(offsets, lines);
	const struct walk_step flush = { .kind = STEP_FLUSH, .lines = &s };
	const struct counter_walk w = {
		.s = &s,
		.plan = { .flags = WALK_STORES,
			  .steps = &flush,
			  .step_count = 1 },
	};

	return counter_try(b, &w, least_of((double)lines),
			   most_of((double)lines), f,
			   "stores to %zu flushed lines", lines);
}

int counter_try_stores(struct counter_bench *b, struct failure *f)
{
	uint64_t offsets[HOT_WORDS];
	const struct sequence s = hot_words(offsets);
	const struct walk_step load = { .kind = STEP_LOAD, .lines = &s };
	const struct counter_walk hits = {
		.s = &s,
		.plan = { .flags = WALK_STORES,
			  .steps = &load,
			  .step_count = 1 },
	};
	int error;

	if (too_little_memory(b))
		return 0;
	if (!b->p->m->flushes_lines) {
		counter_reject(b->check, COUNTER_UNTESTED,
			       "single lines cannot be flushed here");
		return 0;
	}
	error = counter_try(b, &hits, 0, HOT_MOST, f, "%d stores that hit",
			    HOT_WORDS);
	if (!error)
		error = try_stored(b, FEW_LINES, f);
	if (!error)
		error = try_stored(b, MANY_LINES, f);
	return error;
}

int counter_try_loads(struct counter_bench *b, struct failure *f)
{
	int error = try_hot(b, FEW_LOADS, least_of(FEW_LOADS),
			    most_of(FEW_LOADS), f);

	return error ? error :
		       try_hot(b, MANY_LOADS, least_of(MANY_LOADS),
			       most_of(MANY_LOADS), f);
}

/* How many come with a load is not known, but it is the same number each time.
 */
int counter_try_instructions(struct counter_bench *b, struct failure *f)
{
	double few;
	int error = try_hot(b, FEW_LOADS, least_of(FEW_LOADS),
			    most_of(INSTRUCTIONS_OF_A_LOAD * FEW_LOADS), f);

	if (error || !b->check->trial_count)
		return error;
	few = b->check->trials[0].counted * MANY_LOADS / FEW_LOADS;
	return try_hot(b, MANY_LOADS, least_of(few), most_of(few), f);
}

/* Cycles of a walk, from its time and that of dependent additions. */
static int expect_cycles(struct counter_bench *b, const struct counter_walk *w,
			 double *cycles, struct failure *f)
{
	struct sample samples[COUNTER_SAMPLES];
	double ticks[COUNTER_SAMPLES], cycle = sampler_cycle_ticks(b->p->m);
	size_t count;
	int error = counter_sample(b, w, samples, &count, f);

	for (size_t i = 0; !error && i < count; i++)
		ticks[i] = samples[i].ticks;
	*cycles = !error && cycle > 0 ?
			  statistics_quantile(ticks, count, 0.5) / cycle :
			  0;
	return error;
}

int counter_try_cycles(struct counter_bench *b, struct failure *f)
{
	static const unsigned int loads[] = { FEW_LOADS, MANY_LOADS };
	uint64_t offsets[HOT_WORDS];
	const struct sequence s = hot_words(offsets);

	for (size_t i = 0; i < 2; i++) {
		const struct counter_walk w = {
			.s = &s,
			.plan = { .warm_rounds = WARM_ROUNDS,
				  .loads = loads[i] },
		};
		double cycles;
		int error = expect_cycles(b, &w, &cycles, f);

		if (error)
			return error;
		if (!(cycles > 0)) {
			counter_reject(
				b->check, COUNTER_UNTESTED,
				"how many cycles are right is not known");
			return 0;
		}
		error = counter_try(b, &w, cycles * (1 - CYCLES_WITHIN),
				    cycles * (1 + CYCLES_WITHIN), f,
				    "the time of %u loads that hit", loads[i]);
		if (error)
			return error;
	}
	return 0;
}
