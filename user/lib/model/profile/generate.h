/* SPDX-License-Identifier: GPL-2.0 */
/* generate.h - random machines, each valid and repeatable from its seed. */
#ifndef PROBE_PHYS_MODEL_PROFILE_GENERATE_H
#define PROBE_PHYS_MODEL_PROFILE_GENERATE_H

#include <jansson.h>
#include <stdint.h>

/** profile_generate() - a new valid profile; NULL when out of memory */
json_t *profile_generate(uint64_t seed);

#endif
