// SPDX-License-Identifier: GPL-2.0
/* room.c - how many lines of a footprint are kept. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/footprint/internal.h"
#include "method/footprint/tuning.h"
#include "method/level/page_share.h"

/* Footprints of an octave, and most of a sweep. */
#define PER_OCTAVE 4
#define MOST_POINTS 64
/* Two levels below lie apart: the curve is no higher PAUSE footprints later. */
#define PAUSE 2
/* Where more lines come from memory, an error of their share counts too much. */
#define MOST_MISSING 0.5
/* Two sweeps agree whose ends are neighbours, each of which is known to a footprint. */
#define AGREE exp2(-2.0 / PER_OCTAVE)
/* Parts of an octave that results are multiples of. */
#define PARTS 8

/**
 * struct sweep - footprints from the plateau to memory, each one within the next
 * @ticks: what a load of each takes
 * @count: of those that were timed
 * @ended: half of the last one came from memory
 * @between: another level lies between this one and memory
 */
struct sweep {
	double ticks[MOST_POINTS];
	size_t count;
	bool ended;
	bool between;
};

static double bytes_of(const struct plateau *plateau, size_t i)
{
	return (double)plateau->bytes * exp2((double)i / PER_OCTAVE);
}

/*
 * Long walks are seldom undisturbed. What takes the CPU away in a sample makes that
 * one long, and may take room: both make less of the level, and few samples are so.
 */
static int time_some(struct footprint *fp, const struct sequence *s,
		     const struct walk_plan *plan, double *ticks,
		     struct failure *f)
{
	struct machine *m = fp->p->m;
	struct sample samples[SWEEP_SAMPLES];
	double values[SWEEP_SAMPLES];
	int error = m->ops->walk(m, s, plan, samples, f);

	for (unsigned int i = 0; !error && i < plan->samples; i++)
		values[i] = samples[i].ticks / (double)samples[i].loads;
	if (!error)
		*ticks = statistics_quantile(values, plan->samples, 0.25);
	return error;
}

/* NAN: too little memory. */
static int time_bytes(struct footprint *fp, double bytes,
		      const struct walk_plan *plan, double *ticks,
		      struct failure *f)
{
	size_t pages = footprint_pages(fp, (uint64_t)bytes);
	struct sequence s;
	int error;

	*ticks = NAN;
	if (!pages)
		return 0;
	prober_progress(fp->p, "footprints: room for %.0f KiB", bytes / 1024);
	error = footprint_build(fp, pages, &s, f);
	if (error)
		return error;
	error = prober_stopped(fp->p) ? -EINTR :
					time_some(fp, &s, plan, ticks, f);
	sequence_free(&s);
	return error;
}

/* Share of a footprint that comes from memory, where all of it takes @far. */
static double missing(const struct sweep *sweep, size_t i, double far)
{
	double base = sweep->ticks[0];

	for (size_t j = 1; j < i; j++)
		base = fmin(base, sweep->ticks[j]);
	return fmin(fmax((sweep->ticks[i] - base) / (far - base), 0), 1);
}

/* Does the curve pause on its way from the plateau to memory? */
static bool pauses(const struct sweep *sweep, double far)
{
	const double *last = &sweep->ticks[sweep->count - 1];

	return sweep->count > PAUSE &&
	       last[-PAUSE] >= (1 + LEVEL_LEAST_MISS) * sweep->ticks[0] &&
	       *last <= LEVEL_END_SHARE * far &&
	       *last <= (1 + PAGE_SHARE_PART) * last[-PAUSE];
}

static int sweep_once(struct footprint *fp, const struct plateau *plateau,
		      double far, struct sweep *sweep, struct failure *f)
{
	const struct walk_plan plan = footprint_plan(fp, SWEEP_SAMPLES);
	int error = 0;

	*sweep = (struct sweep){ .count = 0 };
	footprint_shuffle(fp);
	while (!error && !sweep->ended && sweep->count < MOST_POINTS) {
		double *ticks = &sweep->ticks[sweep->count];

		error = time_bytes(fp, bytes_of(plateau, sweep->count), &plan,
				   ticks, f);
		if (!isfinite(*ticks))
			break;
		sweep->ended = missing(sweep, sweep->count, far) > MOST_MISSING;
		sweep->count++;
		sweep->between |= pauses(sweep, far);
	}
	return error;
}

/* Lines that hit are no more than there is room for, under whatever policy. */
static double kept(const struct sweep *sweep, const struct plateau *plateau,
		   double far)
{
	double most = 0;

	for (size_t i = 0; i < sweep->count; i++)
		most = fmax(most, bytes_of(plateau, i) *
					  (1 - missing(sweep, i, far)));
	return most;
}

/* Footprints are no finer. */
static double rounded(double bytes)
{
	double octave = exp2(floor(log2(bytes)));

	return octave + octave / PARTS * floor((bytes / octave - 1) * PARTS);
}

/**
 * struct rooms - what sweeps have found
 * @most: bytes that were kept
 * @next: the most but for that
 * @flat: sweeps that paused
 * @count: of sweeps
 */
struct rooms {
	double most;
	double next;
	size_t flat;
	size_t count;
};

/* Other load takes room, and never adds any: where the two largest agree, it took
 * little of them.
 */
static bool agree(const struct rooms *rooms)
{
	return rooms->count > 1 && rooms->next >= AGREE * rooms->most;
}

static bool is_flat(const struct rooms *rooms)
{
	return rooms->flat == rooms->count;
}

/* A level between is flat over octaves, which each sweep shows; what other load
 * makes flat does not last.
 */
static bool is_settled(const struct rooms *rooms)
{
	return agree(rooms) && !is_flat(rooms);
}

static void add(struct rooms *rooms, const struct sweep *sweep, double bytes)
{
	rooms->next = fmax(rooms->next, fmin(rooms->most, bytes));
	rooms->most = fmax(rooms->most, bytes);
	rooms->flat += sweep->between;
	rooms->count++;
}

static void conclude(const struct rooms *rooms, struct parameter *bytes)
{
	if (is_flat(rooms)) {
		parameter_undecided(
			bytes, FOOTPRINT_METHOD,
			"another level lies between it and memory: where it ends is not known");
		return;
	}
	if (!agree(rooms)) {
		parameter_undecided(
			bytes, FOOTPRINT_METHOD,
			"room for %.4g MiB at one time, %.4g MiB at most at another: other load uses it",
			rooms->most / (1 << 20), rooms->next / (1 << 20));
		return;
	}
	parameter_measured(bytes, rounded(rooms->most), 0, FOOTPRINT_METHOD);
	snprintf(
		bytes->reason, sizeof(bytes->reason),
		"effective: what a program can visit before loads come from memory, here and in the levels above together");
}

static void leave_open(const struct sweep *sweep, const struct plateau *plateau,
		       struct parameter *bytes)
{
	parameter_undecided(
		bytes, FOOTPRINT_METHOD,
		"footprints up to %.4g MiB do not fill it (give more memory)",
		bytes_of(plateau, sweep->count ? sweep->count - 1 : 0) /
			(1 << 20));
}

/* The last footprint with all of its lines flushed: prefetchers and translations make
 * of its loads what they made of those that came from memory in the sweep.
 */
static int find_far(struct footprint *fp, const struct plateau *plateau,
		    const struct sweep *sweep, double *far, struct failure *f)
{
	const struct walk_plan plan = {
		.flags = WALK_COLD | WALK_PLAIN_LOADS,
		.samples = COLD_SAMPLES,
		.seldom = true,
	};
	double ticks;
	int error = time_bytes(fp, bytes_of(plateau, sweep->count - 1), &plan,
			       &ticks, f);

	*far = isfinite(ticks) ? fmin(*far, ticks) : *far;
	return error;
}

int footprint_find_room(struct footprint *fp, const struct plateau *plateau,
			struct parameter *bytes, struct failure *f)
{
	double far = prober_load_ticks(fp->p, fp->memory_ns);
	struct rooms rooms = { .count = 0 };
	int error = 0;

	while (rooms.count < MOST_SWEEPS && !is_settled(&rooms)) {
		struct sweep sweep;

		error = sweep_once(fp, plateau, far, &sweep, f);
		if (!error && !sweep.ended)
			leave_open(&sweep, plateau, bytes);
		if (error || !sweep.ended)
			return error;
		if (!rooms.count)
			error = find_far(fp, plateau, &sweep, &far, f);
		if (error)
			return error;
		add(&rooms, &sweep, kept(&sweep, plateau, far));
	}
	conclude(&rooms, bytes);
	return 0;
}
