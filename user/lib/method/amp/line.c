// SPDX-License-Identifier: GPL-2.0
/* line.c - line size (section 3.1). */
#include <math.h>

#include "method/amp/decide.h"
#include "method/amp/tuning.h"
#include "observe/sampler.h"

/* A row whose words are read cold. */
#define ROW_BYTES 16384
#define WORD_BYTES 8
/*
 * Places that are loaded before adjacent words are stored to: farther apart
 * than the longest line, and few enough to fit into the smallest cache,
 * whatever its ways.
 */
#define PLACES 16
#define PLACE_BYTES UINT64_C(512)
/* Of the places. */
#define HALF 0.5
#define NEARLY_ALL 0.9
/*
 * Copies of the halves of a set, as a multiple of the ways of the levels above.
 */
#define SWEEP 3

/* @quantile: of the samples, 0: the least */
static int count(struct amp_space *s, const struct sequence *q,
		 const struct walk_plan *plan, double quantile, double *misses,
		 struct failure *f)
{
	struct readings r = { .count = 0 };
	int error = amp_count(s, q, plan, &r, f);

	s->accesses += plan->samples * q->length * (1 + plan->step_count);
	*misses = error || !r.count ?
			  NAN :
			  statistics_quantile(r.values, r.count, quantile) *
				  (double)q->length;
	return error;
}

/* The power of two nearest to the bytes per miss, by its logarithm. */
static double line_of(double loads, double misses)
{
	if (isnan(misses) || misses < 1)
		return NAN;
	return WORD_BYTES * exp2(floor(log2(loads / misses) + 0.5));
}

static int cold_row(struct amp_space *s, double *line, struct failure *f)
{
	const struct shape row = { .inner = 1,
				   .stride = WORD_BYTES,
				   .outer = ROW_BYTES / WORD_BYTES };
	const struct walk_plan plan = { .flags = WALK_COLD,
					.samples = AMP_VOTES };
	double misses = NAN;
	struct sequence q;
	uint64_t base;
	int error = 0;

	*line = NAN;
	if (!prober_choose_base(s->p, &row, &base))
		return 0;
	if (sequence_place(&q, &row, base))
		return prober_out_of_memory(f);
	error = count(s, &q, &plan, 0, &misses, f);
	*line = line_of((double)q.length, misses);
	sequence_free(&q);
	return error;
}

/*
 * Stores to a cold row may bring no line, so that each misses. Instead one word
 * of each place is loaded, and an adjacent word is stored to: it misses if it
 * is beyond the end of the line.
 */
static int stored_beside(struct amp_space *s, uint64_t base, uint64_t beside,
			 double *misses, struct failure *f)
{
	uint64_t first[PLACES], second[PLACES];
	const struct sequence loaded = { first, PLACES };
	const struct sequence stored = { second, PLACES };
	const struct walk_step steps[] = {
		{ .kind = STEP_FLUSH, .lines = &loaded },
		{ .kind = STEP_FLUSH, .lines = &stored },
		{ .kind = STEP_LOAD, .lines = &loaded },
	};
	const struct walk_plan plan = { .flags = WALK_STORES,
					.samples = AMP_VOTES,
					.steps = steps,
					.step_count = 3 };

	for (size_t i = 0; i < PLACES; i++) {
		first[i] = base + i * PLACE_BYTES;
		second[i] = first[i] + beside;
	}
	return count(s, &stored, &plan, 0, misses, f);
}

static int stored_row(struct amp_space *s, double *line, struct failure *f)
{
	const struct shape row = { .inner = 1,
				   .stride = PLACE_BYTES,
				   .outer = PLACES };
	uint64_t base;

	*line = NAN;
	if (!s->p->m->flushes_lines || !prober_choose_base(s->p, &row, &base))
		return 0;
	for (uint64_t d = WORD_BYTES; d < PLACE_BYTES; d *= 2) {
		double misses;
		int error = stored_beside(s, base, d, &misses, f);

		if (error || isnan(misses))
			return error;
		if (misses < HALF * PLACES)
			continue;
		*line = (double)d;
		return 0;
	}
	return 0;
}

int amp_line_votes(struct amp_space *s, struct amp_parameter *to,
		   struct failure *f)
{
	for (int i = 0; i < AMP_VOTES; i++) {
		double line;
		int error = s->stores ? stored_row(s, &line, f) :
					cold_row(s, &line, f);

		if (error)
			return error;
		amp_vote(to, line);
	}
	return 0;
}

/* --- the check ----------------------------------------------------------- */

/* Copies in one set of all levels above, so that both halves miss there. */
static struct shape halves(const struct amp_space *s,
			   const struct amp_geometry *g, uint64_t shift)
{
	struct shape w = { .inner = g->ways,
			   .inner_stride = g->size / g->ways,
			   .stride = g->size + shift,
			   .outer = 2 };

	for (size_t i = 0; i < s->x.upper_count; i++) {
		const struct xray_level *u = &s->x.upper[i];

		if (u->way_bytes > w.copy_stride)
			w.copy_stride = u->way_bytes;
		if (w.copies * g->ways < SWEEP * u->ways)
			w.copies = SWEEP * u->ways / g->ways + 1;
	}
	return w;
}

/* Misses of the second halves, after the first ones were flushed. */
static int count_flushed(struct amp_space *s, uint64_t base,
			 uint64_t line_bytes, double *misses, struct failure *f)
{
	uint64_t first[PLACES], second[PLACES];
	const struct sequence loaded = { first, PLACES };
	const struct sequence asked = { second, PLACES };
	const struct walk_step steps[] = {
		{ .kind = STEP_FLUSH, .lines = &asked },
		{ .kind = STEP_FLUSH, .lines = &loaded },
		{ .kind = STEP_LOAD, .lines = &loaded },
		{ .kind = STEP_FLUSH, .lines = &loaded },
	};
	const struct walk_plan plan = { .flags = s->stores ? WALK_STORES : 0,
					.samples = AMP_VOTES,
					.steps = steps,
					.step_count = 4 };
	int error = 0;

	for (size_t i = 0; i < PLACES; i++) {
		first[i] = base + i * PLACE_BYTES;
		second[i] = first[i] + line_bytes / 2;
	}
	/*
	 * The usual overhead of reading the counter does not apply here: a
	 * single sample of 16 lines may show a dozen less. On a busy computer
	 * most samples of a moment do; lines that come in pairs never miss.
	 */
	*misses = NAN;
	for (int i = 0;
	     !error && i < FLUSHINGS && !(*misses >= NEARLY_ALL * PLACES); i++)
		error = count(s, &asked, &plan, 0.5, misses, f);
	return error;
}

/*
 * Lines that are always loaded in pairs look like one line in any order of
 * loads. But flushing one half of a real line flushes the other half too.
 */
static int flushed_together(struct amp_judge *j, uint64_t line_bytes,
			    struct failure *f)
{
	struct amp_space *s = j->space;
	const struct shape row = { .inner = 1,
				   .stride = PLACE_BYTES,
				   .outer = PLACES };
	double misses;
	uint64_t base;
	int error;

	if (!s->p->m->flushes_lines || line_bytes > PLACE_BYTES ||
	    !prober_choose_base(s->p, &row, &base)) {
		amp_doubt(
			j,
			"halves of a line cannot be flushed here: it may be several that come together");
		return 0;
	}
	error = count_flushed(s, base, line_bytes, &misses, f);
	if (error || misses >= NEARLY_ALL * PLACES)
		return error;
	if (misses < HALF * PLACES)
		amp_doubt(
			j,
			"flushing one half of %llu bytes leaves the other: lines that come together",
			(unsigned long long)line_bytes);
	else
		amp_doubt(
			j,
			"flushing one half of %llu bytes was counted neither to leave the other nor to take it along",
			(unsigned long long)line_bytes);
	return 0;
}

int amp_check_line(struct amp_judge *j, const struct amp_geometry *g,
		   uint64_t line_bytes, struct failure *f)
{
	const struct shape apart = halves(j->space, g, line_bytes);
	const struct shape together = halves(j->space, g, line_bytes / 2);
	enum verdict verdict;
	int error;

	if (apart.copies * apart.copy_stride > g->size / g->ways) {
		amp_doubt(j, "too few sets to get the halves of one past L%zu",
			  j->space->x.upper_count);
		return 0;
	}
	error = flushed_together(j, line_bytes, f);
	if (error || j->why[0])
		return error;
	error = amp_decide(j, &apart, 1, &verdict, f);
	if (!error && verdict == VERDICT_NON_COMPACT)
		amp_doubt(j,
			  "two halves of a set %llu bytes apart still share it",
			  (unsigned long long)line_bytes);
	if (error || j->why[0])
		return error;
	error = amp_decide(j, &together, 1, &verdict, f);
	if (!error && verdict == VERDICT_COMPACT)
		amp_doubt(
			j,
			"two halves of a set part at less than %llu bytes: something brings neighbours along",
			(unsigned long long)line_bytes);
	return error;
}
