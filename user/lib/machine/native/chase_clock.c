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
/* As long a walk may wait for code to be as fast as at its best: what slows it lasts
 * between microseconds and tenths of a second, in which no sample is worth having.
 */
#define WAIT_NS 5e6
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
				      const struct walk_plan *plan,
				      struct pace *pace)
{
	struct chase_clock c = { .cycle_ticks = plan->cycle_ticks };
	double adds;

	if (!(c.cycle_ticks > 0))
		return c;
	adds = fmax(LEAST_ADDS, BLURS * blur(&timer->info) / c.cycle_ticks);
	c.adds = (unsigned int)(adds / BLOCK + 1) * BLOCK;
	if (!pace || !pace->pages)
		return c;
	c.pace = pace;
	pace_begin(pace, timer, c.adds * c.cycle_ticks);
	c.until = timer->start(timer) +
		  (uint64_t)(WAIT_NS * timer->info.ticks_per_ns);
	return c;
}

/* Cycles of a step, of which a chain took @ticks. */
static double read_pace(const struct chase_clock *c, const struct timer *timer,
			double ticks)
{
	return pace_read(c->pace, timer) * c->adds / ticks;
}

bool chase_clock_begin(struct chase_clock *c, const struct timer *timer)
{
	if (!c->adds)
		return true;
	c->before = timer_add_chain(timer, c->adds);
	if (!c->pace || !(c->before > 0))
		return true;
	c->pace_before = read_pace(c, timer, c->before);
	return pace_is_best(c->pace, c->pace_before, CHANGED);
}

static bool clock_changed(double before, double after)
{
	double mean = (before + after) / 2;

	return !(mean > 0) || fabs(after - before) > CHANGED * mean;
}

bool chase_clock_end(const struct chase_clock *c, const struct timer *timer,
		     struct sample *sample)
{
	double after, ticks = 0, slower;

	if (!c->adds)
		return true;
	if (c->pace)
		ticks = pace_read(c->pace, timer);
	after = timer_add_chain(timer, c->adds);
	if (clock_changed(c->before, after))
		return false;
	sample->ticks *= c->cycle_ticks * c->adds * 2 / (c->before + after);
	if (!c->pace)
		return true;
	slower = fmax(c->pace_before, ticks * c->adds / after);
	pace_note(c->pace, slower);
	return pace_is_best(c->pace, slower, CHANGED);
}

bool chase_clock_waits(const struct chase_clock *c, const struct timer *timer)
{
	return c->pace && timer->start(timer) < c->until;
}

void chase_clock_finish(const struct chase_clock *c, bool lacking)
{
	if (c->pace)
		pace_end(c->pace, lacking);
}
