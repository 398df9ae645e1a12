// SPDX-License-Identifier: GPL-2.0
/* check_documented.c - what CPUID and files of the kernel document. */
#include <stdio.h>
#include <string.h>

#include "kit/treekit.h"
#include "report/report.h"
#include "suites.h"

/* Zen 2: a fully associative L1 of 64 entries; L2 of 2048 entries, 8 ways. */
static bool amd(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	memset(r, 0, 4 * sizeof(*r));
	if (leaf == 0x80000005 && !subleaf)
		r[0] = r[1] = 0xff40ff40;
	else if (leaf == 0x80000006)
		r[1] = 0x68006400;
	return leaf <= 0x18 || leaf >= 0x80000000;
}

/* Zen 5: second-level sizes are in units of 32 entries, first-level ones not. */
static bool zen5(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	memset(r, 0, 4 * sizeof(*r));
	if (leaf == 0x80000005 && !subleaf)
		r[0] = r[1] = 0xff60ff40;
	else if (leaf == 0x80000006)
		r[1] = 0x60804040;
	else if (leaf == 0x80000021)
		r[0] = 1 << 14;
	return leaf <= 0x18 || leaf >= 0x80000000;
}

/* Skylake: no leaf 0x18, and zeros in AMD's leaves. */
static bool skylake(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	memset(r, 0, 4 * sizeof(*r));
	if (leaf == 2 && !subleaf) {
		r[0] = 0x76036301;
		r[1] = 0x00f0b5ff;
		r[2] = 0x800000ba;
		r[3] = 0x00c30000;
	}
	return leaf <= 0x16 || leaf >= 0x80000000;
}

/* A TLB of two page sizes for loads, a unified one, and one for stores. */
static bool intel(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	static const unsigned int arrays[3][4] = {
		{ 2, 0x00040003, 16, 0x24 },
		{ 0, 0x00080001, 256, 0x43 },
		{ 0, 0x00100001, 1, 0x125 },
	};

	if (leaf != 0x18 || subleaf > 2)
		return false;
	memcpy(r, arrays[subleaf], sizeof(arrays[0]));
	return true;
}

static bool nothing(unsigned int leaf, unsigned int subleaf, unsigned int r[4])
{
	(void)leaf;
	(void)subleaf;
	(void)r;
	return false;
}

static void check_documented_tlb(const struct documented *d, int level,
				 const char *type, uint64_t page_bytes,
				 uint64_t entries, uint64_t ways)
{
	const struct documented_tlb *t =
		documented_find_tlb(d, level, type, page_bytes);

	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->entries, entries);
	ck_assert_uint_eq(t->ways, ways);
}

START_TEST(documented_tlbs_are_decoded)
{
	struct documented d = { .tlb_count = 0 };

	documented_decode_tlbs(&d, amd);
	check_documented_tlb(&d, 1, "data", 4096, 64, 64);
	check_documented_tlb(&d, 1, "instruction", 2 << 20, 64, 64);
	check_documented_tlb(&d, 2, "data", 4096, 2048, 8);
	ck_assert_ptr_null(documented_find_tlb(&d, 2, "data", 2 << 20));
	d.tlb_count = 0;
	documented_decode_tlbs(&d, intel);
	ck_assert_uint_eq(d.tlb_count, 3);
	check_documented_tlb(&d, 1, "data", 4096, 64, 4);
	check_documented_tlb(&d, 1, "data", 2 << 20, 64, 4);
	check_documented_tlb(&d, 2, "data", 4096, 2048, 8);
	d.tlb_count = 0;
	documented_decode_tlbs(&d, nothing);
	ck_assert_uint_eq(d.tlb_count, 0);
}
END_TEST

START_TEST(documented_tlb_sizes_of_zen5)
{
	struct documented d = { .tlb_count = 0 };

	documented_decode_tlbs(&d, zen5);
	check_documented_tlb(&d, 1, "data", 4096, 96, 96);
	check_documented_tlb(&d, 2, "data", 4096, 4096, 8);
	check_documented_tlb(&d, 2, "instruction", 4096, 2048, 4);
}
END_TEST

START_TEST(documented_tlbs_of_descriptors)
{
	struct documented d = { .tlb_count = 0 };

	documented_decode_tlbs(&d, skylake);
	ck_assert_uint_eq(d.tlb_count, 8);
	check_documented_tlb(&d, 1, "data", 4096, 64, 4);
	check_documented_tlb(&d, 1, "data", 2 << 20, 32, 4);
	check_documented_tlb(&d, 1, "instruction", 4096, 64, 8);
	check_documented_tlb(&d, 1, "instruction", 2 << 20, 8, 8);
	check_documented_tlb(&d, 2, "data", 4096, 1536, 6);
	check_documented_tlb(&d, 2, "instruction", 2 << 20, 1536, 6);
}
END_TEST

START_TEST(documented_is_read)
{
	char top[] = TREEKIT_NAME, path[128];
	const struct documented_cache *c;
	struct documented d;

	treekit_make(top);
	treekit_write(top, "cache/index0/level", "1\n");
	treekit_write(top, "cache/index0/type", "Data\n");
	treekit_write(top, "cache/index0/size", "48K\n");
	treekit_write(top, "cache/index0/ways_of_associativity", "12\n");
	treekit_write(top, "cache/index0/coherency_line_size", "garbage\n");
	treekit_write(top, "cache/index0/shared_cpu_list", "0-1\n");
	treekit_write(top, "cpuinfo", "processor : 0\nmodel name\t: A B\n");
	snprintf(path, sizeof(path), "%s/cpuinfo", top);
	documented_read(&d, top, path);
	ck_assert_uint_eq(d.cache_count, 1);
	c = documented_find(&d, 1, "data");
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->capacity_bytes, 48 * 1024);
	ck_assert_uint_eq(c->ways, 12);
	ck_assert_uint_eq(c->line_bytes, 0);
	ck_assert_uint_eq(c->sets, 0);
	ck_assert_str_eq(c->type, "data");
	ck_assert_str_eq(d.cpu_model, "A B");
	ck_assert_ptr_null(documented_find(&d, 2, "data"));
	treekit_drop(top);
	documented_read(&d, top, "/nonexistent");
	ck_assert_uint_eq(d.cache_count, 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("documented");

	tcase_add_test(t, documented_tlbs_are_decoded);
	tcase_add_test(t, documented_tlb_sizes_of_zen5);
	tcase_add_test(t, documented_tlbs_of_descriptors);
	tcase_add_test(t, documented_is_read);
	suite_add_tcase(suite, t);
	return suite;
}
