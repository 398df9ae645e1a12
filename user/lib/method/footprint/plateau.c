// SPDX-License-Identifier: GPL-2.0
/* plateau.c - the latency of footprints that the level above has no room for. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/footprint/internal.h"
#include "method/footprint/tuning.h"

/* Footprints that are tried: where lines are kept above, a longer one has fewer. */
#define FOOTPRINTS 2
#define NEXT(bytes) ((bytes) + (bytes) / 2)

/** struct point - a footprint that is timed again and again */
struct point {
	struct footprint *fp;
	size_t pages;
};

/* Other pages each time. */
static int time_point(void *context, double *ticks, struct failure *f)
{
	const struct point *at = context;

	footprint_shuffle(at->fp);
	return footprint_time_alone(at->fp, at->pages, ticks, f);
}

int footprint_find_latency(struct footprint *fp, uint64_t bytes,
			   struct latency *l, struct failure *f)
{
	struct point at = { fp, footprint_pages(fp, bytes) };

	*l = (struct latency){ NAN, NAN, NAN };
	if (!at.pages)
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

/* Sets and room of the level above say the same: that no line is kept there, and
 * that none is lost below.
 */
static void compare(const struct footprint *fp, uint64_t bytes,
		    const struct latency *room, const struct latency *sets,
		    struct plateau *found)
{
	if (!latency_same(sets, room) &&
	    room->ns > LEVEL_END_SHARE * fp->memory_ns) {
		snprintf(
			found->reason, sizeof(found->reason),
			"lines of %llu KiB come from memory (%.2f ns), lines of %zu pages that share sets of the level above do not (%.2f ns): other load leaves less room",
			(unsigned long long)(bytes >> 10), room->ns,
			fp->lists.count, sets->ns);
	} else if (!latency_same(sets, room)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"%.2f ns for lines of %llu KiB, %.2f ns for lines of %zu pages that share sets of the level above",
			room->ns, (unsigned long long)(bytes >> 10), sets->ns,
			fp->lists.count);
	} else if (!is_between(fp, sets)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"lines of %llu KiB take %.2f ns, %.2f ns of the level above and %.2f ns of memory: no level is sure to lie between",
			(unsigned long long)(bytes >> 10), room->ns,
			fp->above_ns, fp->memory_ns);
	} else {
		found->found = true;
		found->bytes = bytes;
		found->latency = *sets;
	}
}

static int look(struct footprint *fp, struct plateau *found, struct failure *f)
{
	uint64_t bytes = fp->first_bytes;
	struct latency room, sets;
	int error = 0;

	*found = (struct plateau){ .found = false };
	for (int i = 0; !error && !found->found && i < FOOTPRINTS;
	     i++, bytes = NEXT(bytes)) {
		error = footprint_time_lists(fp, &sets, f);
		if (!error)
			error = footprint_find_latency(fp, bytes, &room, f);
		if (error || !isfinite(sets.ns) || !isfinite(room.ns))
			return error;
		compare(fp, bytes, &room, &sets, found);
	}
	return error;
}

int footprint_find_plateau(struct footprint *fp, struct plateau *found,
			   struct failure *f)
{
	int error;

	*found = (struct plateau){ .found = false };
	if (!fp->lists.count) {
		snprintf(
			found->reason, sizeof(found->reason),
			"too few lines are known that share sets of the level above, so no second way to the latency");
		return 0;
	}
	error = look(fp, found, f);
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
