// SPDX-License-Identifier: GPL-2.0
#include "method/evset/minimal/self_conflicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/per_load.h"

/* A sample that contention has spoiled is repeated; with too many spoiled ones
 * no set is formed.
 */
#define TRIES 3
#define MOST_SPOILED 8
/* Lines that miss by chance, or for a translation, do not miss again. */
#define CONFIRMED 2
/* One in this many verdicts on pairs of a set may be wrong. */
#define WRONG_PAIRS 8
/* One in this many of the other lines may miss. */
#define OTHERS_MISSING 8
/* Removing one line of a set with A+1 lines removes at least this many misses
 * per load from the others (Zen 3 policy); with A+2 lines it does not.
 */
#define FREED_MISSES 0.3
/* If the median of all lines changes by more, contention has changed. */
#define DRIFT_MISSES 0.1
/* Mean misses of the lines of a set that fits, at most. */
#define FITTING_MISSES 0.1

/**
 * struct leave_one_out - samples of missing lines
 * @lines: @others that do not miss, then @missing that do
 * @dropped: by missing line: its set overflows without it, too
 * @list: lines of a sample
 * @ticks: of each, and as much room
 * @now: by missing line, in the last sample: it misses if above 0
 * @typical: the same in the last sample of all lines that are not dropped
 * @freed: by line that was left out, and by line: it stopped missing, too
 */
struct leave_one_out {
	struct evset_machine *e;
	uint64_t *lines;
	size_t others;
	size_t missing;
	bool *dropped;
	uint64_t *list;
	double *ticks;
	double *now;
	double *typical;
	bool *freed;
};

static int begin(struct leave_one_out *w, const uint64_t *lines,
		 struct failure *f)
{
	const size_t n = w->others + w->missing + 1;

	w->lines = calloc(2 * n, sizeof(*w->lines));
	w->ticks = calloc(4 * n, sizeof(*w->ticks));
	w->dropped = calloc(n, sizeof(*w->dropped));
	if (!w->lines || !w->ticks || !w->dropped)
		return prober_out_of_memory(f);
	w->list = w->lines + n;
	w->now = w->ticks + 2 * n;
	w->typical = w->now + n;
	memcpy(w->lines, lines, (n - 1) * sizeof(*lines));
	return 0;
}

static void end(struct leave_one_out *w)
{
	free(w->lines);
	free(w->ticks);
	free(w->dropped);
	free(w->freed);
}

/* Compared with the others; if many of these miss, the sample is void. */
static bool judge(struct leave_one_out *w, size_t missing, size_t n)
{
	double *others = w->ticks + n, typical;
	size_t spoiled = 0;

	memcpy(others, w->ticks + missing, w->others * sizeof(*others));
	typical = statistics_quantile(others, w->others, 0.5);
	for (size_t j = 0; j < n; j++)
		w->ticks[j] -= typical + evset_missing_by(w->e);
	for (size_t j = missing; j < n; j++)
		spoiled += w->ticks[j] > 0;
	return spoiled <= w->others / OTHERS_MISSING;
}

/* Excess of all missing lines but number @without and those that are dropped.
 * *outcome: DECIDED or VOID.
 */
static int take_sample(struct leave_one_out *w, size_t without, double *by,
		       enum outcome *outcome, struct failure *f)
{
	size_t n = 0, missing;
	int error = 0;

	*outcome = OUTCOME_VOID;
	for (size_t i = 0; i < w->missing; i++)
		if (i != without && !w->dropped[i])
			w->list[n++] = w->lines[w->others + i];
	missing = n;
	n += w->others;
	memcpy(w->list + missing, w->lines, w->others * sizeof(*w->list));
	for (int i = 0; !error && *outcome != OUTCOME_DECIDED && i < TRIES;
	     i++) {
		error = evset_sample_orders(w->e, w->list, n, w->ticks, f);
		*outcome = outcome_if(!error && judge(w, missing, n),
				      OUTCOME_VOID);
	}
	for (size_t i = 0, j = 0; *outcome == OUTCOME_DECIDED && i < w->missing;
	     i++)
		if (i != without && !w->dropped[i])
			by[i] = w->ticks[j++];
	return error;
}

/* Only lines that miss again. */
static int confirm(struct leave_one_out *w, struct failure *f)
{
	uint64_t *missing = w->lines + w->others;
	int error = 0;

	for (int i = 0; !error && w->missing && i < CONFIRMED; i++) {
		size_t n = 0;
		enum outcome outcome;

		error = take_sample(w, w->missing, w->now, &outcome, f);
		for (size_t j = 0;
		     !error && outcome == OUTCOME_DECIDED && j < w->missing;
		     j++)
			if (w->now[j] > 0) {
				w->typical[n] = w->now[j];
				missing[n++] = missing[j];
			}
		w->missing = n;
	}
	return error;
}

/* A line that missed only for a while stopped whichever line was left out. */
static int forget_others(struct leave_one_out *w, enum outcome *outcome,
			 struct failure *f)
{
	int error = take_sample(w, w->missing, w->now, outcome, f);

	for (size_t j = 0;
	     !error && *outcome == OUTCOME_DECIDED && j < w->missing; j++)
		for (size_t i = 0; w->now[j] <= 0 && i < w->missing; i++)
			w->freed[i * w->missing + j] = false;
	return error;
}

static bool is_freed(const struct leave_one_out *w, size_t j)
{
	const double by = FREED_MISSES * w->e->scale.penalty;

	return w->typical[j] > 0 &&
	       (w->now[j] <= 0 || w->typical[j] - w->now[j] >= by);
}

/* Most lines changed, or one stopped missing twice in a row: contention has
 * changed.
 */
static bool is_doubtful(const struct leave_one_out *w, size_t i)
{
	double *more = w->ticks;
	bool twice = false;
	size_t n = 0;

	for (size_t j = 0; j < w->missing; j++) {
		if (j == i || w->dropped[j])
			continue;
		more[n++] = w->now[j] - w->typical[j];
		twice = twice || (i && w->freed[(i - 1) * w->missing + j] &&
				  is_freed(w, j));
	}
	return twice || fabs(statistics_quantile(more, n, 0.5)) >
				DRIFT_MISSES * w->e->scale.penalty;
}

/* Lines that stop missing without number @i; if none does, its set overflows by
 * one line less without it, and it is dropped.
 */
static int note_freed(struct leave_one_out *w, size_t i, struct failure *f)
{
	bool *freed = w->freed + i * w->missing;
	enum outcome outcome = OUTCOME_VOID;
	size_t count = 0;
	int error = 0;

	if (is_doubtful(w, i))
		error = take_sample(w, w->missing, w->typical, &outcome, f);
	for (size_t j = 0; j < w->missing; j++) {
		freed[j] = j != i && !w->dropped[j] && is_freed(w, j);
		count += freed[j];
	}
	if (error || count + 1 >= EVSET_LEAVE_ONE_OUT_LEAST)
		return error;
	w->dropped[i] = true;
	memset(freed, 0, w->missing * sizeof(*freed));
	return take_sample(w, i, w->typical, &outcome, f);
}

static int sample_without_each(struct leave_one_out *w, enum outcome *outcome,
			       struct failure *f)
{
	size_t spoiled = 0;
	int error = 0;

	w->freed = calloc(w->missing * w->missing, sizeof(*w->freed));
	if (!w->freed)
		return prober_out_of_memory(f);
	for (size_t i = 0; !error && i < w->missing; i++) {
		enum outcome sample;

		error = take_sample(w, i, w->now, &sample, f);
		spoiled += sample == OUTCOME_VOID;
		if (!error && sample == OUTCOME_DECIDED)
			error = note_freed(w, i, f);
	}
	*outcome =
		outcome_if(spoiled <= w->missing / MOST_SPOILED, OUTCOME_VOID);
	return error || *outcome != OUTCOME_DECIDED ?
		       error :
		       forget_others(w, outcome, f);
}

/* Each of the two lines needs the other one to miss. */
static bool go_together(const struct leave_one_out *w, size_t a, size_t b)
{
	return a == b ||
	       (w->freed[a * w->missing + b] && w->freed[b * w->missing + a]);
}

/* Do the lines that line @a goes together with go together with each other, and
 * with no others?
 */
static bool is_set(const struct leave_one_out *w, size_t a, size_t *count)
{
	size_t wrong = 0;

	*count = 0;
	for (size_t b = 0; b < w->missing; b++)
		*count += go_together(w, a, b);
	for (size_t b = 0; b < w->missing; b++)
		for (size_t c = 0; go_together(w, a, b) && c < w->missing; c++)
			wrong += go_together(w, b, c) != go_together(w, a, c);
	return *count >= EVSET_LEAVE_ONE_OUT_LEAST &&
	       *count <= EVSET_MOST_WAYS + 1 &&
	       wrong * WRONG_PAIRS <= *count * *count;
}

/* Contention makes sets smaller. */
static void take_largest(const struct leave_one_out *w, struct evset_set *set)
{
	size_t evictors = evset_evictors_wanted(&w->e->o), most = 0, best = 0;

	for (size_t a = 0; a < w->missing; a++) {
		size_t count;

		if (!is_set(w, a, &count) || count <= most)
			continue;
		most = count;
		best = a;
	}
	if (!most)
		return;
	for (size_t b = 0; b < w->missing; b++)
		if (go_together(w, best, b))
			set->lines[set->count++] = w->lines[w->others + b];
	if (evictors > w->others)
		evictors = w->others;
	if (evictors > EVSET_MOST_EVICTORS)
		evictors = EVSET_MOST_EVICTORS;
	memcpy(set->evictors, w->lines, evictors * sizeof(*set->evictors));
	set->evictor_count = evictors;
}

/* Lines that go together may be more than one more than the ways. */
static int shorten(struct leave_one_out *w, struct evset_set *set,
		   struct failure *f)
{
	bool fits = false;
	int error = 0;

	memset(w->dropped, 0, w->missing * sizeof(*w->dropped));
	memcpy(w->lines + w->others, set->lines,
	       set->count * sizeof(*set->lines));
	while (!error && !fits && set->count >= EVSET_LEAVE_ONE_OUT_LEAST) {
		double misses = 0;
		enum outcome outcome;

		w->missing = set->count - 1;
		error = take_sample(w, w->missing, w->now, &outcome, f);
		for (size_t j = 0; outcome == OUTCOME_DECIDED && j < w->missing;
		     j++)
			misses += (w->now[j] + evset_missing_by(w->e)) /
				  (w->e->scale.penalty * (double)w->missing);
		fits = outcome != OUTCOME_DECIDED || misses < FITTING_MISSES;
		set->count -= !fits;
	}
	return error;
}

int evset_leave_one_out(struct evset_machine *e, const uint64_t *lines,
			size_t others, size_t *missing, struct evset_set *set,
			struct failure *f)
{
	struct leave_one_out w = { .e = e,
				   .others = others,
				   .missing = *missing };
	enum outcome outcome = OUTCOME_VOID;
	int error = begin(&w, lines, f);

	*set = (struct evset_set){ .count = 0 };
	if (!error)
		error = confirm(&w, f);
	*missing = w.missing;
	if (!error && w.missing >= EVSET_LEAVE_ONE_OUT_LEAST &&
	    w.missing <= EVSET_LEAVE_ONE_OUT_MOST)
		error = sample_without_each(&w, &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED)
		take_largest(&w, set);
	if (!error && set->count)
		error = shorten(&w, set, f);
	end(&w);
	return error;
}
