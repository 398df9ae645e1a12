/* SPDX-License-Identifier: GPL-2.0 */
/* disturber.h - a machine that marks some of its samples as disturbed. */
#ifndef PROBE_PHYS_UNIT_KIT_DISTURBER_H
#define PROBE_PHYS_UNIT_KIT_DISTURBER_H

#include "machine/machine.h"

/**
 * disturb_samples() - mark samples as disturbed from now on
 * @m: the only machine of this process that does so
 * @when: whether to mark a sample of a walk
 */
void disturb_samples(struct machine *m,
		     bool (*when)(const struct walk_plan *plan,
				  const struct sample *sample));

/**
 * after_walks() - change the samples of all walks, also of those through views
 * @m: the only machine of this process that does so
 * @then: called with each walk and its samples
 */
void after_walks(struct machine *m, void (*then)(const struct sequence *s,
						 const struct walk_plan *plan,
						 struct sample *samples));

#endif
