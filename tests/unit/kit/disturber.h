/* SPDX-License-Identifier: GPL-2.0 */
/* disturber.h - a machine some of whose samples are always disturbed. */
#ifndef PROBE_PHYS_UNIT_KIT_DISTURBER_H
#define PROBE_PHYS_UNIT_KIT_DISTURBER_H

#include "machine/machine.h"

/** disturb_samples() - from now on, those of walks for which @when holds; of one
 * machine in a process
 */
void disturb_samples(struct machine *m,
		     bool (*when)(const struct walk_plan *plan,
				  const struct sample *sample));

/** after_walks() - do something to the samples of all walks of one machine of a
 * process, views included
 */
void after_walks(struct machine *m, void (*then)(const struct sequence *s,
						 const struct walk_plan *plan,
						 struct sample *samples));

#endif
