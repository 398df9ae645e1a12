/* SPDX-License-Identifier: GPL-2.0 */
/* latency.h - what latencies of levels and of memory are made of. */
#ifndef PROBE_PHYS_METHOD_LEVEL_LATENCY_H
#define PROBE_PHYS_METHOD_LEVEL_LATENCY_H

#include "method/level/spread.h"
#include "method/probe/prober.h"
#include "result/result.h"

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

/** latency_take_off() - so many ticks of each load are not the level's */
void latency_take_off(struct latency *l, double ticks);

/** latency_report() - measured, as far as cycles could be timed */
void latency_report(struct parameter *cycles, struct parameter *ns,
		    const struct latency *l);

#endif
