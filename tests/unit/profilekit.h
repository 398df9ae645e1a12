/* SPDX-License-Identifier: GPL-2.0 */
/* profilekit.h - simulated machines of a profile that a test spells. */
#ifndef PROBE_PHYS_PROFILEKIT_H
#define PROBE_PHYS_PROFILEKIT_H

#include "machine/machine.h"

/**
 * profilekit_open() - the machine of a profile, on any CPU; the test fails where
 * it is no good
 * @text: the profile
 * @bytes: of memory
 * @seed: of the machine
 */
struct machine *profilekit_open(const char *text, uint64_t bytes,
				uint64_t seed);

#endif
