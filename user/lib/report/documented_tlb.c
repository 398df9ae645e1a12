// SPDX-License-Identifier: GPL-2.0
/* documented_tlb.c - TLBs as x86 processors document them through CPUID: leaf
 * 0x18, or AMD's leaves, or else leaf 2.
 */
#include <string.h>

#include "report/documented.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define KIB4 (UINT64_C(4) << 10)
#define MIB2 (UINT64_C(2) << 20)
#define MIB4 (UINT64_C(4) << 20)
#define GIB1 (UINT64_C(1) << 30)

/* Leaves of Intel and of AMD. */
#define LEAF_DESCRIPTORS 2
#define LEAF_PARAMETERS 0x18
#define LEAF_FIRST_LEVEL 0x80000005
#define LEAF_SECOND_LEVEL 0x80000006
#define LEAF_GIANT_PAGES 0x80000019
#define LEAF_FEATURES_2 0x80000021

/* EAX: sizes of second-level TLBs are in units of 32 entries (AMD64 Architecture
 * Programmer's Manual 3, 8000_0021).
 */
#define L2_TLB_SIZE_X32 (1u << 14)

/* The processor gives the number of sub-leaves; a broken one gives too many. */
#define MOST_SUBLEAVES 32

enum {
	EAX,
	EBX,
	ECX,
	EDX
};

static void add(struct documented *d, int level, const char *type,
		uint64_t page_bytes, uint64_t entries, uint64_t ways)
{
	if (!entries || d->tlb_count == DOCUMENTED_TLBS)
		return;
	d->tlbs[d->tlb_count++] = (struct documented_tlb){
		.level = level,
		.type = type,
		.page_bytes = page_bytes,
		.entries = entries,
		.ways = ways,
	};
}

/* One sub-leaf describes one array, for all sizes that share it. */
static void add_intel(struct documented *d, const unsigned int r[4])
{
	static const uint64_t sizes[] = { KIB4, MIB2, MIB4, GIB1 };
	static const char *const types[] = { NULL, "data", "instruction",
					     "unified", "data" };
	unsigned int type = r[EDX] & 0x1f;
	int level = (int)(r[EDX] >> 5 & 7);
	uint64_t ways = r[EBX] >> 16, entries = ways * r[ECX];

	/* Arrays for stores alone are left out: only loads are measured. */
	if (type >= sizeof(types) / sizeof(types[0]) || !types[type])
		return;
	if (r[EDX] & 1 << 8)
		ways = entries;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (r[EBX] & 1u << i)
			add(d, level, types[type], sizes[i], entries, ways);
}

/* One byte each: entries and ways of instructions, then of data. */
static void add_amd_first(struct documented *d, unsigned int r,
			  uint64_t page_bytes)
{
	for (int data = 1; data >= 0; data--) {
		unsigned int half = r >> (data ? 16 : 0) & 0xffff;
		uint64_t entries = half & 0xff, ways = half >> 8;

		add(d, 1, data ? "data" : "instruction", page_bytes, entries,
		    ways == 0xff ? entries : ways);
	}
}

/* Four bits are a code for the associativity, twelve the entries. */
static void add_amd_lower(struct documented *d, int level, unsigned int r,
			  uint64_t page_bytes, unsigned int unit)
{
	static const unsigned char ways_of[15] = { 0,  1, 2,  3,  4,  6,  8,  0,
						   16, 0, 32, 48, 64, 96, 128 };
	bool unified = !(r >> 16);

	for (int data = 1; data >= 0; data--) {
		unsigned int half = r >> (data ? 16 : 0) & 0xffff;
		uint64_t entries = unit * (uint64_t)(half & 0xfff);
		unsigned int code = half >> 12;

		if (!code)
			continue;
		add(d, level,
		    data    ? "data" :
		    unified ? "unified" :
			      "instruction",
		    page_bytes, entries, code == 15 ? entries : ways_of[code]);
	}
}

static void decode_amd(struct documented *d, documented_cpuid *cpuid)
{
	unsigned int r[4], unit = 1;

	/* Processors of other vendors than AMD return zeros in this leaf. */
	if (!cpuid(LEAF_FIRST_LEVEL, 0, r) || !r[EBX])
		return;
	add_amd_first(d, r[EBX], KIB4);
	add_amd_first(d, r[EAX], MIB2);
	if (cpuid(LEAF_FEATURES_2, 0, r) && r[EAX] & L2_TLB_SIZE_X32)
		unit = 32;
	if (cpuid(LEAF_GIANT_PAGES, 0, r)) {
		add_amd_lower(d, 1, r[EAX], GIB1, 1);
		add_amd_lower(d, 2, r[EBX], GIB1, unit);
	}
	if (cpuid(LEAF_SECOND_LEVEL, 0, r)) {
		add_amd_lower(d, 2, r[EBX], KIB4, unit);
		add_amd_lower(d, 2, r[EAX], MIB2, unit);
	}
}

/* Sixteen bytes but for the lowest of EAX; a register with its top bit set has
 * none.
 */
static void decode_descriptors(struct documented *d, documented_cpuid *cpuid)
{
	const struct documented_tlb *t;
	unsigned int r[4];

	if (!cpuid(LEAF_DESCRIPTORS, 0, r))
		return;
	for (int byte = 1; byte < 16; byte++) {
		unsigned int descriptor = r[byte / 4] >> 8 * (byte % 4) & 0xff;

		if (r[byte / 4] >> 31)
			continue;
		for (size_t i = 0;
		     (t = documented_descriptor(descriptor, i)) != NULL; i++)
			add(d, t->level, t->type, t->page_bytes, t->entries,
			    t->ways);
	}
}

void documented_decode_tlbs(struct documented *d, documented_cpuid *cpuid)
{
	unsigned int r[4], last;

	if (!cpuid(LEAF_PARAMETERS, 0, r) || !(r[EDX] & 0x1f)) {
		decode_amd(d, cpuid);
		if (!d->tlb_count)
			decode_descriptors(d, cpuid);
		return;
	}
	last = r[EAX] < MOST_SUBLEAVES ? r[EAX] : MOST_SUBLEAVES;
	for (unsigned int i = 0; i <= last && cpuid(LEAF_PARAMETERS, i, r); i++)
		add_intel(d, r);
}

#if defined(__x86_64__) || defined(__i386__)
static bool instruction(unsigned int leaf, unsigned int subleaf,
			unsigned int r[4])
{
	return __get_cpuid_count(leaf, subleaf, &r[EAX], &r[EBX], &r[ECX],
				 &r[EDX]);
}

void documented_read_tlbs(struct documented *d)
{
	documented_decode_tlbs(d, instruction);
}
#else
/* Other architectures document TLBs only in manuals. */
void documented_read_tlbs(struct documented *d)
{
	d->tlb_count = 0;
}
#endif

const struct documented_tlb *documented_find_tlb(const struct documented *d,
						 int level, const char *type,
						 uint64_t page_bytes)
{
	for (size_t i = 0; i < d->tlb_count; i++) {
		const struct documented_tlb *t = &d->tlbs[i];

		if (t->level == level && t->page_bytes == page_bytes &&
		    (!strcmp(t->type, type) || !strcmp(t->type, "unified") ||
		     (!strcmp(type, "unified") && !strcmp(t->type, "data"))))
			return t;
	}
	return NULL;
}
