/* SPDX-License-Identifier: GPL-2.0 */
/* guestkit.h - a simulated guest whose second level folds bits of its index. */
#ifndef PROBE_PHYS_UNIT_METHOD_EVSET_GUESTKIT_H
#define PROBE_PHYS_UNIT_METHOD_EVSET_GUESTKIT_H

#include "machine/machine.h"
#include "method/evset/count/count.h"

/** GUEST_BYTES - its memory; GUEST_PAGE_BYTES - of the host, in one piece */
#define GUEST_BYTES (UINT64_C(256) << 20)
#define GUEST_PAGE_BYTES 4096

/**
 * struct guest_level - its second level, below eight ways of L1 of 64 sets;
 * lines have 64 bytes
 * @ways: of each of 2^@bits sets
 * @bits: of the index
 * @folded: bits of the index from this one on are a parity of two address bits,
 *          the second one unknown to the guest
 * @policy: its name, the quotation mark behind it, and its other fields
 * @resolution_ns: of the timer
 * @jitter: of it, in cycles
 * @interrupts: per million loads
 * @paired: bits 6 and 11 are used only together
 */
struct guest_level {
	unsigned int ways, bits, folded;
	const char *policy;
	unsigned int resolution_ns, jitter, interrupts;
	bool paired;
};

/** guest_open() - such a machine; the test fails if there is none */
struct machine *guest_open(const struct guest_level *l, uint64_t seed);

/**
 * struct guest_known - a guest, and its second level before its ways are known
 */
struct guest_known {
	struct machine *m;
	struct prober p;
	struct xray_level upper;
	struct xray x;
	struct evset_machine e;
};

/** guest_know() - such a guest, by time, up to the miss penalty; the test
 * closes @g->m
 */
void guest_know(struct guest_known *g, const struct guest_level *l,
		uint64_t seed);

/** GUEST_SETS - that are known; GUEST_LINE_BYTES - line size */
#define GUEST_SETS 6
#define GUEST_LINE_BYTES 64

/** struct guest_sets - a guest, and sets of its second level */
struct guest_sets {
	struct guest_known known;
	struct evset_set sets[GUEST_SETS];
	struct evset_count count;
};

/** guest_plant() - guest_know(), and sets as evset_find() would have found them
 */
void guest_plant(struct guest_sets *g, const struct guest_level *l,
		 uint64_t seed);

/** guest_hold_set() - make loads of lines of set @at in a walk as slow as misses,
 * as if its ways were taken; walks that do not time each load stay as they are
 */
void guest_hold_set(const struct guest_sets *g, size_t at,
		    const struct sequence *s, const struct walk_plan *plan);

/** guest_expect_set() - fail unless it is a minimal set of the second level */
void guest_expect_set(const struct guest_known *g, const struct guest_level *l,
		      const struct evset_set *set);

/** guest_mask() - of bit @bit of the index, over physical addresses */
uint64_t guest_mask(const struct guest_level *l, unsigned int bit);

/** guest_set() - the set of the line at @offset, hidden from methods */
size_t guest_set(const struct guest_level *l, struct machine *m,
		 uint64_t offset);

/** guest_places() - one line of each of @count pages all over the memory, at
 * the same offset, in random order
 */
void guest_places(uint64_t *lines, size_t count, struct rng *rng);

#endif
