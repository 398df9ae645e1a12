// SPDX-License-Identifier: GPL-2.0
/* cache.c - levels of data cache, nearest first. */
#include <math.h>
#include <string.h>

#include "base/power.h"
#include "method/amp/share.h"

/* The paper's MIN_CACHE_SIZE. */
#define LEAST_BYTES 1024
/*
 * More lines than ways of any set below the first level, and few enough that
 * two slices do not both overflow.
 */
#define FAR_LINES 24
/*
 * Lines of a set, as a multiple of its ways, that evict all earlier ones: all
 * miss then under any policy but random ones (algorithms 1.3).
 */
#define SWEEP 2

static const enum machine_counter misses_of[] = { COUNTER_L1D_MISS,
						  COUNTER_L2_MISS,
						  COUNTER_L3_MISS };

#define LEVELS (sizeof(misses_of) / sizeof(misses_of[0]))

/* Lines as far apart as possible must share a set, or no stride finds sets. */
static int try_far(struct amp_judge *j, struct failure *f)
{
	uint64_t stride = power_below(amp_most(j->space) / 2 / FAR_LINES);
	const struct shape w = amp_shape(j->space, stride, FAR_LINES);
	enum verdict verdict;
	int error = amp_decide(j, &w, (double)shape_length(&w), &verdict, f);

	if (!error && verdict == VERDICT_COMPACT)
		amp_doubt(
			j,
			"%d lines %llu KiB apart all fit: no stride finds a set (hashed index)",
			FAR_LINES, (unsigned long long)stride >> 10);
	return error;
}

static int find_line(const struct amp_run *run, struct amp_space *space,
		     struct amp_row *row, struct failure *f)
{
	double line;
	size_t share;
	int error;

	amp_progress(run->p, row, "line");
	error = amp_line_votes(space, &row->block_bytes, f);
	if (error)
		return error;
	row->block_bytes.accesses = space->accesses;
	line = amp_elected(&row->block_bytes, &share);
	if (isnan(line) || line < sizeof(uint64_t) || line > LEAST_BYTES)
		amp_leave_open(row, "a cold row misses too much or too little");
	else
		space->unit = (uint64_t)line;
	if (run->wanted->decision == AMP_BY_VOTES)
		amp_elect(&row->block_bytes);
	return 0;
}

/*
 * An apparent line may be several that are loaded together: then size and ways
 * are wrong too.
 */
static int check_line(struct amp_space *space, struct amp_row *row,
		      struct amp_geometry *g, struct failure *f)
{
	struct amp_judge j = { .space = space, .vote = AMP_ALL };
	const struct budget_scope scope = budget_open(&space->p->budget);
	uint64_t before = space->accesses;
	double bound;
	int error;

	amp_progress(space->p, row, "line");
	error = amp_check_line(&j, g, space->unit, f);
	bound = budget_close(&space->p->budget, &scope);
	row->block_bytes.accesses += space->accesses - before;
	if (error)
		return error;
	if (!j.why[0]) {
		amp_measured(&row->block_bytes.p, (double)space->unit, bound);
		return 0;
	}
	parameter_undecided(&row->size.p, AMP_METHOD, "line: %s", j.why);
	row->ways.p = row->size.p;
	parameter_undecided(&row->block_bytes.p, AMP_METHOD, "%s", j.why);
	*g = (struct amp_geometry){ 0 };
	return 0;
}

/* Size and ways depend on the line, which could not be checked. */
static void unsay_geometry(const struct amp_run *run, struct amp_row *row,
			   struct amp_geometry *g, const struct failure *f)
{
	*g = (struct amp_geometry){ 0 };
	if (run->wanted->decision == AMP_BY_VOTES)
		return;
	parameter_undecided(&row->size.p, AMP_METHOD, "%s", f->text);
	row->ways.p = row->size.p;
	row->block_bytes.p = row->size.p;
}

/* Parameters of a level whose size and ways are known. */
static int measure_rest(const struct amp_run *run, struct amp_space *space,
			struct amp_row *row, const struct amp_geometry *g,
			struct failure *f)
{
	int error = amp_find_write_allocate(run, space, g, row, f);

	if (!error)
		error = amp_find_replacement(run, space, g, row, f);
	if (!error)
		error = amp_find_unified(run, space, g, row, f);
	/* The level above is the first one. */
	if (!error && space->x.upper_count == 1)
		error = amp_find_write_back(run, space, g, &run->r->caches[0],
					    f);
	return error;
}

static int measure(const struct amp_run *run, struct amp_space *space,
		   struct amp_row *row, struct amp_geometry *g,
		   struct failure *f)
{
	struct amp_judge j = { .space = space, .vote = AMP_ALL };
	uint64_t first = LEAST_BYTES;
	int error = find_line(run, space, row, f);

	if (error || !space->unit)
		return error;
	if (space->x.upper_count) {
		first = power_below(xray_level_bytes(
			&space->x.upper[space->x.upper_count - 1]));
		error = try_far(&j, f);
	}
	if (j.why[0])
		amp_leave_open(row, "%s", j.why);
	if (error || j.why[0])
		return error;
	error = amp_decide_geometry(run, space, row, first / space->unit, g, f);
	if (!error && g->ways && run->wanted->decision == AMP_SEQUENTIAL)
		error = check_line(space, row, g, f);
	if (error == -ENODATA)
		unsay_geometry(run, row, g, f);
	return error || !g->ways ? error : measure_rest(run, space, row, g, f);
}

static int measure_level(const struct amp_run *run, size_t at,
			 struct xray_level *known, bool *more,
			 struct failure *f)
{
	struct amp_row *row = amp_add_row(run->r, (int)at + 1, "data", 0);
	struct amp_space space = { .p = run->p };
	struct amp_geometry g = { 0 };
	int error;

	if (!row)
		return 0;
	space.counter =
		amp_choose_counter(run, misses_of[at], row, &space.stores);
	if (space.counter == MACHINE_COUNTERS) {
		*more = false;
		return 0;
	}
	if (!*more) {
		amp_leave_below(row);
		return 0;
	}
	xray_prepare(&space.x, run->p, known, at);
	error = measure(run, &space, row, &g, f);
	amp_forget(&space);
	if (error == -ENODATA && at == 1)
		amp_leave_open(&run->r->caches[0], "%s", f->text);
	*more = g.ways != 0;
	if (!error && !*more)
		amp_leave_open(row, "size and ways were not found");
	error = amp_outlive(&space, row, error, f);
	if (!error && *more)
		known[at] = (struct xray_level){
			.ways = g.ways,
			.way_bytes = g.size / g.ways,
			.line_bytes = space.unit,
			.own = g.ways,
			.clearing = SWEEP * g.ways,
		};
	return error;
}

/* Write-back is seen in the next level. */
static void say_write_back(struct amp_result *r)
{
	for (size_t i = 0; i < r->cache_count; i++) {
		struct parameter *p = &r->caches[i].write_back.p;

		if (strcmp(p->reason, AMP_NOT_MEASURED) != 0)
			continue;
		if (i)
			parameter_unavailable(
				p,
				"only writes of a level below would show it, and no counter counts them");
		else
			parameter_undecided(
				p, AMP_METHOD,
				"L2, which would show it, is not known%s%s",
				r->cache_count > 1 ? ": " : "",
				r->cache_count > 1 ?
					r->caches[1].ways.p.reason :
					"");
	}
}

/*
 * The first two levels always have a row; the third one if something counts it.
 */
int amp_measure_caches(const struct amp_run *run, struct failure *f)
{
	struct xray_level known[LEVELS] = { { .ways = 0 } };
	bool more = true;
	int error = 0;

	for (size_t i = 0; !error && i < LEVELS && i < run->wanted->caches;
	     i++) {
		if (i > 1 &&
		    run->checks->role[misses_of[i]].state == COUNTER_MISSING)
			break;
		error = measure_level(run, i, known, &more, f);
	}
	say_write_back(run->r);
	return error;
}
