// SPDX-License-Identifier: GPL-2.0
#include "method/probe/time_limit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

bool time_limit_interrupted(const struct prober *p)
{
	return p->stop && *p->stop;
}

double time_limit_now_ns(const struct prober *p)
{
	return p->m->ops->clock_ns ? p->m->ops->clock_ns(p->m) : 0;
}

void time_limit_wait(const struct prober *p, double since_ns, unsigned int ms)
{
	const double gone_ns = time_limit_now_ns(p) - since_ns;

	if (gone_ns < ms * 1e6)
		p->m->ops->pause(p->m, ms - (unsigned int)(gone_ns / 1e6));
}

double time_limit_left_ns(const struct prober *p)
{
	if (!p->until_ns)
		return INFINITY;
	return fmax(p->until_ns - time_limit_now_ns(p), 0);
}

static bool are_accesses_over(const struct prober *p)
{
	return p->until_accesses &&
	       p->m->conditions.accesses >= p->until_accesses;
}

uint64_t time_limit_left_accesses(const struct prober *p)
{
	if (!p->until_accesses)
		return 0;
	return are_accesses_over(p) ?
		       1 :
		       p->until_accesses - p->m->conditions.accesses;
}

void time_limit_accesses(struct prober *p, uint64_t accesses)
{
	const uint64_t until = p->m->conditions.accesses + accesses;

	if (accesses && (!p->until_accesses || until < p->until_accesses))
		p->until_accesses = until;
}

bool time_limit_over(const struct prober *p)
{
	return time_limit_left_ns(p) <= 0 || are_accesses_over(p);
}

static struct time_limit limits_of(const struct prober *p)
{
	return (struct time_limit){ p->stop, p->until_ns, p->until_accesses };
}

void time_limit_set(struct prober *p, double ns, struct time_limit *before)
{
	double until_ns = time_limit_now_ns(p) + ns;

	*before = limits_of(p);
	if (!p->m->ops->clock_ns || !isfinite(ns))
		return;
	if (!p->until_ns || until_ns < p->until_ns)
		p->until_ns = until_ns;
}

void time_limit_lift(struct prober *p, struct time_limit *before)
{
	*before = limits_of(p);
	p->stop = NULL;
	p->until_ns = 0;
	p->until_accesses = 0;
}

void time_limit_restore(struct prober *p, const struct time_limit *before)
{
	p->stop = before->stop;
	p->until_ns = before->until_ns;
	p->until_accesses = before->until_accesses;
}

bool time_limit_ended(struct prober *p, const struct time_limit *before,
		      int error)
{
	time_limit_restore(p, before);
	return error == -EINTR && !prober_stopped(p);
}

void time_limit_why(const struct prober *p, char *text, size_t size)
{
	if (time_limit_interrupted(p))
		snprintf(text, size, "interrupted");
	else if (p->most_accesses)
		snprintf(
			text, size,
			"not known within %.3g accesses (--time-limit S gives it seconds)",
			(double)p->most_accesses);
	else
		snprintf(text, size,
			 "not known within %.3g s (--time-limit gives it more)",
			 p->limit_s);
}

bool prober_stopped(const struct prober *p)
{
	return time_limit_interrupted(p) || time_limit_over(p);
}
