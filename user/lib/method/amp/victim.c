// SPDX-License-Identifier: GPL-2.0
/* victim.c - which line is evicted (section 3.5): always the same, or any? */
#include <math.h>
#include <stdlib.h>

#include "method/amp/share.h"
#include "method/amp/tuning.h"
#include "observe/sampler.h"

/* Sets that are measured at once. */
#define MOST_WAYS 32
/*
 * Shares of the sets. Lines of the tool and of the kernel evict lines in some
 * sets, in more of them the smaller the level is. Chance still does not evict
 * one line twice as often as any other.
 */
#define MOST 0.6
#define OTHERS 0.5
/* Times the share that each line has of chance. */
#define TOO_SELDOM 0.4
#define TOO_OFTEN 2.5

/**
 * struct ring - lines of some sets
 * @lines: of way after way, each of all sets; one way more than there are
 * @sets: their number
 * @ways: of each
 */
struct ring {
	uint64_t *lines;
	size_t sets;
	size_t ways;
};

/**
 * struct manner - how counters are read
 * @between: between the steps and the loads
 * @samples: of each line; of few the median counts, since no more is needed
 */
struct manner {
	bool between;
	unsigned int samples;
};

/** enum victims - how lines went */
enum victims {
	VICTIMS_UNCLEAR,
	VICTIMS_REPEAT,
	VICTIMS_RANDOM,
};

/* The A lines, the first A - 1 of them again, one more: who is missing? */
static int ask(struct amp_space *space, const struct ring *ring, size_t who,
	       const struct manner *how, double *share, struct failure *f)
{
	struct sequence all = { ring->lines, (ring->ways + 1) * ring->sets };
	struct sequence first = { ring->lines, ring->ways * ring->sets };
	struct sequence again = { ring->lines, (ring->ways - 1) * ring->sets };
	struct sequence more = { ring->lines + ring->ways * ring->sets,
				 ring->sets };
	struct sequence one = { ring->lines + who * ring->sets, ring->sets };
	const struct walk_step steps[] = {
		{ .kind = STEP_FLUSH, .lines = &all },
		{ .kind = STEP_LOAD, .lines = &first },
		{ .kind = STEP_LOAD, .lines = &again },
		{ .kind = STEP_LOAD, .lines = &more },
	};
	const struct walk_plan plan = { .samples = how->samples,
					.steps = steps,
					.step_count = 4,
					.between = how->between };
	struct readings r = { .count = 0 };
	int error = amp_misses(space, &one, &plan, &r, f);

	/* A minimum would hide random replacement (algorithms 8.3). */
	*share = !r.count ? NAN :
		 r.count > PROBER_BLOCK_SAMPLES ?
			    statistics_middle(r.values, r.count) :
			    statistics_quantile(r.values, r.count, 0.5);
	return error;
}

static enum victims judge(const double *shares, size_t ways)
{
	double fair = 1 / (double)ways;
	size_t top = 0, less = 0, even = 0;

	for (size_t i = 1; i < ways; i++)
		top = shares[i] > shares[top] ? i : top;
	for (size_t i = 0; i < ways; i++) {
		less += shares[i] <= OTHERS * shares[top];
		even += shares[i] >= TOO_SELDOM * fair &&
			shares[i] <= TOO_OFTEN * fair;
	}
	if (shares[top] >= MOST && less == ways - 1)
		return VICTIMS_REPEAT;
	return even == ways && ways > 1 ? VICTIMS_RANDOM : VICTIMS_UNCLEAR;
}

static int place(struct amp_space *space, const struct amp_geometry *g,
		 struct ring *ring, struct failure *f)
{
	uint64_t way = g->size / g->ways;
	const struct shape w = { .inner = 1,
				 .stride = way,
				 .outer = g->ways + 2 };
	uint64_t base;

	if (!prober_choose_base(space->p, &w, &base))
		return fail(f, STATUS_FAILED, EAGAIN, "too little memory");
	for (size_t i = 0; i <= ring->ways; i++)
		for (size_t k = 0; k < ring->sets; k++)
			ring->lines[i * ring->sets + k] =
				base + i * way + k * space->unit;
	return 0;
}

static int look(struct amp_space *space, const struct ring *ring,
		const struct manner *how, enum victims *victims,
		struct failure *f)
{
	double shares[MOST_WAYS];
	int error = 0;

	for (size_t i = 0; !error && i < ring->ways; i++)
		error = ask(space, ring, i, how, &shares[i], f);
	if (!error)
		*victims = judge(shares, ring->ways);
	return error;
}

/*
 * Under random replacement the misses vary, and counting more of them reduces
 * the relative difference. Reading in between evicts some lines, all equally
 * often: even shares stay even, unless these are too many; then more samples
 * help.
 */
static int look_closer(struct amp_space *space, const struct amp_geometry *g,
		       struct ring *ring, enum victims *victims,
		       struct failure *f)
{
	static const struct manner manners[] = {
		{ .samples = PROBER_BLOCK_SAMPLES },
		{ .samples = PROBER_BLOCK_SAMPLES, .between = true },
		{ .samples = SAMPLER_MAX },
	};
	int error = place(space, g, ring, f);

	*victims = VICTIMS_UNCLEAR;
	for (int i = 0; !error && *victims == VICTIMS_UNCLEAR && i < 3; i++) {
		error = look(space, ring, &manners[i], victims, f);
		if (manners[i].between && *victims == VICTIMS_REPEAT)
			*victims = VICTIMS_UNCLEAR;
	}
	return error;
}

/* Number of sets such that the lines of one way sweep the levels above. */
static size_t sets_of(const struct amp_space *space,
		      const struct amp_geometry *g)
{
	uint64_t sets = g->size / g->ways / space->unit, above = 0;

	for (size_t i = 0; i < space->x.upper_count; i++)
		above += xray_level_bytes(&space->x.upper[i]) / space->unit;
	if (above > sets || above > VICTIM_SETS)
		return 0;
	if (above)
		return sets < VICTIM_SETS ? sets : VICTIM_SETS;
	return sets < FEW_SETS ? sets : FEW_SETS;
}

static int vote(struct amp_space *space, const struct amp_geometry *g,
		struct ring *ring, struct amp_parameter *to, struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < AMP_VOTES; i++) {
		enum victims victims = VICTIMS_UNCLEAR;

		error = look_closer(space, g, ring, &victims, f);
		if (!error && victims != VICTIMS_UNCLEAR)
			amp_vote(to, victims == VICTIMS_RANDOM);
	}
	return error;
}

int amp_find_replacement(const struct amp_run *run, struct amp_space *space,
			 const struct amp_geometry *g, struct amp_row *row,
			 struct failure *f)
{
	struct amp_parameter *to = &row->replacement;
	struct ring ring = { .sets = sets_of(space, g), .ways = g->ways };
	uint64_t before = space->accesses;
	const char *why = NULL;
	int error;

	if (g->ways == 1) {
		parameter_unavailable(&to->p,
				      "one way: nothing to choose from");
		return 0;
	}
	if (!space->p->m->flushes_lines)
		why = "single lines cannot be flushed here";
	else if (!ring.sets || g->ways > MOST_WAYS)
		why = "no number of its sets sweeps the levels above (see probe-phys policy)";
	if (why) {
		parameter_undecided(&to->p, AMP_METHOD, "%s", why);
		return 0;
	}
	ring.lines = calloc((g->ways + 1) * ring.sets, sizeof(*ring.lines));
	if (!ring.lines)
		return prober_out_of_memory(f);
	amp_progress(space->p, row, "replacement");
	error = vote(space, g, &ring, to, f);
	free(ring.lines);
	to->accesses = space->accesses - before;
	if (!error)
		amp_conclude_unanimous(
			run, to,
			"neither does the same line go each time nor any alike (see probe-phys policy)");
	return amp_cannot(to, error, f);
}
