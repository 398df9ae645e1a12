// SPDX-License-Identifier: GPL-2.0
#include "method/evset/minimal/leave_one_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/per_load.h"

/* A look that somebody else has spoiled is repeated; one that stays so is of no use,
 * nor are the others if there are many of them.
 */
#define TRIES 3
#define MOST_SPOILED 8
/* Those that are late by chance, or for a translation, are not late again. */
#define CONFIRMED 2
/* One in so many answers about pairs of a set may be wrong. */
#define WRONG_PAIRS 8
/* Of lines that are none of a set that overflows one in so many may be late. */
#define OTHERS_LATE 8
/* One line more than fits makes those of a set late in a third of loads under the
 * policy of a Zen 3, another one in nearly all: a line that goes takes so many misses
 * of each load with it, if the others are still late or not.
 */
#define GONE_MISSES 0.3
/* Most lines are as late as before if that is all. */
#define DRIFT_MISSES 0.1
/* What lines of a set that fits miss, at most, on the average. */
#define FITTING_MISSES 0.1

/**
 * struct without - looks at lines that are late
 * @lines: @others that are not, then @late that are
 * @dropped: by line that is late: its set overflows without it as well
 * @list: those of a look
 * @ticks: of each, and as much room
 * @now: by line that is late, in the last look: above 0 is late
 * @usual: the same in the last look at all that are not dropped
 * @gone: by line that was left out, and by line: it went, too
 */
struct without {
	struct evset_machine *e;
	uint64_t *lines;
	size_t others;
	size_t late;
	bool *dropped;
	uint64_t *list;
	double *ticks;
	double *now;
	double *usual;
	bool *gone;
};

static int begin(struct without *w, const uint64_t *lines, struct failure *f)
{
	const size_t n = w->others + w->late + 1;

	w->lines = calloc(n, sizeof(*w->lines));
	w->list = calloc(n, sizeof(*w->list));
	w->ticks = calloc(2 * n, sizeof(*w->ticks));
	w->dropped = calloc(n, sizeof(*w->dropped));
	w->now = calloc(n, sizeof(*w->now));
	w->usual = calloc(n, sizeof(*w->usual));
	if (!w->lines || !w->list || !w->ticks || !w->dropped || !w->now ||
	    !w->usual)
		return prober_out_of_memory(f);
	memcpy(w->lines, lines, (n - 1) * sizeof(*lines));
	return 0;
}

static void end(struct without *w)
{
	free(w->lines);
	free(w->list);
	free(w->ticks);
	free(w->dropped);
	free(w->now);
	free(w->usual);
	free(w->gone);
}

/* Against the others: what these are late by themselves speaks against the look. */
static bool judge(struct without *w, size_t late, size_t n)
{
	double *others = w->ticks + n, usual;
	size_t spoiled = 0;

	memcpy(others, w->ticks + late, w->others * sizeof(*others));
	usual = sampler_quantile(others, w->others, 0.5);
	for (size_t j = 0; j < n; j++)
		w->ticks[j] -= usual + evset_late_by(w->e);
	for (size_t j = late; j < n; j++)
		spoiled += w->ticks[j] > 0;
	return spoiled <= w->others / OTHERS_LATE;
}

/* By how much all but number @without and those that are dropped are late. */
static int look(struct without *w, size_t without, double *by, bool *good,
		struct failure *f)
{
	size_t n = 0, late;
	int error = 0;

	*good = false;
	for (size_t i = 0; i < w->late; i++)
		if (i != without && !w->dropped[i])
			w->list[n++] = w->lines[w->others + i];
	late = n;
	n += w->others;
	memcpy(w->list + late, w->lines, w->others * sizeof(*w->list));
	for (int i = 0; !error && !*good && i < TRIES; i++) {
		error = evset_look_in_orders(w->e, w->list, n, w->ticks, f);
		*good = !error && judge(w, late, n);
	}
	for (size_t i = 0, j = 0; *good && i < w->late; i++)
		if (i != without && !w->dropped[i])
			by[i] = w->ticks[j++];
	return error;
}

/* Only those that are late once more. */
static int confirm(struct without *w, struct failure *f)
{
	uint64_t *late = w->lines + w->others;
	int error = 0;

	for (int i = 0; !error && w->late && i < CONFIRMED; i++) {
		size_t n = 0;
		bool good;

		error = look(w, w->late, w->now, &good, f);
		for (size_t j = 0; !error && good && j < w->late; j++)
			if (w->now[j] > 0) {
				w->usual[n] = w->now[j];
				late[n++] = late[j];
			}
		w->late = n;
	}
	return error;
}

/* What was late only for a while went with any line that was left out then. */
static int forget_others(struct without *w, bool *good, struct failure *f)
{
	int error = look(w, w->late, w->now, good, f);

	for (size_t j = 0; !error && *good && j < w->late; j++)
		for (size_t i = 0; w->now[j] <= 0 && i < w->late; i++)
			w->gone[i * w->late + j] = false;
	return error;
}

static bool has_gone(const struct without *w, size_t j)
{
	const double by = GONE_MISSES * w->e->scale.penalty;

	return w->usual[j] > 0 &&
	       (w->now[j] <= 0 || w->usual[j] - w->now[j] >= by);
}

/* Most lines do not take what they took before, or one has gone twice in a row: then
 * it is somebody else who has come or gone.
 */
static bool is_doubtful(const struct without *w, size_t i)
{
	double *more = w->ticks;
	bool twice = false;
	size_t n = 0;

	for (size_t j = 0; j < w->late; j++) {
		if (j == i || w->dropped[j])
			continue;
		more[n++] = w->now[j] - w->usual[j];
		twice = twice ||
			(i && w->gone[(i - 1) * w->late + j] && has_gone(w, j));
	}
	return twice || fabs(sampler_quantile(more, n, 0.5)) >
				DRIFT_MISSES * w->e->scale.penalty;
}

/* Which ones go with number @i; if none does it is dropped, for their set overflows by
 * one less then.
 */
static int note_gone(struct without *w, size_t i, struct failure *f)
{
	bool *gone = w->gone + i * w->late, told = false;
	size_t count = 0;
	int error = 0;

	if (is_doubtful(w, i))
		error = look(w, w->late, w->usual, &told, f);
	for (size_t j = 0; j < w->late; j++) {
		gone[j] = j != i && !w->dropped[j] && has_gone(w, j);
		count += gone[j];
	}
	if (error || count + 1 >= EVSET_WITHOUT_LEAST)
		return error;
	w->dropped[i] = true;
	memset(gone, 0, w->late * sizeof(*gone));
	return look(w, i, w->usual, &told, f);
}

static int look_without_each(struct without *w, bool *good, struct failure *f)
{
	size_t spoiled = 0;
	int error = 0;

	w->gone = calloc(w->late * w->late, sizeof(*w->gone));
	if (!w->gone)
		return prober_out_of_memory(f);
	for (size_t i = 0; !error && i < w->late; i++) {
		bool told;

		error = look(w, i, w->now, &told, f);
		spoiled += !told;
		if (!error && told)
			error = note_gone(w, i, f);
	}
	*good = spoiled <= w->late / MOST_SPOILED;
	return error || !*good ? error : forget_others(w, good, f);
}

/* Each of them needs the other one. */
static bool are_mates(const struct without *w, size_t a, size_t b)
{
	return a == b || (w->gone[a * w->late + b] && w->gone[b * w->late + a]);
}

/* Do those that line @a goes with go with each other, and with no others? */
static bool is_set(const struct without *w, size_t a, size_t *count)
{
	size_t wrong = 0;

	*count = 0;
	for (size_t b = 0; b < w->late; b++)
		*count += are_mates(w, a, b);
	for (size_t b = 0; b < w->late; b++)
		for (size_t c = 0; are_mates(w, a, b) && c < w->late; c++)
			wrong += are_mates(w, b, c) != are_mates(w, a, c);
	return *count >= EVSET_WITHOUT_LEAST && *count <= EVSET_MOST_WAYS + 1 &&
	       wrong * WRONG_PAIRS <= *count * *count;
}

/* Disturbances make sets smaller. */
static void take_largest(const struct without *w, struct evset_set *set)
{
	size_t padding = evset_padding(&w->e->o), most = 0, best = 0;

	for (size_t a = 0; a < w->late; a++) {
		size_t count;

		if (!is_set(w, a, &count) || count <= most)
			continue;
		most = count;
		best = a;
	}
	if (!most)
		return;
	for (size_t b = 0; b < w->late; b++)
		if (are_mates(w, best, b))
			set->lines[set->count++] = w->lines[w->others + b];
	if (padding > w->others)
		padding = w->others;
	if (padding > EVSET_MOST_PADDING)
		padding = EVSET_MOST_PADDING;
	memcpy(set->padding, w->lines, padding * sizeof(*set->padding));
	set->padding_count = padding;
}

/* Those that go with each other may be more lines than have to. */
static int shorten(struct without *w, struct evset_set *set, struct failure *f)
{
	bool fits = false;
	int error = 0;

	memset(w->dropped, 0, w->late * sizeof(*w->dropped));
	memcpy(w->lines + w->others, set->lines,
	       set->count * sizeof(*set->lines));
	while (!error && !fits && set->count >= EVSET_WITHOUT_LEAST) {
		double misses = 0;
		bool good;

		w->late = set->count - 1;
		error = look(w, w->late, w->now, &good, f);
		for (size_t j = 0; good && j < w->late; j++)
			misses += (w->now[j] + evset_late_by(w->e)) /
				  (w->e->scale.penalty * (double)w->late);
		fits = !good || misses < FITTING_MISSES;
		set->count -= !fits;
	}
	return error;
}

int evset_without(struct evset_machine *e, const uint64_t *lines, size_t others,
		  size_t *late, struct evset_set *set, struct failure *f)
{
	struct without w = { .e = e, .others = others, .late = *late };
	bool good = false;
	int error = begin(&w, lines, f);

	*set = (struct evset_set){ .count = 0 };
	if (!error)
		error = confirm(&w, f);
	*late = w.late;
	if (!error && w.late >= EVSET_WITHOUT_LEAST &&
	    w.late <= EVSET_WITHOUT_MOST)
		error = look_without_each(&w, &good, f);
	if (!error && good)
		take_largest(&w, set);
	if (!error && set->count)
		error = shorten(&w, set, f);
	end(&w);
	return error;
}
