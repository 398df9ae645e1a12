// SPDX-License-Identifier: GPL-2.0
/* plateau.c - the latency of footprints that the level above has no room for. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/footprint/internal.h"
#include "method/footprint/tuning.h"

/* Of what a miss costs, the most that lines kept above may make the first
 * footprint faster: a fifth of twice a level's lines are kept by random replacement,
 * and a level in between would keep more.
 */
#define MOST_KEPT 0.25
/* Plateaus that are looked for: from the first footprint, and from longer ones. */
#define BEGINNINGS 2
/* Length of a plateau at least: a footprint over the one before. */
#define NEXT(bytes) ((bytes) + (bytes) / 2)
/* Several lines of a page at a time, or few. */
static const struct manner several = { .together = 8 };
static const struct manner few = { .together = 2 };

/** struct point - a footprint that is timed again and again */
struct point {
	struct footprint *fp;
	uint64_t bytes;
	const struct manner *manner;
};

/* Other pages each time. */
static int time_point(void *context, double *ticks, struct failure *f)
{
	const struct point *at = context;
	struct footprint *fp = at->fp;
	const size_t pages = footprint_pages(fp, at->bytes);
	double translation = NAN;
	struct sequence s;
	int error;

	footprint_shuffle(fp);
	*ticks = NAN;
	error = footprint_build(fp, at->manner, pages, &s, f);
	if (error)
		return error;
	error = footprint_time(fp, &s, FOOTPRINT_SAMPLES, ticks, f);
	sequence_free(&s);
	if (!error)
		error = footprint_translation(fp, at->manner, pages,
					      &translation, f);
	*ticks -=
		translation / (double)at->manner->together + fp->p->page_ticks;
	return error;
}

/* NAN: disturbed. */
static int find_point(struct footprint *fp, uint64_t bytes,
		      const struct manner *manner, struct latency *l,
		      struct failure *f)
{
	struct point at = { fp, bytes, manner };

	*l = (struct latency){ NAN, NAN, NAN };
	if (!footprint_pages(fp, bytes))
		return 0;
	prober_progress(fp->p, "footprints: latency of %llu KiB",
			(unsigned long long)(bytes >> 10));
	return latency_of_trials(fp->p, time_point, &at, l, f);
}

static bool is_between(const struct footprint *fp, const struct latency *l)
{
	return l->ns >= (1 + LEVEL_LEAST_MISS) * fp->above_ns &&
	       l->ns <= LEVEL_END_SHARE * fp->memory_ns;
}

static bool differ(struct plateau *found, const struct latency *a,
		   uint64_t a_bytes, const struct latency *b, uint64_t b_bytes,
		   const char *what)
{
	if (latency_same(a, b))
		return false;
	snprintf(found->reason, sizeof(found->reason),
		 "%.2f ns for lines of %llu KiB, %.2f ns for %s %llu KiB",
		 a->ns, (unsigned long long)(a_bytes >> 10), b->ns, what,
		 (unsigned long long)(b_bytes >> 10));
	return true;
}

/* Lines that are kept above make the first one faster, lines that are lost the second
 * one slower.
 */
static struct latency middle(const struct latency *a, const struct latency *b)
{
	return (struct latency){ (a->ticks + b->ticks) / 2,
				 (a->cycles + b->cycles) / 2,
				 (a->ns + b->ns) / 2 };
}

/*
 * Of two lines of a page at a time one waits for a translation, of eight fewer, and
 * of more lines fewer are kept above: where all agree, it is neither.
 */
static int check(struct footprint *fp, const struct latency points[],
		 uint64_t bytes, struct plateau *found, struct failure *f)
{
	struct latency other;
	int error;

	if (!is_between(fp, &points[0])) {
		snprintf(
			found->reason, sizeof(found->reason),
			"lines of %llu KiB take %.2f ns, %.2f ns of the level above and %.2f ns of memory: no level is sure to lie between",
			(unsigned long long)(bytes >> 10), points[0].ns,
			fp->above_ns, fp->memory_ns);
		return 0;
	}
	error = find_point(fp, bytes, &few, &other, f);
	if (error || differ(found, &points[0], bytes, &other, bytes,
			    "fewer lines of a page at a time,"))
		return error;
	found->found = true;
	found->bytes = bytes;
	found->latency = middle(&points[0], &points[1]);
	return 0;
}

/* Lines that are kept above make the first footprint a little faster, no more. */
static bool is_first(const struct footprint *fp, const struct latency *first,
		     const struct latency *plateau)
{
	return plateau->ns - first->ns <=
	       MOST_KEPT * (plateau->ns - fp->above_ns);
}

static int look(struct footprint *fp, struct plateau *found, struct failure *f)
{
	struct latency points[BEGINNINGS + 1];
	uint64_t bytes = fp->first_bytes;
	int error = find_point(fp, bytes, &several, &points[0], f);

	found->found = false;
	found->reason[0] = '\0';
	for (int i = 0; !error && i < BEGINNINGS; i++, bytes = NEXT(bytes)) {
		error = find_point(fp, NEXT(bytes), &several, &points[i + 1],
				   f);
		if (error || !isfinite(points[i].ns))
			return error;
		if (differ(found, &points[i], bytes, &points[i + 1],
			   NEXT(bytes), "those of"))
			continue;
		if (is_first(fp, &points[0], &points[i]))
			return check(fp, &points[i], bytes, found, f);
		return 0;
	}
	return error;
}

int footprint_find_plateau(struct footprint *fp, struct plateau *found,
			   struct failure *f)
{
	int error = look(fp, found, f);

	for (int i = 1; !error && !found->found && i < LATENCY_ATTEMPTS; i++) {
		fp->p->m->ops->pause(fp->p->m, LATENCY_APART_MS);
		error = look(fp, found, f);
	}
	if (!error && !found->found && !found->reason[0])
		snprintf(
			found->reason, sizeof(found->reason),
			"no undisturbed sample (the CPU is too busy: choose another with --cpu)");
	return error;
}
