/* SPDX-License-Identifier: GPL-2.0 */
/* profilekit.h - simulated machines of a profile given as text. */
#ifndef PROBE_PHYS_UNIT_KIT_PROFILEKIT_H
#define PROBE_PHYS_UNIT_KIT_PROFILEKIT_H

#include "machine/machine.h"

/**
 * PROFILEKIT_HASHED_BY() - eight ways of 256 sets, selected by masks of
 * physical addresses, below four ways of 64 sets; a miss costs 186 cycles more
 * @masks: a string literal of quoted numbers, or of "%s" in a format
 */
#define PROFILEKIT_HASHED_BY(masks)                                             \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384," \
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":4},{\"level\":2,"      \
	"\"type\":\"unified\",\"capacity_bytes\":131072,\"ways\":8,"            \
	"\"line_bytes\":64,\"latency_cycles\":14,\"index\":{\"kind\":\"xor\","  \
	"\"masks\":[" masks "]}}],\"cycle_ns\":0.5,"                            \
	"\"memory\":{\"latency_cycles\":200}}"

/** PROFILEKIT_HASHED - the same by PROFILEKIT_MASKS */
#define PROFILEKIT_HASHED                                                     \
	PROFILEKIT_HASHED_BY("\"0x4040\",\"0x8080\",\"0x10100\",\"0x20200\"," \
			     "\"0x400\",\"0x800\",\"0x1000\",\"0x2000\"")
#define PROFILEKIT_MASKS \
	0x4040, 0x8080, 0x10100, 0x20200, 0x400, 0x800, 0x1000, 0x2000

/**
 * profilekit_open() - the machine of a profile, on any CPU; the test fails if
 * the profile is refused
 * @text: the profile
 * @bytes: of memory
 * @seed: of the machine
 */
struct machine *profilekit_open(const char *text, uint64_t bytes,
				uint64_t seed);

/** profilekit_refuses() - the test fails unless a profile is refused in one line
 * @fragment: a part of that line
 */
void profilekit_refuses(const char *text, const char *fragment);

/** PROFILEKIT_REST - the end of a list of caches, 40 entries for data, a walk and memory */
#define PROFILEKIT_REST                                                   \
	"],\"phys_bits\":36,\"page_bytes\":4096,"                         \
	"\"huge_page_bytes\":[2097152],\"tlbs\":[{\"level\":1,"           \
	"\"type\":\"data\",\"page_bytes\":[4096,2097152],\"entries\":40," \
	"\"ways\":40}],\"walk\":{\"latency_cycles\":30},"                 \
	"\"memory\":{\"latency_cycles\":300}"

#endif
