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

void chase_each(struct machine *m, char *base, const struct timer *timer,
		const struct sequence *s, const struct walk_plan *plan,
		struct sample *sample)
{
	const uint64_t loads = walk_each_loads(s->length, plan);
	struct presence before;
	void *p;

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
}
