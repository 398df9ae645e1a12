// SPDX-License-Identifier: GPL-2.0
#include "counting.h"

#include <stdio.h>
#include <string.h>

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct counting *c = (struct counting *)m;
	int error = c->inner->ops->walk(c->inner, s, plan, samples, f);
	uint64_t loads = (uint64_t)plan->warm_rounds * s->length;

	m->conditions = c->inner->conditions;
	if (error)
		return error;
	for (unsigned int i = 0; i < plan->samples; i++)
		loads += samples[i].loads;
	c->loads[c->level][c->part] += loads;
	return 0;
}

static double add_chain(struct machine *m, unsigned int adds)
{
	struct counting *c = (struct counting *)m;

	return c->inner->ops->add_chain(c->inner, adds);
}

/* A simulated machine needs no pause for a disturbance to pass. */
static void no_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

static const struct machine_ops ops = {
	.kind = "counting",
	.walk = walk,
	.add_chain = add_chain,
	.pause = no_pause,
};

void counting_begin(struct counting *c, struct machine *inner)
{
	memset(c, 0, sizeof(*c));
	c->machine = *inner;
	c->machine.ops = &ops;
	c->inner = inner;
	c->part = COUNTING_OTHER;
}

void counting_progress(void *context, const char *what, double done)
{
	static const struct {
		const char *begins;
		enum counting_part part;
	} parts[] = {
		{ "latency", COUNTING_LATENCY }, { "lines ", COUNTING_WAYS },
		{ "ways", COUNTING_WAYS },	 { "size of", COUNTING_WAYS },
		{ "line of", COUNTING_LINE },
	};
	struct counting *c = context;
	unsigned int level;
	int at = 0;

	(void)done;
	c->level = 0;
	c->part = COUNTING_OTHER;
	if (sscanf(what, "L%u: %n", &level, &at) != 1 || !at ||
	    level >= COUNTING_LEVELS)
		return;
	c->level = level;
	c->part = COUNTING_CAPACITY;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strncmp(what + at, parts[i].begins,
			     strlen(parts[i].begins)))
			c->part = parts[i].part;
}
