/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - what the files of this folder share: one observation, and twins. */
#ifndef PROBE_PHYS_METHOD_PROBE_INTERNAL_H
#define PROBE_PHYS_METHOD_PROBE_INTERNAL_H

#include "method/probe/prober.h"

/** probe_loads() - prober_loads() of the prober's usual sample; @least 0: no penalty is
 * known
 */
unsigned int probe_loads(const struct prober *p, double least);

/** probe_short_loads() - loads of a sample so short that little comes between, but in
 * which reading the clock adds less to each round of @length loads than half a miss of
 * @penalty_ticks; @usual at most
 */
unsigned int probe_short_loads(const struct prober *p, double length,
			       double penalty_ticks, unsigned int usual);

/**
 * probe_observe() - readings of a sequence where it lies, in its order
 * @flags: as of prober_plan()
 * @counter: a bit; 0: time
 * @loads: of each sample, a round at least
 * Return: as prober_observe().
 */
int probe_observe(struct prober *p, const struct sequence *s,
		  unsigned int flags, unsigned int counter, unsigned int loads,
		  struct readings *r, struct failure *f);

/**
 * probe_observe_shape() - the same of a shape at a random place, in random order
 * @flags: and PROBER_TWICE
 * Return: as prober_time().
 */
int probe_observe_shape(struct prober *p, const struct shape *w,
			unsigned int flags, unsigned int counter,
			unsigned int loads, struct readings *r,
			struct failure *f);

/**
 * probe_shake() - walk the lines of a shape in several other orders, each from the
 * state that the one before has left
 * @twice: use two words of each line
 * Return: as prober_time().
 */
int probe_shake(struct prober *p, const struct shape *w, uint64_t base,
		bool twice, struct failure *f);

/** probe_near() - what the twin of @length elements is compared with: they need
 * hardly any translation
 */
struct shape probe_near(const struct prober *p, const struct reference *r,
			size_t length);

/**
 * probe_twin() - as many loads in the same pages, none of them in conflict
 * Return: 0 or -ENOMEM with @f set.
 */
int probe_twin(const struct prober *p, const struct sequence *s,
	       const struct reference *r, struct sequence *twin,
	       struct failure *f);

/**
 * probe_translation() - what translations add to each load of a sequence
 * @added: (out) ticks, or misses that page walks cause where @r has a counter; 0
 *         where no sample was undisturbed
 * Return: as prober_time().
 */
int probe_translation(struct prober *p, const struct sequence *s,
		      const struct reference *r, unsigned int loads,
		      double *added, struct failure *f);

#endif
