// SPDX-License-Identifier: GPL-2.0
/* control.c - lines of code that hit, by time. */
#include <math.h>

#include "method/instruction/icache.h"
#include "method/instruction/tuning.h"
#include "method/stride/stride.h"

/* Elements that hit, one to a line as those of a test. Lines that are full of
 * the shortest instructions leave what keeps decoded instructions too small for
 * most of them, as it is for the lines of one set: 256 lines have some 10,000
 * instructions on x86 (kept are 6,912 at most, Zen 4), and 4,096 on arm64
 * (3,072, Cortex-X1). A few by counters, which count no such thing, and where
 * those do not fit: no cache that small has anything before it.
 */
#define CONTROL_PAGES 16
#define CONTROL_PAGE_BYTES 4096
#define CONTROL_LINES 256
#define CONTROL_FEW 64
/* Twice as many lines that fit take hardly longer, nor do those of other pages;
 * where they miss, each of them costs half as much again at least.
 */
#define STEADY 1.15
/* Two or more cycles are saved where a full line is kept decoded: more than that part of
 * an element that is mispredicted.
 */
#define ALIKE 1.02

static struct shape lines_in_a_row(size_t count)
{
	return (struct shape){ .inner = 1,
			       .stride = VIEW_CODE_BYTES,
			       .outer = count };
}

/* As many lines of each set, in pages of 4 KiB of which any TLB has room for
 * that many.
 */
static struct shape lines_of_pages(size_t count)
{
	const size_t row = count / CONTROL_PAGES;

	return (struct shape){ .inner = row,
			       .inner_stride = VIEW_CODE_BYTES,
			       .stride = CONTROL_PAGE_BYTES +
					 row * VIEW_CODE_BYTES,
			       .outer = CONTROL_PAGES };
}

struct shape icache_least_control(void)
{
	return lines_in_a_row(CONTROL_FEW);
}

/* Other work only adds time. */
static int least_time(struct icache *c, const struct shape *w, double *ticks,
		      struct failure *f)
{
	*ticks = INFINITY;
	for (int i = 0; i < CONTROL_TRIES; i++) {
		double t = 0;
		int error = prober_time(&c->p, w, 0, &t, f);

		if (error)
			return error;
		*ticks = fmin(*ticks, t);
	}
	return 0;
}

/* Do many lines in a row take no longer than half as many, beside each other in any of
 * several tries? Other work seldom slows down both.
 * @lead: bytes in front of each element, which is the shorter for it; 0: it fills its
 *        line
 */
static int many_are_steady(struct icache *c, uint64_t lead, bool *steady,
			   struct failure *f)
{
	struct shape many = lines_in_a_row(CONTROL_LINES);
	struct shape half = lines_in_a_row(CONTROL_LINES / 2);
	int error = 0;

	many.lead = half.lead = lead;
	*steady = false;
	for (int i = 0; !error && !*steady && i < CONTROL_TRIES; i++) {
		double all = 0, ticks = 0;

		error = prober_time(&c->p, &many, 0, &all, f);
		if (!error)
			error = prober_time(&c->p, &half, 0, &ticks, f);
		*steady = all <= STEADY * ticks;
	}
	return error;
}

/*
 * Many lines that take longer than half as many may be too many for the cache, or for
 * what keeps decoded instructions (a Zen 4: a third longer), at about the same cost. As
 * many short elements are as many lines of the cache, but far fewer instructions: where
 * those are kept that are decoded, they take no longer.
 */
static int count_control(struct icache *c, size_t *lines, struct failure *f)
{
	bool steady = true;
	int error = 0;

	*lines = CONTROL_FEW;
	if (xray_counter(&c->x))
		return 0;
	error = many_are_steady(c, 0, &steady, f);
	if (!error && !steady)
		error = many_are_steady(c, VIEW_SLOT_BYTES, &steady, f);
	if (steady)
		*lines = CONTROL_LINES;
	return error;
}

/*
 * A few lines lose less to other work, but may be kept decoded, which the lines of a
 * test are not. Then the control is the longer one whenever that is left alone.
 */
static int choose_few(struct icache *c, struct failure *f)
{
	struct reference *r = &c->x.reference;
	const struct shape few = lines_of_pages(CONTROL_FEW);
	int error = least_time(c, &few, &r->few_ticks, f);

	for (int i = 0;
	     !error && i < FEW_TRIES && c->x.hit_ticks > ALIKE * r->few_ticks;
	     i++) {
		double ticks = 0;

		error = prober_time(&c->p, &r->control, 0, &ticks, f);
		if (!error)
			c->x.hit_ticks = fmin(c->x.hit_ticks, ticks);
	}
	if (!error && c->x.hit_ticks <= ALIKE * r->few_ticks)
		r->few = few;
	return error;
}

/*
 * Going to another page may cost cycles (three on a Zen 5, at times), which every
 * test pays: where that is all it costs, the control pays it, too.
 * c->x.hit_ticks: the time of one of its lines
 */
int icache_choose_control(struct icache *c, struct failure *f)
{
	size_t lines = CONTROL_FEW;
	int error = count_control(c, &lines, f);
	struct shape row = lines_in_a_row(lines);
	struct shape spread = lines_of_pages(lines);
	double ticks = 0;

	c->x.reference.control = row;
	c->x.reference.twin_lines = lines;
	if (!error)
		error = least_time(c, &row, &c->x.hit_ticks, f);
	if (error || lines == CONTROL_FEW)
		return error;
	error = least_time(c, &spread, &ticks, f);
	if (error || ticks > STEADY * c->x.hit_ticks)
		return error;
	c->x.reference.control = spread;
	c->x.hit_ticks = ticks;
	return choose_few(c, f);
}
