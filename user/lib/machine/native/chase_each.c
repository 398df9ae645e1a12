// SPDX-License-Identifier: GPL-2.0
#include "machine/native/chase_each.h"

#include "machine/host/presence.h"
#include "machine/native/chase_steps.h"

/* Timed loads that teach the processor where the loop goes. */
#define REHEARSED 4

/* An element: address of the next, ticks of its loads, and how
 * many after it are not timed.
 */
struct element {
	void *next;
	uint32_t ticks;
	uint32_t plain;
};

_Static_assert(sizeof(struct element) == WALK_EACH_BYTES,
	       "an element is as long as it says");

static struct element *element_at(char *base, uint64_t offset)
{
	return (struct element *)(void *)(base + offset);
}

/* The hot loop: the timer's fences keep loads from overlapping. */
static void *follow_timing(void *p, const struct timer *timer, uint64_t timed,
			   uint64_t most)
{
	for (; timed; timed--) {
		struct element *e = p;
		uint64_t start = timer->start(timer), ticks;

		p = *(void *volatile *)&e->next;
		__asm__ volatile("" : "+r"(p));
		ticks = timer->stop(timer) - start;
		e->ticks += (uint32_t)(ticks < most ? ticks : most);
		p = chase_follow(p, e->plain);
	}
	return p;
}

/* Nothing is counted yet. Return: how many elements are timed; *first: one of
 * them.
 */
static size_t clear(char *base, const struct sequence *s,
		    const struct walk_each *each, size_t *first)
{
	size_t timed = 0, plain = 0;

	for (size_t i = 0; i < s->length; i++)
		if (walk_each_times(each, i)) {
			*first = i;
			timed++;
		}
	/* Backwards from before one that is timed, up to itself. */
	for (size_t i = 1; i <= s->length; i++) {
		size_t at = (*first + s->length - i) % s->length;
		struct element *e = element_at(base, s->offsets[at]);

		e->ticks = 0;
		e->plain = (uint32_t)plain;
		plain = walk_each_times(each, at) ? 0 : plain + 1;
	}
	return timed;
}

/* As chase_rehearse(), in an element of its own. */
static void rehearse(const struct timer *timer, uint64_t most)
{
	struct element own = { .next = &own };

	follow_timing(&own, timer, REHEARSED, most);
}

void chase_each(struct machine *m, const struct timer *timer,
		const struct chase_path *path, const struct walk_plan *plan,
		struct sample *sample)
{
	const struct sequence *s = path->sequence;
	const uint64_t most = (uint64_t)plan->each->most_ticks;
	const uint64_t loads = walk_each_loads(s->length, plan);
	const uint64_t rounds = loads / s->length;
	struct presence before;
	size_t timed, first = 0;
	bool done = true;
	void *p;

	timed = clear(path->base, s, plan->each, &first);
	p = path->base + s->offsets[first];
	/* Pages that are not there yet come now. */
	if (plan->step_count)
		chase_take_steps(m, path, plan);
	else
		p = chase_follow(p, plan->warm_rounds * s->length);
	before = presence_now();
	if (plan->step_count) {
		done = chase_take_steps(m, path, plan);
		rehearse(timer, most);
	}
	follow_timing(p, timer, rounds * timed, most);
	*sample = (struct sample){ .loads = loads };
	presence_mark(m->cpu, &before, sample, 1);
	sample->disturbed |= !done;
	for (size_t i = 0; i < s->length; i++) {
		double ticks = element_at(path->base, s->offsets[i])->ticks;

		sample->ticks += ticks;
		plan->each->ticks[i] = ticks / (double)rounds;
	}
	machine_count_walk(m, s->length, plan, sample);
}
