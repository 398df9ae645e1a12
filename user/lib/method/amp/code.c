// SPDX-License-Identifier: GPL-2.0
/* code.c - the first cache of code (sections 3.7 to 3.9). */
#include <string.h>

#include "method/amp/level.h"
#include "method/counter/trial.h"
#include "method/instruction/icache.h"

/* If the counter stops, X-Ray goes on by time, which is not AMP. */
static int keep_counted(const struct amp_run *run, struct amp_row *row,
			struct failure *f)
{
	struct counter_check check = { .state = COUNTER_MISSING };
	struct counter_bench bench = { run->p, COUNTER_L1I_MISS, &check };
	struct amp_parameter *all[AMP_PARAMETERS];
	bool open = false;
	int error;

	amp_parameters(row, all);
	for (int i = 0; i < AMP_PARAMETERS; i++) {
		struct parameter *p = &all[i]->p;

		if (parameter_is_measured(p) &&
		    (!p->by || strcmp(p->by, "counters") != 0))
			parameter_undecided(
				p, AMP_METHOD,
				"l1i_miss was taken away meanwhile, and time is not used");
		open |= p->status == PARAMETER_UNDECIDED;
	}
	if (!open)
		return 0;
	error = counter_try_code(&bench, f);
	if (!error && check.unread)
		amp_add_reason(
			row,
			" (l1i_miss did not run in %zu of %zu samples: others use it)",
			check.unread, check.samples);
	return error;
}

static void report(const struct cache_result *found, struct amp_row *row)
{
	struct amp_parameter *const to[] = { &row->block_bytes, &row->size,
					     &row->ways };
	const struct parameter *const from[] = { &found->line_bytes,
						 &found->capacity_bytes,
						 &found->ways };

	for (int i = 0; i < 3; i++) {
		to[i]->p = *from[i];
		to[i]->p.method = AMP_METHOD;
	}
	parameter_unavailable(&row->write_allocate.p, "not measured for code");
	row->write_back.p = row->write_allocate.p;
	row->replacement.p = row->unified.p = row->write_allocate.p;
}

/* Jumps of generated code, and compactness by the counter alone. */
int amp_measure_code(const struct amp_run *run, struct failure *f)
{
	const struct amp_row *data = run->r->caches;
	struct prober *p = run->p;
	const enum prober_by by = p->by;
	const uint64_t before = p->sampled_loads;
	struct hierarchy h;
	struct amp_row *row;
	bool stores;
	int error;

	/* One array is one row. */
	if (run->r->cache_count && parameter_is_measured(&data->unified.p) &&
	    data->unified.p.value > 0)
		return 0;
	hierarchy_init(&h);
	amp_fill_hierarchy(run->r, &h);
	row = amp_add_row(run->r, 1, "instruction", 0);
	if (!row || amp_choose_counter(run, COUNTER_L1I_MISS, row, &stores) ==
			    MACHINE_COUNTERS)
		return 0;
	amp_progress(p, row, "line, size and ways");
	p->by = PROBER_BY_COUNTERS;
	error = icache_measure(p, &h, f);
	p->by = by;
	if (!error)
		report(&h.instruction, row);
	row->size.accesses = p->sampled_loads - before;
	if (error)
		return error;
	/* A failure that only led to another method is none. */
	f->text[0] = '\0';
	return keep_counted(run, row, f);
}
