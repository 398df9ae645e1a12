// SPDX-License-Identifier: GPL-2.0
#include "method/counter/selftest.h"

#include "method/counter/trial.h"

const char *counter_state_name(enum counter_state state)
{
	static const char *const names[] = { "missing", "untested", "rejected",
					     "believed" };

	return names[state];
}

static int try_role(struct counter_bench *b, struct failure *f)
{
	switch (b->role) {
	case COUNTER_CYCLES:
		return counter_try_cycles(b, f);
	case COUNTER_LOADS:
		return counter_try_loads(b, f);
	case COUNTER_INSTRUCTIONS:
		return counter_try_instructions(b, f);
	case COUNTER_DTLB_MISS:
	case COUNTER_STLB_MISS:
	case COUNTER_ITLB_MISS:
		return counter_try_translations(b, f);
	case COUNTER_L1I_MISS:
		return counter_try_code(b, f);
	case COUNTER_L1D_WRITE_MISS:
	case COUNTER_L2_WRITE_MISS:
	case COUNTER_L3_WRITE_MISS:
		return counter_try_stores(b, f);
	case COUNTER_L1D_MISS:
	case COUNTER_L2_MISS:
	case COUNTER_L3_MISS:
	case MACHINE_COUNTERS:
		break;
	}
	return counter_try_cache(b, f);
}

int counter_selftest(struct prober *p, enum machine_counter role,
		     struct counter_check *check, struct failure *f)
{
	struct counter_bench bench = { p, role, check };
	int error;

	*check = (struct counter_check){ .substitute = MACHINE_COUNTERS };
	prober_progress(p, "counter %s", machine_counter_name(role));
	error = try_role(&bench, f);
	if (!error)
		counter_conclude(check);
	check->overhead = p->m->counter_overhead[role];
	return error;
}

/* Neighbours among those that are there: where the second level has no counter
 * the third one's is compared with the first one's.
 */
static int tell_levels_apart(struct prober *p, struct counter_checks *checks,
			     struct failure *f)
{
	static const enum machine_counter caches[] = { COUNTER_L1D_MISS,
						       COUNTER_L2_MISS,
						       COUNTER_L3_MISS };
	unsigned int believed = counters_believed(checks);
	enum machine_counter above = MACHINE_COUNTERS;

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		int error = 0;

		if (!(believed >> caches[i] & 1))
			continue;
		if (above != MACHINE_COUNTERS)
			error = counters_tell_apart(p, checks, above, caches[i],
						    f);
		if (error)
			return error;
		above = caches[i];
	}
	return counters_tell_apart(p, checks, COUNTER_DTLB_MISS,
				   COUNTER_STLB_MISS, f);
}

static void substitute(struct counter_checks *checks)
{
	static const enum machine_counter pairs[][2] = {
		{ COUNTER_L1D_MISS, COUNTER_L1D_WRITE_MISS },
		{ COUNTER_L2_MISS, COUNTER_L2_WRITE_MISS },
		{ COUNTER_L3_MISS, COUNTER_L3_WRITE_MISS },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (checks->role[pairs[i][0]].state != COUNTER_BELIEVED &&
		    checks->role[pairs[i][1]].state == COUNTER_BELIEVED)
			checks->role[pairs[i][0]].substitute = pairs[i][1];
}

int counters_selftest(struct prober *p, struct counter_checks *checks,
		      struct failure *f)
{
	int error = 0;

	*checks = (struct counter_checks){ .role = { { .reason = "" } } };
	for (int i = 0; i < MACHINE_COUNTERS; i++) {
		struct counter_check *check = &checks->role[i];

		check->substitute = MACHINE_COUNTERS;
		if (p->m->counters >> i & 1)
			error = counter_selftest(p, (enum machine_counter)i,
						 check, f);
		if (error)
			return error;
	}
	error = tell_levels_apart(p, checks, f);
	if (!error)
		substitute(checks);
	return error;
}

unsigned int counters_believed(const struct counter_checks *checks)
{
	unsigned int believed = 0;

	for (int i = 0; i < MACHINE_COUNTERS; i++)
		if (checks->role[i].state == COUNTER_BELIEVED)
			believed |= 1U << i;
	return believed;
}
