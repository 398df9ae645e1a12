// SPDX-License-Identifier: GPL-2.0
#include "method/amp/level.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum machine_counter amp_choose_counter(const struct amp_run *run,
					enum machine_counter role,
					struct amp_row *row, bool *stores)
{
	const struct counter_check *check = &run->checks->role[role];
	const char *name = machine_counter_name(role);
	struct amp_parameter *all[AMP_PARAMETERS];

	*stores = check->state != COUNTER_BELIEVED;
	if (*stores && check->substitute != MACHINE_COUNTERS)
		role = check->substitute;
	if (!*stores || check->substitute != MACHINE_COUNTERS) {
		row->counter = machine_counter_name(role);
		run->r->answered = true;
		return role;
	}
	amp_parameters(row, all);
	for (int i = 0; i < AMP_PARAMETERS; i++)
		if (check->state == COUNTER_MISSING)
			parameter_unavailable(&all[i]->p,
					      "N/C: nothing counts %s here",
					      name);
		else
			parameter_unavailable(&all[i]->p, "N/C: %s is %s: %s",
					      name,
					      counter_state_name(check->state),
					      check->reason);
	return MACHINE_COUNTERS;
}

void amp_leave_open(struct amp_row *row, const char *format, ...)
{
	struct amp_parameter *all[AMP_PARAMETERS];
	char reason[200];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	amp_parameters(row, all);
	for (int i = 0; i < AMP_PARAMETERS; i++)
		if (all[i]->p.status == PARAMETER_UNAVAILABLE &&
		    !strcmp(all[i]->p.reason, AMP_NOT_MEASURED))
			parameter_undecided(&all[i]->p, AMP_METHOD, "%s",
					    reason);
}

void amp_measured(struct parameter *p, double value, double bound)
{
	parameter_measured(p, value, bound, AMP_METHOD);
	p->by = "counters";
}

int amp_cannot(struct amp_parameter *to, int error, struct failure *f)
{
	if (error != -EAGAIN)
		return error;
	parameter_undecided(&to->p, AMP_METHOD, "%s", f->text);
	f->text[0] = '\0';
	return 0;
}

void amp_conclude_unanimous(const struct amp_run *run, struct amp_parameter *to,
			    const char *why)
{
	struct budget *budget = &run->p->budget;
	const struct budget_scope scope = budget_open(budget);
	size_t share;
	double value = amp_elected(to, &share);
	const bool may = share == AMP_VOTES &&
			 run->wanted->decision != AMP_BY_VOTES &&
			 budget_draw(budget, run->p->rules.alpha);
	const double bound = budget_close(budget, &scope);

	if (run->wanted->decision == AMP_BY_VOTES)
		amp_elect(to);
	else if (may)
		amp_measured(&to->p, value, bound);
	else
		parameter_undecided(&to->p, AMP_METHOD, "%s", why);
}

void amp_progress(struct prober *p, const struct amp_row *row, const char *what)
{
	prober_progress(p, "AMP: L%d %s%s: %s", row->level, row->type,
			row->mapped_bytes ? " TLB" : "", what);
}

void amp_leave_below(struct amp_row *row)
{
	const struct amp_row *above = row - 1;

	amp_leave_open(row, "the level above is not known: %s",
		       above->ways.p.reason);
}

void amp_append(struct parameter *p, const char *format, ...)
{
	const size_t length = strlen(p->reason);
	va_list args;

	if (p->status != PARAMETER_UNDECIDED)
		return;
	va_start(args, format);
	vsnprintf(p->reason + length, sizeof(p->reason) - length, format, args);
	va_end(args);
}

void amp_add_reason(struct amp_row *row, const char *format, ...)
{
	struct amp_parameter *all[AMP_PARAMETERS];
	char more[128];
	va_list args;

	va_start(args, format);
	vsnprintf(more, sizeof(more), format, args);
	va_end(args);
	amp_parameters(row, all);
	for (int i = 0; i < AMP_PARAMETERS; i++)
		amp_append(&all[i]->p, "%s", more);
}

int amp_outlive(const struct amp_space *space, struct amp_row *row, int error,
		struct failure *f)
{
	if ((!error || error == -ENODATA) && space->voids)
		amp_add_reason(
			row,
			" (%s did not run in %u observations: others use it)",
			machine_counter_name(space->counter), space->voids);
	if (error != -ENODATA)
		return error;
	amp_leave_open(row, "%s", f->text);
	f->text[0] = '\0';
	return 0;
}

/* Each vote follows its own path through the hypotheses. */
static int cast_votes(struct amp_space *space, uint64_t first,
		      struct amp_row *row, struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < AMP_VOTES; i++) {
		struct amp_judge j = { .space = space, .vote = i };
		uint64_t before = space->accesses;
		struct amp_geometry g = { 0 };

		amp_progress(space->p, row, "size");
		error = amp_find_size(&j, first, &g, f);
		row->size.accesses += space->accesses - before;
		if (error || !g.size)
			continue;
		amp_vote(&row->size, (double)g.size);
		before = space->accesses;
		amp_progress(space->p, row, "ways");
		error = amp_find_ways(&j, &g, f);
		row->ways.accesses += space->accesses - before;
		amp_vote(&row->ways, g.ways ? (double)g.ways : NAN);
	}
	return error;
}

static int find_checked_ways(struct amp_judge *j, struct amp_row *row,
			     struct amp_geometry *g, struct failure *f)
{
	uint64_t before = j->space->accesses;
	int error = 0;

	amp_progress(j->space->p, row, "ways");
	if (!j->why[0])
		error = amp_find_ways(j, g, f);
	if (!error && g->ways && !j->why[0])
		error = amp_check_geometry(j, g, f);
	row->ways.accesses += j->space->accesses - before;
	return error;
}

static int find_size(struct amp_judge *j, uint64_t first, bool refine,
		     struct amp_row *row, struct amp_geometry *g,
		     struct failure *f)
{
	uint64_t before = j->space->accesses;
	int error;

	amp_progress(j->space->p, row, "size");
	error = refine ? amp_refine_size(j, g, f) :
			 amp_find_size(j, first, g, f);

	row->size.accesses += j->space->accesses - before;
	return error;
}

/*
 * A size between the steps is consistent with no number of ways: then it is
 * refined.
 */
static int find_all(struct amp_judge *j, uint64_t first, struct amp_row *row,
		    struct amp_geometry *g, struct failure *f)
{
	int error = find_size(j, first, false, row, g, f);

	if (!error && g->size)
		error = find_checked_ways(j, row, g, f);
	if (!error && g->size && j->why[0]) {
		struct amp_geometry before_it = *g;
		struct amp_judge again = { .space = j->space,
					   .vote = AMP_ALL,
					   .contended = j->contended };

		error = find_size(&again, first, true, row, g, f);
		if (!error && !again.why[0] && g->size != before_it.size) {
			error = find_checked_ways(&again, row, g, f);
			*j = again;
		}
	}
	if (j->why[0] || error)
		*g = (struct amp_geometry){ 0 };
	return error;
}

/*
 * With contention no row of the level's size ever hits completely, and the size
 * seems smaller. Allowing some misses gives the size; the test of its ways,
 * with lines of one set, allows none.
 */
static int find_contended(struct amp_judge *j, uint64_t first,
			  struct amp_row *row, struct amp_geometry *g,
			  struct failure *f)
{
	struct amp_judge contended = { .space = j->space,
				       .vote = AMP_ALL,
				       .contended = true };
	int error = find_all(&contended, first, row, g, f);

	if (!error && g->ways)
		*j = contended;
	return error;
}

static int by_tests(struct amp_space *space, struct amp_row *row,
		    uint64_t first, struct amp_geometry *g, struct failure *f)
{
	struct amp_judge j = { .space = space, .vote = AMP_ALL };
	const struct budget_scope scope = budget_open(&space->p->budget);
	double bound;
	int error = find_all(&j, first, row, g, f);

	if (!error && !g->ways)
		error = find_contended(&j, first, row, g, f);
	bound = budget_close(&space->p->budget, &scope);
	if (error)
		return error;
	if (!g->ways) {
		amp_leave_open(row, "%s", j.why);
		return 0;
	}
	amp_measured(&row->size.p, (double)g->size, bound);
	amp_measured(&row->ways.p, (double)g->ways, bound);
	return 0;
}

int amp_decide_geometry(const struct amp_run *run, struct amp_space *space,
			struct amp_row *row, uint64_t first,
			struct amp_geometry *g, struct failure *f)
{
	bool votes = run->wanted->decision == AMP_BY_VOTES;
	int error = 0;

	*g = (struct amp_geometry){ 0 };
	if (!votes)
		error = by_tests(space, row, first, g, f);
	/* Votes on an undecided level would take too long. */
	if (!error && (votes || g->ways))
		error = cast_votes(space, first, row, f);
	if (error || !votes)
		return error;
	amp_elect(&row->size);
	amp_elect(&row->ways);
	if (parameter_is_measured(&row->size.p) &&
	    parameter_is_measured(&row->ways.p)) {
		g->size = (uint64_t)row->size.p.value;
		g->ways = (size_t)row->ways.p.value;
	}
	return 0;
}
