// SPDX-License-Identifier: GPL-2.0
/*
 * levels.c - do two counters belong to two levels?
 *
 * Cold lines miss in all of them, so a counter of another level passes every
 * other trial.
 */
#include "method/counter/trial.h"
#include "result/outcome.h"

/* Far enough apart for any line, and in all sets. */
#define LINE_STRIDE 320
#define LEAST_LINES 64
#define MOST_LINES (UINT64_C(1) << 17)
#define LEAST_PAGES 8
#define MOST_PAGES (UINT64_C(1) << 14)
#define FEW_ROUNDS 3
#define SHORT_ROUNDS 16
#define SHORT_LINES 1024

/* Shares of the accesses. */
#define MISSES_ABOVE 0.5
#define HITS_BELOW 0.1
/* Counts that are never quite the same. */
#define MORE 1.1
#define MORE_OF_ALL 0.05
#define MORE_COUNTS 8

/**
 * struct scan - two counters over growing sequences
 * @p: measurement
 * @upper: of the level above
 * @lower: of the one below
 * @view: pages; NULL: lines of the region
 * @most: elements of the longest sequence
 * @apart: a length was seen at which only the upper one counts
 * @crossed: a length at which the lower one counts more, 0: none
 * @length: at which they were farthest apart, or crossed
 * @counts: of the two there
 */
struct scan {
	struct prober *p;
	struct counter_bench upper;
	struct counter_bench lower;
	struct view *view;
	uint64_t most;
	bool apart;
	size_t crossed;
	size_t length;
	double counts[2];
};

static int place(struct scan *scan, size_t length, struct sequence *s,
		 struct failure *f)
{
	const struct shape shape = { .inner = 1,
				     .stride = LINE_STRIDE,
				     .outer = length };

	if (scan->view)
		return counter_page_sequence(scan->p, scan->view, length, s, f);
	if (sequence_place(s, &shape, 0))
		return prober_out_of_memory(f);
	sequence_shuffle(s, &scan->p->rng);
	return 0;
}

/* What was walked before leaves the caches: some policies would keep it, and let
 * nothing new in.
 */
static int forget(struct scan *scan, struct failure *f)
{
	const struct machine *m = scan->p->m;
	const struct shape shape = { .inner = 1,
				     .stride = LINE_STRIDE,
				     .outer = (size_t)scan->most };
	struct sequence all;
	uint64_t word = 0;
	const struct sequence one = { &word, 1 };
	const struct walk_step flush = { .kind = STEP_FLUSH, .lines = &all };
	const struct walk_plan plan = { .samples = 1,
					.steps = &flush,
					.step_count = 1 };
	struct sample unused;
	int error;

	if (scan->view || !m->flushes_lines)
		return 0;
	if (sequence_place(&all, &shape, 0))
		return prober_out_of_memory(f);
	error = m->ops->walk(scan->p->m, &one, &plan, &unused, f);
	sequence_free(&all);
	return error;
}

/* OUTCOME_DECIDED: both were counted undisturbed. */
static int count_both(struct scan *scan, size_t length, double *counts,
		      enum outcome *outcome, struct failure *f)
{
	struct sample samples[COUNTER_SAMPLES];
	struct counter_walk w = {
		.view = scan->view,
		.plan = { .warm_rounds = length > SHORT_LINES ? FEW_ROUNDS :
								SHORT_ROUNDS },
	};
	struct sequence s;
	size_t above = 0, below = 0;
	int error = place(scan, length, &s, f);

	if (error)
		return error;
	w.s = &s;
	error = forget(scan, f);
	if (!error)
		error = counter_sample(&scan->upper, &w, samples, &above, f);
	if (!error)
		counts[0] = counter_median(samples, above, scan->upper.role);
	if (!error)
		error = counter_sample(&scan->lower, &w, samples, &below, f);
	if (!error)
		counts[1] = counter_median(samples, below, scan->lower.role);
	*outcome = outcome_if(above && below, OUTCOME_VOID);
	sequence_free(&s);
	return error;
}

static void judge(struct scan *scan, size_t length, const double *counts)
{
	double accesses = (double)length;

	if (counts[1] > MORE * counts[0] + MORE_OF_ALL * accesses + MORE_COUNTS)
		scan->crossed = length;
	scan->apart |= counts[0] >= MISSES_ABOVE * accesses &&
		       counts[1] <= HITS_BELOW * accesses;
	if (!scan->crossed && scan->length &&
	    counts[0] - counts[1] < scan->counts[0] - scan->counts[1])
		return;
	scan->length = length;
	scan->counts[0] = counts[0];
	scan->counts[1] = counts[1];
}

/* Lengths of powers of two, and halfway between. */
static size_t next_length(size_t length)
{
	return length & (length - 1) ? length / 3 * 4 : length / 2 * 3;
}

static int scan_lengths(struct scan *scan, size_t least, struct failure *f)
{
	for (size_t length = least; length <= scan->most && !scan->crossed;
	     length = next_length(length)) {
		double counts[2];
		enum outcome outcome = OUTCOME_VOID;
		int error = count_both(scan, length, counts, &outcome, f);

		if (error)
			return error;
		if (outcome == OUTCOME_DECIDED)
			judge(scan, length, counts);
		if (scan->apart)
			break;
	}
	return 0;
}

static void reject(struct counter_check *check, const struct scan *scan,
		   enum machine_counter other)
{
	if (!scan->length)
		counter_reject(
			check, COUNTER_UNTESTED,
			"no length was counted undisturbed by it and by %s",
			machine_counter_name(other));
	else
		counter_reject(
			check, COUNTER_REJECTED,
			scan->crossed ?
				"contradicts %s: of %zu accesses %s counts %.0f, %s %.0f" :
				"looks like that of %s: of %zu accesses %s counts %.0f, %s %.0f",
			machine_counter_name(other), scan->length,
			machine_counter_name(scan->upper.role), scan->counts[0],
			machine_counter_name(scan->lower.role),
			scan->counts[1]);
}

static int scan_pages(struct scan *scan, struct failure *f)
{
	const struct machine *m = scan->p->m;
	struct view_request r = { .pages = MOST_PAGES, .descending = true };
	int error;

	if (m->view_page_count)
		r.frames =
			MOST_PAGES * sizeof(uint64_t) / m->view_page_bytes[0];
	if (r.frames < 3)
		r.frames = 3;
	error = counter_pages(scan->p, &r, &scan->view, f);
	if (error || !scan->view)
		return error;
	scan->most = r.pages;
	error = scan_lengths(scan, LEAST_PAGES, f);
	m->ops->view_close(scan->view);
	return error;
}

static int scan_lines(struct scan *scan, struct failure *f)
{
	uint64_t most = scan->p->m->region.bytes / LINE_STRIDE;

	scan->most = most < MOST_LINES ? most : MOST_LINES;
	return scan_lengths(scan, LEAST_LINES, f);
}

int counters_tell_apart(struct prober *p, struct counter_checks *checks,
			enum machine_counter upper, enum machine_counter lower,
			struct failure *f)
{
	struct counter_check *above = &checks->role[upper];
	struct counter_check *below = &checks->role[lower];
	struct scan scan = { .p = p,
			     .upper = { p, upper, above },
			     .lower = { p, lower, below } };
	int error;

	if (above->state != COUNTER_BELIEVED ||
	    below->state != COUNTER_BELIEVED)
		return 0;
	error = upper == COUNTER_DTLB_MISS ? scan_pages(&scan, f) :
					     scan_lines(&scan, f);
	if (error || (scan.apart && !scan.crossed))
		return error;
	reject(above, &scan, lower);
	reject(below, &scan, upper);
	return 0;
}
