// SPDX-License-Identifier: GPL-2.0
#include "chase_each.h"

#include "presence.h"

/* What an element holds: where the next one is, and what its loads took. */
struct element {
	void *next;
	uint64_t ticks;
};

_Static_assert(sizeof(struct element) == WALK_EACH_BYTES,
	       "an element is as long as it says");

static struct element *element_at(char *base, uint64_t offset)
{
	return (struct element *)(void *)(base + offset);
}

static int check(const struct machine *m, const struct sequence *s,
		 const struct walk_plan *plan, struct failure *f)
{
	if (!s->length || plan->samples != 1 || plan->flags ||
	    plan->flush_count || plan->step_count || plan->counters)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"walk: loads are timed one by one in one plain sample (report this as a bug)");
	for (size_t i = 0; i < s->length; i++) {
		if (s->offsets[i] % WALK_EACH_BYTES)
			return fail(
				f, STATUS_FAILED, EINVAL,
				"walk: offset %#llx: not a multiple of %d (report this as a bug)",
				(unsigned long long)s->offsets[i],
				WALK_EACH_BYTES);
		if (s->offsets[i] >= m->region.bytes)
			return fail(
				f, STATUS_FAILED, ERANGE,
				"walk: offset %#llx: beyond the region of %#llx bytes (give more memory)",
				(unsigned long long)s->offsets[i],
				(unsigned long long)m->region.bytes);
	}
	return 0;
}

/* The hot loop: the timer's fences keep loads apart. */
static void *follow_timing(void *p, const struct timer *timer, uint64_t loads,
			   uint64_t most)
{
	for (; loads; loads--) {
		struct element *e = p;
		uint64_t start = timer->start(timer), ticks;

		p = *(void *volatile *)&e->next;
		__asm__ volatile("" : "+r"(p));
		ticks = timer->stop(timer) - start;
		e->ticks += ticks < most ? ticks : most;
	}
	return p;
}

int chase_each(struct machine *m, char *base, const struct timer *timer,
	       const struct sequence *s, const struct walk_plan *plan,
	       struct sample *sample, struct failure *f)
{
	const uint64_t rounds = (plan->loads + s->length - 1) / s->length;
	const uint64_t loads = (rounds ? rounds : 1) * s->length;
	int error = check(m, s, plan, f);
	struct presence before;
	void *p;

	if (error)
		return error;
	p = base + s->offsets[0];
	chase_lay_out(base, s);
	p = chase_follow(p, plan->warm_rounds * s->length);
	before = presence_now();
	for (size_t i = 0; i < s->length; i++)
		element_at(base, s->offsets[i])->ticks = 0;
	follow_timing(p, timer, loads, (uint64_t)plan->each->most_ticks);
	*sample = (struct sample){ .loads = loads };
	presence_mark(m, &before, sample, 1);
	for (size_t i = 0; i < s->length; i++) {
		double ticks = (double)element_at(base, s->offsets[i])->ticks;

		sample->ticks += ticks;
		plan->each->ticks[i] =
			ticks * (double)s->length / (double)loads;
	}
	machine_count_accesses(m, s->length, plan, sample);
	return 0;
}
