// SPDX-License-Identifier: GPL-2.0
/* check_lost.c - TLBs above an inclusive level that soon loses what is new in
 * it, and takes it from the first: what code takes from data there is lines, not
 * translations.
 */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define PAGE_BYTES 2097152
/* With four of them both arrays were taken for one. */
#define SEEDS 130
/* With five of these the two arrays were not distinguished. */
#define TWIN_SEEDS 40

/**
 * struct losing - such a machine
 * @second_bytes: of its second level
 * @third_bytes: of its third one
 * @third: further keys of the third one
 * @tlbs: in its profile
 */
struct losing {
	unsigned int second_bytes, third_bytes;
	const char *third;
	const char *tlbs;
};

static const struct losing many_sets = {
	262144, 2097152, "",
	"{\"level\":1,\"type\":\"data\",\"page_bytes\":[2097152],"
	"\"entries\":32,\"ways\":4},"
	"{\"level\":1,\"type\":\"instruction\",\"page_bytes\":[2097152],"
	"\"entries\":8,\"ways\":8},"
	"{\"level\":2,\"type\":\"unified\",\"page_bytes\":[2097152],"
	"\"entries\":1024,\"ways\":8,\"latency_cycles\":7}"
};

/* As few entries as for pages of 1 GiB, and none for code but below. */
static const struct losing few_sets = {
	65536, 131072,
	",\"index\":{\"kind\":\"xor\",\"masks\":[\"0x91040\",\"0x122080\","
	"\"0x44100\",\"0x88200\",\"0x110400\",\"0x20800\",\"0x43000\"]}",
	"{\"level\":1,\"type\":\"data\",\"page_bytes\":[2097152],"
	"\"entries\":4,\"ways\":4},"
	"{\"level\":2,\"type\":\"unified\",\"page_bytes\":[2097152],"
	"\"entries\":16,\"ways\":4,\"latency_cycles\":7}"
};

/* Two arrays of the same size. */
static const struct losing twins = {
	65536, 524288, "",
	"{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],"
	"\"entries\":64,\"ways\":4},"
	"{\"level\":1,\"type\":\"instruction\",\"page_bytes\":[4096],"
	"\"entries\":64,\"ways\":4},"
	"{\"level\":2,\"type\":\"unified\",\"page_bytes\":[4096],"
	"\"entries\":512,\"ways\":4,\"latency_cycles\":7}"
};

static struct machine *open_losing(const struct losing *l, uint64_t seed)
{
	char text[2048];

	snprintf(
		text, sizeof(text),
		"{\"caches\":["
		"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,"
		"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,"
		"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12},"
		"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":%u,"
		"\"ways\":16,\"line_bytes\":64,\"latency_cycles\":40,"
		"\"inclusion\":\"inclusive\",\"policy\":{\"name\":\"bip\"}%s}],"
		"\"walk\":{\"latency_cycles\":30},\"counters\":[],"
		"\"huge_page_bytes\":[2097152],\"tlbs\":[%s]}",
		l->second_bytes, l->third_bytes, l->third, l->tlbs);
	return profilekit_open(text, UINT64_C(64) << 20, seed);
}

static const struct tlb_result *first_of(const struct hierarchy *h,
					 uint64_t page_bytes, const char *type)
{
	for (size_t i = 0; i < h->tlb_count; i++)
		if (h->tlbs[i].level == 1 &&
		    h->tlbs[i].page_bytes == page_bytes &&
		    !strcmp(h->tlbs[i].type, type))
			return &h->tlbs[i];
	return NULL;
}

static void expect_apart(const struct losing *l, uint64_t seed)
{
	struct machine *m = open_losing(l, seed);
	struct hierarchy h;

	tlbkit_xray(m, 32768, 8, 64, seed, &h);
	ck_assert_ptr_nonnull(first_of(&h, PAGE_BYTES, "data"));
	ck_assert_ptr_null(first_of(&h, PAGE_BYTES, "unified"));
	machine_close(m);
}

START_TEST(new_lines_are_lost)
{
	expect_apart(&many_sets, 5);
}
END_TEST

START_TEST(lines_are_lost_now_and_then)
{
	if (!is_in_part(_i))
		return;

	expect_apart(&few_sets, (uint64_t)_i);
}
END_TEST

/* Another placement shows where lines were lost. */
START_TEST(twins_are_distinguished)
{
	if (!is_in_part(_i))
		return;

	struct machine *m = open_losing(&twins, (uint64_t)_i);
	const struct tlb_result *t;
	struct hierarchy h;

	tlbkit_xray(m, 32768, 8, 64, (uint64_t)_i, &h);
	t = first_of(&h, 4096, "instruction");
	ck_assert_ptr_nonnull(t);
	ck_assert_msg(t->entries.status == PARAMETER_MEASURED, "%s",
		      t->entries.reason);
	ck_assert_double_eq(t->entries.value, 64);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("tlb lost");

	tcase_set_timeout(t, 240);
	tcase_add_test(t, new_lines_are_lost);
	tcase_add_loop_test(t, lines_are_lost_now_and_then, 1, 1 + SEEDS);
	tcase_add_loop_test(t, twins_are_distinguished, 70, 70 + TWIN_SEEDS);
	suite_add_tcase(s, t);
	return s;
}
