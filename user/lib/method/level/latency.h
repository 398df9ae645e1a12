/* SPDX-License-Identifier: GPL-2.0 */
/* latency.h - what latencies of levels and of memory are made of. */
#ifndef PROBE_PHYS_METHOD_LEVEL_LATENCY_H
#define PROBE_PHYS_METHOD_LEVEL_LATENCY_H

#include "method/level/level.h"
#include "method/level/spread.h"

/** LATENCY_METHOD - of parameters */
#define LATENCY_METHOD "x-ray"

/** struct latency - of a load */
struct latency {
	double ticks;
	double cycles;
	double ns;
};

/**
 * struct list - lines that are timed
 * @w: of a shape, at several places
 * @spread: NULL: that; else in several sets, and @w is ignored
 */
struct list {
	struct shape w;
	const struct spread *spread;
};

/** list_build() - at a random place. Return: as spread_build() */
int list_build(struct prober *p, const struct list *list, struct sequence *q,
	       struct failure *f);

/**
 * latency_find() - what loads of a list take, translations included
 * @flags: enum walk_flags
 * Return: as prober_time().
 */
int latency_find(struct prober *p, const struct list *list, unsigned int flags,
		 struct latency *l, struct failure *f);

/**
 * latency_aside() - what translations of a list's pages take of each load
 * @ticks: (out) of one placement; NAN: not known
 * Return: as prober_time().
 */
int latency_aside(struct xray *x, const struct list *list, double *ticks,
		  struct failure *f);

/** LATENCY_MOST_ASIDE - no larger share of a latency is taken off it */
#define LATENCY_MOST_ASIDE 0.5

/**
 * struct latency_hit - a list that hits in the level
 * @l: what it takes, without translations
 * @aside: these, as a share of that; NAN: they are not known
 */
struct latency_hit {
	struct latency l;
	double aside;
};

/** latency_find_hit() - what lines of a list take that hit in the level
 * Return: as prober_time().
 */
int latency_find_hit(struct xray *x, const struct list *list,
		     unsigned int flags, struct latency_hit *hit,
		     struct failure *f);

/** latency_longest_line() - of the levels above; 64 while none is known */
uint64_t latency_longest_line(const struct xray *x);

/** latency_same() - do two latencies differ by no more than clocks do, half a core
 * cycle or 4 % (page_share.h)?
 */
bool latency_same(const struct latency *a, const struct latency *b);

/** latency_take_off() - @ticks of each load are not the level's */
void latency_take_off(struct latency *l, double ticks);

/**
 * latency_of_trials() - of several timings, each next to a timing of the core cycle
 * @time: (out) @ticks of a load; NAN: no sample was undisturbed
 * @l: (out) lower quartiles; NAN: all trials were disturbed, or for cycles: a core
 *     cycle cannot be timed
 * Return: 0 or -errno of @time.
 */
int latency_of_trials(struct prober *p,
		      int (*time)(void *context, double *ticks,
				  struct failure *f),
		      void *context, struct latency *l, struct failure *f);

/**
 * struct latency_finding - what is known of a latency
 * @method: that measured it; NULL: none has
 * @decided: @latency holds
 * @steady: other lines of the same kind take nearly as long: they hit in one level
 * @latency: of a load, without what translations add; cycles NAN: not timed
 * @reason: in words, why it is open
 */
struct latency_finding {
	const char *method;
	bool decided;
	bool steady;
	struct latency latency;
	char reason[256];
};

/** latency_leave_open() - with a printf-like reason; @steady stays */
void latency_leave_open(struct latency_finding *found, const char *method,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * struct memory_finding - what is known of memory
 * @ticks: of a load that misses every cache; INFINITY: not known
 * @cycle_ns: a core cycle; 0: not timed
 * @latency: of such a load
 */
struct memory_finding {
	double ticks;
	double cycle_ns;
	struct latency_finding latency;
};

/**
 * xray_measure_latency() - load-to-use latency of a level (section 4.2)
 *
 * From lines that miss above it. Only when a longer sequence of the same kind
 * takes the same time do all of them miss there and all hit here.
 * What is published is of lines of several sets of the level above in turn
 * (spread.h), without their translations; lines of one set, or of many in any
 * order, have to take as long.
 */
int xray_measure_latency(struct xray *x, struct latency_finding *found,
			 struct failure *f);

/**
 * xray_check_plateau() - leave a latency open that the curve contradicts
 * @bytes: the level's capacity
 * @found: decided; open, with both values, where the plateau of all lines of two
 *         footprints, two and four times the capacity above, is another one
 *
 * Where lines are kept above, as policies do that resist cycling, or there is no
 * room, or translations take an unknown share, there is no plateau and the control
 * stands alone.
 * Return: as xray_measure_latency().
 */
int xray_check_plateau(struct xray *x, uint64_t bytes,
		       struct latency_finding *found, struct failure *f);

/** xray_time_lines() - ticks per load of a list of lines, in random order
 * @ticks: (out) lower quartile; NAN: nothing was undisturbed
 */
int xray_time_lines(struct prober *p, const uint64_t *lines, size_t count,
		    double *ticks, struct failure *f);

/**
 * xray_measure_memory() - of lines that were flushed from every cache
 *
 * That rests on the flush, which an emulator or a hypervisor may ignore: warm
 * and cold have to differ clearly.
 * Return: 0; -ENOMEM-like failure with @f set when there is too little memory;
 * as prober_time() otherwise.
 */
int xray_measure_memory(struct prober *p, struct memory_finding *found,
			struct failure *f);

/**
 * xray_control_is_memory() - does the control of a level come from memory?
 *
 * Not where translations make it that slow: its pages lie whole ways apart, so that
 * they share a few sets of a TLB.
 * @memory_ticks: of a load of memory
 * Return: as prober_time().
 */
int xray_control_is_memory(struct xray *x, double memory_ticks, bool *memory,
			   struct failure *f);

#endif
