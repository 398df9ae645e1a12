/* SPDX-License-Identifier: GPL-2.0 */
/* disturb.h - unseen disturbances of a measurement: SMIs, clock changes. */
#ifndef PP_DISTURB_H
#define PP_DISTURB_H

#include <linux/types.h>

/**
 * struct pp_disturb - watch over the slices of one walk
 * @has_smi: this CPU counts system management interrupts
 * @has_freq: this CPU counts actual and nominal clock cycles
 * @smi: SMI count at the start of the slice
 * @aperf: actual cycles at the start of the slice
 * @mperf: nominal cycles at the start of the slice
 * @min_permille: slowest clock of a slice, in permille of the nominal one
 * @max_permille: fastest clock of a slice
 */
struct pp_disturb {
	bool has_smi;
	bool has_freq;
	u64 smi;
	u64 aperf;
	u64 mperf;
	u32 min_permille;
	u32 max_permille;
};

/** pp_disturb_init() - find what can be watched. Context: on the walk's CPU. */
void pp_disturb_init(struct pp_disturb *d);

/** pp_disturb_begin() - a slice begins. Context: interrupts off. */
void pp_disturb_begin(struct pp_disturb *d);

/**
 * pp_disturb_end() - a slice ends
 * @d: as pp_disturb_begin() left it
 *
 * Context: interrupts off. Return: whether an SMI came in between.
 */
bool pp_disturb_end(struct pp_disturb *d);

/** pp_disturb_clock() - change of the clock in permille, 0: none */
u32 pp_disturb_clock(const struct pp_disturb *d);

#endif /* PP_DISTURB_H */
