/* SPDX-License-Identifier: GPL-2.0 */
/*
 * suites.h - what every check_*.c includes: how it makes a suite, and which of
 * its cases are done.
 *
 * A suite is called after its file: tests/unit/observe/check_trial.c makes
 * "observe/trial". No list names the suites; each registers itself.
 */
#ifndef PROBE_PHYS_UNIT_SUITES_H
#define PROBE_PHYS_UNIT_SUITES_H

#include <check.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/part.h"
#include "kit/registry.h"

/*
 * Cases that are too long for the file of their suite: check_X.c adds them to
 * the suite that another check_*.c of the same folder makes.
 */
TCase *make_truth_case(void);
TCase *make_policy_bounds_case(void);
TCase *make_cooper_time_case(void);
TCase *make_cooper_tlb_made_case(void);
TCase *make_amp_counting_case(void);
TCase *make_amp_taken_case(void);
TCase *make_amp_noise_case(void);
TCase *make_amp_beside_case(void);
TCase *make_amp_tlb_case(void);
TCase *make_amp_table_case(void);
TCase *make_unified_sets_case(void);
TCase *make_curve_parts_case(void);
TCase *make_picture_file_case(void);
TCase *make_picture_parts_case(void);

#endif
