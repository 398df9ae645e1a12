// SPDX-License-Identifier: GPL-2.0
/* tlb.c - levels of translation, nearest first (section 3.10). */
#include "base/power.h"
#include "method/amp/pages.h"

#define MOST_PAGES (UINT64_C(1) << 15)
#define LEAST_ENTRIES 4

/**
 * struct kind - loads, or fetches
 * @type: of the row
 * @executable: fetches
 * @misses_of: counters, of @levels
 */
struct kind {
	const char *type;
	bool executable;
	enum machine_counter misses_of[2];
	size_t levels;
};

static const struct kind kinds[] = {
	{ "data", false, { COUNTER_DTLB_MISS, COUNTER_STLB_MISS }, 2 },
	{ "instruction", true, { COUNTER_ITLB_MISS }, 1 },
};

/* Without views, or with views that are too short, nothing can be measured. */
static bool no_views(int error)
{
	return error == -EOPNOTSUPP || error == -ENOSPC || error == -ENOMEM;
}

static int measure(const struct amp_run *run, struct amp_space *space,
		   bool executable, const struct cache_result *cache,
		   struct tlb_view *v, struct amp_row *row,
		   struct amp_geometry *g, struct failure *f)
{
	uint64_t first = LEAST_ENTRIES;
	int error;

	amp_progress(run->p, row, "page");
	error = amp_find_page(space, row->mapped_bytes, row->level, executable,
			      &row->block_bytes, f);
	if (!error)
		error = tlb_view_open(v, run->p, row->mapped_bytes,
				      executable ? TLB_JUMPS : TLB_LOADS, cache,
				      MOST_PAGES, false, f);
	if (no_views(error)) {
		amp_leave_open(row, "no view of enough pages: %s", f->text);
		f->text[0] = '\0';
		return 0;
	}
	if (error)
		return error;
	if (run->wanted->decision == AMP_BY_VOTES)
		amp_elect(&row->block_bytes);
	v->counters |= 1U << space->counter;
	space->view = v;
	space->unit = 1;
	space->search.view = v;
	space->search.counter = space->counter;
	if (space->search.upper)
		first = power_below(space->search.upper->entries);
	error = amp_decide_geometry(run, space, row, first, g, f);
	tlb_view_close(v);
	return error;
}

/* Parameters of a level whose entries and ways are known. */
static int measure_rest(const struct amp_run *run, struct amp_space *space,
			bool executable, struct amp_row *row,
			const struct amp_geometry *g, struct failure *f)
{
	struct amp_array a = { .space = space,
			       .geometry = g,
			       .row = row,
			       .executable = executable };
	const struct parameter *above = &(row - 1)->replacement.p;
	int error;

	if (space->search.upper) {
		a.above = space->search.upper->entries;
		a.above_repeats = parameter_is_measured(above) &&
				  !(above->value > 0);
	}
	error = amp_find_tlb_replacement(run, &a, f);
	return error ? error : amp_find_tlb_unified(run, &a, f);
}

static int measure_level(const struct amp_run *run, const struct kind *kind,
			 size_t at, const struct cache_result *cache,
			 struct tlb_geometry *above, bool *more,
			 struct failure *f)
{
	struct amp_row *row = amp_add_row(run->r, (int)at + 1, kind->type,
					  run->p->m->view_page_bytes[0]);
	struct amp_space space = { .p = run->p };
	struct amp_geometry g = { 0 };
	struct tlb_view v;
	int error;

	if (!row)
		return 0;
	space.counter = amp_choose_counter(run, kind->misses_of[at], row,
					   &space.stores);
	if (space.counter == MACHINE_COUNTERS) {
		*more = false;
		return 0;
	}
	if (!*more) {
		amp_leave_below(row);
		return 0;
	}
	if (at)
		space.search.upper = above;
	error = measure(run, &space, kind->executable, cache, &v, row, &g, f);
	if (!error && g.ways)
		error = measure_rest(run, &space, kind->executable, row, &g, f);
	amp_forget(&space);
	*more = g.ways != 0;
	if (!error && !*more)
		amp_leave_open(row, "entries and ways were not found");
	error = amp_outlive(&space, row, error, f);
	if (!error && *more)
		*above = (struct tlb_geometry){
			.found = true,
			.entries = g.size,
			.ways = g.ways,
			.sets = g.size / g.ways,
			.index = INDEX_LINEAR,
			.conflict = g.size / g.ways,
			.group = 1,
		};
	return error;
}

static int measure_kind(const struct amp_run *run, const struct kind *kind,
			const struct cache_result *first, struct failure *f)
{
	struct tlb_geometry above = { .found = false };
	bool more = true;
	int error = 0;

	for (size_t i = 0; !error && i < kind->levels; i++) {
		if (i && run->checks->role[kind->misses_of[i]].state ==
				 COUNTER_MISSING)
			break;
		error = measure_level(run, kind, i, first, &above, &more, f);
	}
	return error;
}

int amp_measure_tlbs(const struct amp_run *run,
		     const struct cache_result *first, struct failure *f)
{
	const struct machine *m = run->p->m;
	int error = 0;

	if (!m->ops->view_open || !m->view_page_count)
		return 0;
	for (size_t i = 0; !error && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!kinds[i].executable || m->view_executable)
			error = measure_kind(run, &kinds[i], first, f);
	return error;
}
