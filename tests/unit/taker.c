// SPDX-License-Identifier: GPL-2.0
#include "taker.h"

static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	struct taker *taker;
} beside;

static void take(const struct walk_plan *plan, struct sample *samples)
{
	struct taker *t = beside.taker;
	size_t beyond;

	if (!plan->counters)
		return;
	if (t->walks++ < t->after)
		return;
	beyond = t->walks - t->after;
	for (unsigned int i = 0; i < plan->samples; i++)
		if (!t->every || !(beyond % t->every))
			samples[i].counted = 0;
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	int error = beside.honest->walk(m, s, plan, samples, f);

	if (!error)
		take(plan, samples);
	return error;
}

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	int error = beside.honest->view_walk(view, s, plan, samples, f);

	if (!error)
		take(plan, samples);
	return error;
}

void taker_begin(struct taker *t, struct machine *m)
{
	beside.honest = m->ops;
	beside.ops = *m->ops;
	beside.ops.walk = walk;
	beside.ops.view_walk = view_walk;
	beside.taker = t;
	m->ops = &beside.ops;
}
