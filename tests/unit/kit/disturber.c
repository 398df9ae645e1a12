// SPDX-License-Identifier: GPL-2.0
#include "kit/disturber.h"

static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	void (*then)(const struct sequence *s, const struct walk_plan *plan,
		     struct sample *samples);
	bool (*when)(const struct walk_plan *plan, const struct sample *sample);
} disturber;

static void disturb(const struct sequence *s, const struct walk_plan *plan,
		    struct sample *samples)
{
	(void)s;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].disturbed |= disturber.when(plan, &samples[i]);
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	int error = disturber.honest->walk(m, s, plan, samples, f);

	if (!error)
		disturber.then(s, plan, samples);
	return error;
}

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	int error = disturber.honest->view_walk(view, s, plan, samples, f);

	if (!error)
		disturber.then(s, plan, samples);
	return error;
}

void after_walks(struct machine *m, void (*then)(const struct sequence *s,
						 const struct walk_plan *plan,
						 struct sample *samples))
{
	disturber.honest = m->ops;
	disturber.ops = *m->ops;
	disturber.ops.walk = walk;
	disturber.ops.view_walk = view_walk;
	disturber.then = then;
	m->ops = &disturber.ops;
}

void disturb_samples(struct machine *m,
		     bool (*when)(const struct walk_plan *plan,
				  const struct sample *sample))
{
	disturber.when = when;
	after_walks(m, disturb);
}
