/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what measuring code spends on memory and jumps: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_INSTRUCTION_TUNING_H
#define PROBE_PHYS_METHOD_INSTRUCTION_TUNING_H

#include "base/tuned.h"

/** NEAR_JUMPS - jumps that surely hit, in the control */
#define NEAR_JUMPS TUNED(64)

#endif
