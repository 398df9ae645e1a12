// SPDX-License-Identifier: GPL-2.0
/*
 * tlb_victim.c - does the same sequence of pages always miss as often (section
 * 3.5)?
 *
 * Forms of LRU repeat the same misses, maybe in a short cycle; random
 * replacement does not. So all misses of a long sequence, hundreds of them, are
 * compared, not which pages miss.
 */
#include <math.h>
#include <stdlib.h>

#include "method/amp/pages.h"
#include "method/amp/tuning.h"
#include "observe/sampler.h"

#define SAMPLES 64
#define LEAST_SAMPLES 48
/* Multiple of the ways: pages that evict all others; and words of a page. */
#define SWEEP 2
#define VISITS 4
#define LONGEST_CYCLE 16
/*
 * Share of equal samples a cycle apart: of forms of LRU, and of random
 * replacement.
 */
#define NEARLY_ALL 0.8
#define FEW 0.35
/* Interquartile range of random replacement, in misses. */
#define SPREAD_OF_CHANCE 3
/* Multiple of the entries of a level above, which may keep any of them. */
#define TIMES_ABOVE 2
#define TIMES_CHANCE_ABOVE 16

/** struct counts - misses of one round after the other; NAN: not counted */
struct counts {
	double misses[SAMPLES];
	size_t valid;
};

static unsigned int warm_rounds(size_t length)
{
	size_t rounds = VICTIM_WARM_LOADS / length;

	if (rounds > WARM_ROUNDS_MOST)
		return WARM_ROUNDS_MOST;
	return rounds < WARM_ROUNDS_LEAST ? WARM_ROUNDS_LEAST :
					    (unsigned int)rounds;
}

static int count_rounds(const struct amp_array *a, struct view *view,
			const struct sequence *s, struct counts *c,
			struct failure *f)
{
	struct amp_space *space = a->space;
	const struct walk_plan plan = { .warm_rounds = warm_rounds(s->length),
					.loads = 1,
					.samples = SAMPLES,
					.counters = 1U << space->counter };
	struct sample samples[SAMPLES];
	size_t unread = 0;
	int error = prober_stopped(space->p) ?
			    -EINTR :
			    view->m->ops->view_walk(view, s, &plan, samples, f);

	c->valid = 0;
	if (error)
		return error;
	space->accesses += (plan.warm_rounds + SAMPLES) * s->length;
	for (size_t i = 0; i < SAMPLES; i++) {
		bool counted = samples[i].counted & plan.counters;

		c->misses[i] = NAN;
		unread += !samples[i].disturbed && !counted;
		/* Parts of rounds cannot be compared. */
		if (samples[i].disturbed || !counted ||
		    samples[i].loads != s->length)
			continue;
		c->misses[i] = round(samples[i].counts[space->counter]);
		c->valid++;
	}
	return amp_note_unread(space, c->valid, unread, f);
}

/* --- what was counted ---------------------------------------------------- */

/* Share of samples @apart that are alike. */
static double alike(const struct counts *c, size_t apart)
{
	size_t same = 0, pairs = 0;

	for (size_t i = 0; i + apart < SAMPLES; i++) {
		if (isnan(c->misses[i]) || isnan(c->misses[i + apart]))
			continue;
		pairs++;
		same += c->misses[i] == c->misses[i + apart];
	}
	return pairs ? (double)same / (double)pairs : 0;
}

/* The most alike of all cycles. */
static double most_alike(const struct counts *c)
{
	double most = 0;

	for (size_t apart = 1; apart <= LONGEST_CYCLE; apart++)
		most = fmax(most, alike(c, apart));
	return most;
}

static void quartiles(const struct counts *c, double *middle, double *spread)
{
	double sorted[SAMPLES];
	size_t count = 0;

	for (size_t i = 0; i < SAMPLES; i++)
		if (!isnan(c->misses[i]))
			sorted[count++] = c->misses[i];
	*middle = statistics_quantile(sorted, count, 0.5);
	*spread = statistics_quantile(sorted, count, 0.75) -
		  statistics_quantile(sorted, count, 0.25);
}

/*
 * 1: random; 0: the same each time; NAN: neither. @fits: samples of pages that
 * all fit: if these vary, it is not the policy.
 */
static double judge(const struct amp_array *a, const struct counts *c,
		    const struct counts *fits)
{
	double middle, spread, like = most_alike(c);

	if (c->valid < LEAST_SAMPLES || fits->valid < LEAST_SAMPLES ||
	    alike(fits, 1) < NEARLY_ALL)
		return NAN;
	quartiles(c, &middle, &spread);
	/* Most pages that sweep an array miss under any policy. */
	if (middle < (double)a->geometry->size)
		return NAN;
	if (like >= NEARLY_ALL)
		return 0;
	return like <= FEW && spread >= SPREAD_OF_CHANCE ? 1 : NAN;
}

/* --- sequences ----------------------------------------------------------- */

/**
 * struct rows - pages of all sets, row after row; those of a column share a set
 * @pages: the pages
 * @order: order of the @sets sets, the same in each row, so that equally many
 *         pages come between two visits of any page
 * @base: number of the first page
 * @s: (out) the sequence
 */
struct rows {
	struct amp_pages pages;
	size_t *order;
	size_t sets;
	uint64_t base;
	struct sequence s;
};

static void visit(struct rows *rows, size_t first, size_t count, uint64_t word)
{
	for (size_t i = first; i < first + count; i++)
		for (size_t k = 0; k < rows->sets; k++)
			rows->s.offsets[rows->s.length++] = amp_pages_offset(
				&rows->pages,
				rows->base + i * rows->sets + rows->order[k],
				word);
}

static void shuffle(struct rows *rows, struct rng *rng)
{
	for (size_t i = 0; i < rows->sets; i++)
		rows->order[i] = i;
	for (size_t i = rows->sets; i-- > 1;) {
		size_t other = (size_t)rng_below(rng, i + 1);
		size_t kept = rows->order[i];

		rows->order[i] = rows->order[other];
		rows->order[other] = kept;
	}
}

/*
 * A rows, the same again, one more: which pages miss? A sweep before it makes
 * every round begin alike.
 */
static int count_misses(const struct amp_array *a, struct rows *rows,
			struct counts *c, struct counts *fits,
			struct failure *f)
{
	const size_t ways = a->geometry->ways;
	int error;

	rows->s.length = 0;
	visit(rows, 0, ways, 0);
	error = count_rounds(a, rows->pages.view, &rows->s, fits, f);
	if (error)
		return error;
	rows->s.length = 0;
	visit(rows, ways + 1, SWEEP * ways, 0);
	visit(rows, 0, ways, 0);
	visit(rows, 0, ways, 1);
	visit(rows, ways, 1, 0);
	visit(rows, 0, ways + 1, 2);
	return count_rounds(a, rows->pages.view, &rows->s, c, f);
}

static int vote(const struct amp_array *a, struct rows *rows, uint64_t room,
		struct failure *f)
{
	struct prober *p = a->space->p;
	int error = 0;

	for (int i = 0; !error && i < AMP_VOTES; i++) {
		struct counts c, fits;

		rows->base = rng_below(&p->rng, room + 1);
		shuffle(rows, &p->rng);
		error = count_misses(a, rows, &c, &fits, f);
		if (!error)
			amp_vote(&a->row->replacement, judge(a, &c, &fits));
	}
	return error;
}

static int look(const struct amp_array *a, struct failure *f)
{
	const size_t ways = a->geometry->ways;
	const uint64_t sets = a->geometry->size / ways;
	const uint64_t pages = ((SWEEP + 1) * ways + 1) * sets;
	struct rows rows = { .sets = (size_t)sets };
	int error = amp_pages_open(a->space, a->row->mapped_bytes, 2 * pages,
				   VISITS, a->executable, &rows.pages, f);

	if (error)
		return error;
	rows.order = calloc(rows.sets, sizeof(*rows.order));
	rows.s.offsets = calloc(((SWEEP + 3) * ways + 2) * sets,
				sizeof(*rows.s.offsets));
	error = rows.order && rows.s.offsets ? vote(a, &rows, pages, f) :
					       prober_out_of_memory(f);
	free(rows.order);
	sequence_free(&rows.s);
	amp_pages_close(&rows.pages);
	return error;
}

int amp_find_tlb_replacement(const struct amp_run *run,
			     const struct amp_array *a, struct failure *f)
{
	struct amp_parameter *to = &a->row->replacement;
	uint64_t before = a->space->accesses;
	size_t times = a->above_repeats ? TIMES_ABOVE : TIMES_CHANCE_ABOVE;
	int error;

	if (a->geometry->ways == 1) {
		parameter_unavailable(&to->p,
				      "one way: nothing to choose from");
		return 0;
	}
	if (a->geometry->size < times * a->above) {
		parameter_undecided(
			&to->p, AMP_METHOD,
			a->above_repeats ?
				"the level above holds too large a part of what it holds" :
				"what the level above keeps by chance is too large a part of what it holds");
		return 0;
	}
	amp_progress(a->space->p, a->row, "replacement");
	error = look(a, f);
	to->accesses = a->space->accesses - before;
	if (!error)
		amp_conclude_unanimous(
			run, to,
			"the same pages miss neither as often each time nor as chance has it");
	return amp_cannot(to, error, f);
}
