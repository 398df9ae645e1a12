/* SPDX-License-Identifier: GPL-2.0 */
/*
 * comparekit.h - answers of all methods on a machine of two cache levels, which
 * tests of the comparison change.
 */
#ifndef PROBE_PHYS_UNIT_REPORT_COMPARE_COMPAREKIT_H
#define PROBE_PHYS_UNIT_REPORT_COMPARE_COMPAREKIT_H

#include "report/compare/compare.h"

#define KIB 1024.0

/**
 * struct compare_kit - a comparison with all that it points to
 * @truth: two cache levels and two TLB levels, exact
 * @xray: answer of X-Ray: the first cache level
 * @amp: answer of AMP, without rows
 * @sides: answers of the baselines: capacity of the first cache level
 * @said: points to the answers; all methods are selected and complete
 * @c: what compare_make() makes of them
 */
struct compare_kit {
	struct truth truth;
	struct hierarchy xray;
	struct amp_result amp;
	struct side_result sides[COMPARE_SIDES];
	struct compare_said said;
	struct comparison c;
};

/** compare_kit_begin() - fill in the truth and the answers */
void compare_kit_begin(struct compare_kit *kit);

/** compare_kit_end() - free the answers */
void compare_kit_end(struct compare_kit *kit);

/** compare_kit_make() - compare the answers with the truth */
void compare_kit_make(struct compare_kit *kit);

/** compare_kit_forget_truth() - the machine has no documents */
void compare_kit_forget_truth(struct compare_kit *kit);

/** compare_kit_add_xray() - the next cache level of X-Ray's answer */
void compare_kit_add_xray(struct compare_kit *kit, double capacity_bytes,
			  double latency_cycles);

/** compare_kit_add_side() - the next cache level that baseline @m found */
struct side_level *compare_kit_add_side(struct compare_kit *kit,
					enum compare_method m,
					double capacity_bytes);

#endif
