// SPDX-License-Identifier: GPL-2.0
#include "method/evict/evictkit.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/evset/oracle/session.h"

/* L2 XORs each bit of its set with the bit this number of places above. */
#define APART 8
/* A folded L3 XORs the bit above its set onto this bit of the set. */
#define FOLDED_BIT 4

static const char *const inclusions[] = {
	[EVICT_NINE] = "nine",
	[EVICT_INCLUSIVE] = "inclusive",
	[EVICT_EXCLUSIVE] = "exclusive",
};

/* The index function of L2. */
static void know_masks(struct index_function *known)
{
	*known = (struct index_function){ .kind = INDEX_HASHED,
					  .low_bit = 6,
					  .high_bit = 25 };
	for (unsigned int i = 0; i < 7; i++)
		known->masks[known->rank++] = UINT64_C(0x40) << i |
					      UINT64_C(0x40) << (i + APART);
}

static void append(char *text, size_t size, bool first, uint64_t mask)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s\"0x%llx\"", first ? "" : ",",
		 (unsigned long long)mask);
}

uint64_t evict_kit_way_bytes(const struct evict_machine *b)
{
	return b->kib * KIB / b->ways;
}

/* The index of L3: linear, or with its top bit XORed onto a lower one. */
static void write_index(char *text, size_t size, const struct evict_machine *b)
{
	uint64_t top = evict_kit_way_bytes(b);

	text[0] = '\0';
	for (uint64_t bit = 0x40; bit < top; bit *= 2)
		append(text, size, bit == 0x40,
		       bit == UINT64_C(0x40) << FOLDED_BIT && b->folded ?
			       bit | top :
			       bit);
}

struct machine *evict_kit_open(const struct evict_machine *b, uint64_t seed)
{
	char text[3000], masks[2][600] = { "", "" };
	struct index_function known;

	know_masks(&known);
	for (size_t i = 0; i < known.rank; i++)
		append(masks[0], sizeof(masks[0]), !i, known.masks[i]);
	write_index(masks[1], sizeof(masks[1]), b);
	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384,\"ways\":4,\"line_bytes\":64,\"latency_cycles\":4,\"same_set_miss_cycles\":%g},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":65536,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12,\"policy\":{\"name\":\"%s\"},\"index\":{\"kind\":\"xor\",\"masks\":[%s]}},"
		"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":40,\"policy\":{\"name\":\"%s\"},\"inclusion\":\"%s\",\"index\":{\"kind\":\"xor\",\"masks\":[%s]}}],"
		"\"phys_bits\":36,\"page_bytes\":4096,\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":%d}%s}",
		b->conflict, b->policies[0], masks[0], b->kib * 1024, b->ways,
		b->policies[1], inclusions[b->inclusion], masks[1],
		MEMORY_CYCLES,
		b->noisy ?
			",\"noise\":{\"seed\":1,\"jitter_cycles\":10,\"tail_probability\":0.01,\"tail_cycles\":1000,\"interrupts_per_million_loads\":20,\"lines_evicted_per_interrupt\":8}" :
			"");
	return profilekit_open(text, 128 * KIB * KIB, seed);
}

void evict_kit_begin(struct evict_levels *l, struct machine *m, uint64_t seed)
{
	uint64_t phys, offset, bytes;
	const char *why;

	prober_begin(&l->p, m, seed);
	ck_assert(evset_window(&l->p, &offset, &bytes, &phys));
	l->p.arena_offset = offset;
	l->p.arena_bytes = bytes;
	know_masks(&l->masks);
	l->upper[0] = (struct xray_level){
		.ways = 4, .way_bytes = 4096, .line_bytes = 64, .own = 4
	};
	l->upper[1] = (struct xray_level){ .ways = 8,
					   .way_bytes = 8192,
					   .line_bytes = 64,
					   .own = 8,
					   .masks = &l->masks };
	l->x = (struct xray){ .prober = &l->p,
			      .upper = l->upper,
			      .upper_count = 2 };
	why = evict_prepare(&l->ev, &l->x, 12, MEMORY_CYCLES);
	ck_assert_msg(!why, "%s", why);
}
