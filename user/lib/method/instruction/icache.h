/* SPDX-License-Identifier: GPL-2.0 */
/*
 * icache.h - the first cache that fetches pass, measured by returns (AMP sections
 * 3.7 to 3.9, on X-Ray's compactness instead of miss rates). Of the data caches it
 * only knows what they were measured to be. Called by method/measure.c and AMP.
 * Fills in the instruction cache of a hierarchy, measured or undecided with a
 * reason. Functions return 0; -EINTR; another -errno with @f set.
 *
 * Each element of a sequence is a mispredicted return to the next one
 * (VIEW_FULL_RETURNS), so that what loads are to a data cache returns are to this
 * one, and what predicts jumps has no part in it. A ring of them is all that
 * runs: of the tool's own code there is nothing in a walk.
 *
 * What instructions are decoded into may be kept, too: such arrays conflict at
 * strides of their own, and what overflows them is slower, too. Two things
 * distinguish them. They have room for few lines that are full of the shortest
 * instructions, and the control overflows them as the test does. And a line that
 * is missed comes from the second level, at a cost of its order.
 */
#ifndef PROBE_PHYS_METHOD_INSTRUCTION_ICACHE_H
#define PROBE_PHYS_METHOD_INSTRUCTION_ICACHE_H

#include "method/level/geometry.h"
#include "machine/view_machine.h"
#include "method/level/level.h"

/**
 * struct icache - the measurement
 * @outer: what it is a part of
 * @p: measurement on the pages
 * @pages: executable ones
 * @scattered: they may lie anywhere
 * @x: X-Ray on them
 * @g: what it found
 * @found: the report
 * @scope: its tests draw their errors in it
 */
struct icache {
	struct prober *outer;
	struct prober p;
	struct view_machine pages;
	bool scattered;
	struct xray x;
	struct xray_geometry g;
	struct cache_result *found;
	struct budget_scope scope;
};

/** ICACHE_METHOD - as results name it */
#define ICACHE_METHOD "x-ray"

/** icache_leave() - all parameters are undecided, printf-like reason */
void icache_leave(struct icache *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** icache_least_control() - lines that hit any cache of code, by a counter */
struct shape icache_least_control(void);

/**
 * icache_choose_control() - lines that hit as those of a test would
 * @c: (out) x.reference.control, x.reference.twin_lines; x.hit_ticks: the time of one of
 *     these lines
 * Return: 0; -EINTR; another -errno with @f set.
 */
int icache_choose_control(struct icache *c, struct failure *f);

/** icache_below_ticks() - of a load from L2; 0: not known */
double icache_below_ticks(const struct icache *c, const struct hierarchy *data);

/**
 * icache_find_miss() - what a line that is missed costs
 * @c: g is what was found; (out) found->miss_cycles
 * Return: 0; -EINTR; another -errno with @f set.
 */
int icache_find_miss(struct icache *c, struct failure *f);

/**
 * icache_check() - whether it is a cache of lines that was found, and the first
 * one of code
 * @c: (in, out) g.found: it is; otherwise the result is undecided
 * @data: levels of the data side, as measured
 * Return: as icache_measure().
 */
int icache_check(struct icache *c, const struct hierarchy *data,
		 struct failure *f);

/**
 * icache_measure() - ways, capacity, line and sets of the first instruction cache
 * @h: data caches as measured; its instruction cache is filled in
 * Return: 0, -EINTR when stopped, or another -errno with @f set.
 */
int icache_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
