// SPDX-License-Identifier: GPL-2.0
#include "costs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static struct {
	const struct machine_ops *inner;
	struct machine_ops ops;
	struct costs *costs;
} around;

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- counting ------------------------------------------------------------ */

static void add(const struct sequence *s, const struct walk_plan *plan,
		const struct sample *samples)
{
	uint64_t accesses = (uint64_t)plan->warm_rounds * s->length;

	for (unsigned int i = 0; i < plan->samples; i++)
		accesses += samples[i].loads;
	for (size_t i = 0; i < plan->step_count; i++)
		accesses += plan->samples * plan->steps[i].lines->length;
	around.costs->now->accesses += accesses;
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	int error = around.inner->walk(m, s, plan, samples, f);

	if (!error)
		add(s, plan, samples);
	return error;
}

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	int error = around.inner->view_walk(view, s, plan, samples, f);

	if (!error)
		add(s, plan, samples);
	return error;
}

/* A simulated machine needs no pause for a disturbance to pass. */
static void no_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

static struct cost *find(struct costs *c, const char *name)
{
	struct cost *cost = &c->all[c->count];

	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->all[i].name, name))
			return &c->all[i];
	if (c->count == COSTS_MOST)
		return &c->all[COSTS_MOST - 1];
	snprintf(cost->name, sizeof(cost->name), "%s", name);
	c->count++;
	return cost;
}

void costs_begin(struct costs *c, struct machine *m,
		 const char *(*name)(struct costs *c, const char *what))
{
	*c = (struct costs){ .name = name, .since = seconds() };
	c->now = find(c, "before");
	around.inner = m->ops;
	around.ops = *m->ops;
	around.ops.walk = walk;
	around.ops.view_walk = view_walk;
	around.ops.pause = no_pause;
	around.costs = c;
	m->ops = &around.ops;
}

void costs_progress(void *context, const char *what, double done)
{
	struct costs *c = context;
	const char *name = c->name(c, what);

	(void)done;
	if (!name)
		return;
	costs_end(c);
	c->now = find(c, name);
}

void costs_end(struct costs *c)
{
	double now = seconds();

	c->now->seconds += now - c->since;
	c->since = now;
}

struct cost costs_of(const struct costs *c, const char *begins)
{
	struct cost sum = { .name = "" };

	for (size_t i = 0; i < c->count; i++) {
		if (strncmp(c->all[i].name, begins, strlen(begins)) != 0)
			continue;
		if (!sum.name[0])
			memcpy(sum.name, c->all[i].name, sizeof(sum.name));
		sum.accesses += c->all[i].accesses;
		sum.seconds += c->all[i].seconds;
	}
	return sum;
}

/* --- names --------------------------------------------------------------- */

const char *costs_of_amp(struct costs *c, const char *what)
{
	unsigned int level;
	char type[16], part[24];
	int tlb = 0;

	if (strncmp(what, "AMP: ", 5) != 0)
		return NULL;
	if (sscanf(what, "AMP: L%u %15[a-z] TLB%n", &level, type, &tlb) == 2 &&
	    tlb) {
		sscanf(what + tlb, ": %23[^\n]", part);
		snprintf(c->text, sizeof(c->text), "L%u %s TLB: %s", level,
			 type, part);
	} else if (sscanf(what, "AMP: L%u %15[a-z]: %23[^\n]", &level, type,
			  part) == 3) {
		snprintf(c->text, sizeof(c->text), "L%u %s: %s", level, type,
			 part);
	} else {
		return NULL;
	}
	return c->text;
}

static const char *part_of(const char *what)
{
	static const char *const parts[][2] = {
		{ "lines ", "ways" },
		{ "ways", "ways" },
		{ "size of", "ways" },
		{ "line of", "line" },
		{ "whether it holds code", "unified" },
		{ "whether ", "size" },
		{ "write-allocate", "write-allocate" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strncmp(what, parts[i][0], strlen(parts[i][0])))
			return parts[i][1];
	return "other";
}

/* X-Ray reports a cache of code as it does a first level. */
const char *costs_of_xray(struct costs *c, const char *what)
{
	unsigned int level;
	char kind[16];
	int at = 0;

	if (!strncmp(what, "L1 instruction", 14)) {
		c->code = true;
		return "L1 instruction: line, size and ways";
	}
	if (sscanf(what, "TLB level %u, %15[a-z]", &level, kind) == 2) {
		c->code = false;
		snprintf(c->text, sizeof(c->text), "L%u %s TLB: size and ways",
			 level, kind[0] == 'l' ? "data" : "instruction");
		return c->text;
	}
	if (sscanf(what, "L%u: %n", &level, &at) != 1 || !at)
		return c->code ? NULL : "other";
	c->code = c->code && strcmp(part_of(what + at), "unified") != 0;
	if (c->code)
		return NULL;
	snprintf(c->text, sizeof(c->text), "L%u data: %s", level,
		 part_of(what + at));
	return c->text;
}
