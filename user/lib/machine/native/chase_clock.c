// SPDX-License-Identifier: GPL-2.0
#include "machine/native/chase_clock.h"

#include <math.h>

/* Share by which the clock has changed: the least step of a processor's clock of 6 GHz
 * (AMD, until Zen 4: 25 MHz; Intel: 100 MHz). Whatever interrupts a chain takes longer.
 */
#define CHANGED 0.004
/* Blurs of a reading in a chain: two chains differ by two of them. */
#define BLURS 512
/* Where the timer is fine: a microsecond or more. */
#define LEAST_ADDS 8192
/* Additions come in such blocks. */
#define BLOCK 64
/* Part of a step that the overhead of a timer is less than, which shows each step. */
#define CLEARLY_LESS 0.9

/* The smallest difference that shows is a step, or just the overhead. */
static double blur(const struct timer_info *info)
{
	return info->overhead_ticks < CLEARLY_LESS * info->resolution_ticks ?
		       info->resolution_ticks :
		       info->spread_ticks;
}

struct chase_clock chase_clock_choose(const struct timer *timer,
				      const struct walk_plan *plan)
{
	struct chase_clock c = { .cycle_ticks = plan->cycle_ticks };
	double adds;

	if (!(c.cycle_ticks > 0))
		return c;
	adds = fmax(LEAST_ADDS, BLURS * blur(&timer->info) / c.cycle_ticks);
	c.adds = (unsigned int)(adds / BLOCK + 1) * BLOCK;
	return c;
}

void chase_clock_begin(struct chase_clock *c, const struct timer *timer)
{
	if (c->adds)
		c->before = timer_add_chain(timer, c->adds);
}

bool chase_clock_end(const struct chase_clock *c, const struct timer *timer,
		     struct sample *sample)
{
	double after, mean;

	if (!c->adds)
		return true;
	after = timer_add_chain(timer, c->adds);
	mean = (c->before + after) / 2;
	if (!(mean > 0) || fabs(after - c->before) > CHANGED * mean)
		return false;
	sample->ticks *= c->cycle_ticks * c->adds / mean;
	return true;
}
