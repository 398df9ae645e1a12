// SPDX-License-Identifier: GPL-2.0
/* check_truth.c - what methods are held against. */
#include <math.h>
#include <string.h>

#include "report/compare/truth.h"
#include "suites.h"

static struct truth truth;

#define PROFILE                                                                 \
	"{\"caches\":[{\"level\":1,\"type\":\"instruction\","                   \
	"\"capacity_bytes\":8192,\"ways\":2,\"line_bytes\":32,"                 \
	"\"latency_cycles\":1},{\"level\":1,\"type\":\"data\","                 \
	"\"capacity_bytes\":16384,\"ways\":4,\"line_bytes\":64,"                \
	"\"latency_cycles\":3},{\"level\":2,\"type\":\"unified\","              \
	"\"capacity_bytes\":131072,\"ways\":8,\"line_bytes\":64,"               \
	"\"latency_cycles\":11}],\"tlbs\":[{\"level\":1,\"type\":\"data\","     \
	"\"page_bytes\":[4096],\"entries\":32,\"ways\":4,"                      \
	"\"latency_cycles\":1},{\"level\":1,\"type\":\"instruction\","          \
	"\"page_bytes\":[4096],\"entries\":16,\"ways\":4,"                      \
	"\"latency_cycles\":0},{\"level\":2,\"type\":\"unified\","              \
	"\"page_bytes\":[4096],\"entries\":512,\"ways\":8,"                     \
	"\"latency_cycles\":7}],\"expect\":{\"caches\":["                       \
	"{\"level\":2,\"type\":\"instruction\","                                \
	"\"effective_capacity_bytes\":{\"value\":1}},{\"level\":2,"             \
	"\"type\":\"unified\",\"effective_capacity_bytes\":{\"value\":147456}}" \
	"]}}"

START_TEST(profiles_are_the_truth)
{
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(PROFILE, strlen(PROFILE), "x", &f);
	const struct truth_tlb *tlb;

	ck_assert_msg(p != NULL, "%s", f.text);
	truth_of_profile(&truth, p);
	ck_assert(truth.exact);
	ck_assert_uint_eq(truth.cache_count, 2);
	ck_assert(truth.caches[0].capacity_bytes == 16384);
	ck_assert(truth.caches[0].usable_bytes == 16384);
	ck_assert(truth.caches[1].capacity_bytes == 131072);
	ck_assert(truth.caches[1].usable_bytes == 147456);
	ck_assert(truth.caches[1].latency_cycles == 11);
	ck_assert_uint_eq(truth.tlb_count, 2);
	tlb = truth_find_tlb(&truth, 2, 4096);
	ck_assert(tlb->entries == 512 && tlb->latency_cycles == 6);
	ck_assert_ptr_null(truth_find_tlb(&truth, 1, 2 << 20));
	profile_free(p);
}
END_TEST

START_TEST(documents_leave_gaps)
{
	const struct documented d = {
		.caches = { { .level = 1, .type = "instruction", .ways = 3 },
			    { .level = 1, .type = "data", .ways = 12 } },
		.cache_count = 2,
		.tlbs = { { 1, "instruction", 4096, 99, 1 },
			  { 1, "data", 4096, 72, 72 } },
		.tlb_count = 2,
	};

	truth_of_documents(&truth, &d);
	ck_assert(!truth.exact);
	ck_assert_uint_eq(truth.cache_count, 1);
	ck_assert(truth.caches[0].ways == 12);
	ck_assert(isnan(truth.caches[0].capacity_bytes));
	ck_assert(isnan(truth.caches[0].latency_cycles));
	ck_assert(truth_find_tlb(&truth, 1, 4096)->entries == 72);
}
END_TEST

TCase *make_truth_case(void)
{
	TCase *t = tcase_create("truth");

	tcase_add_test(t, profiles_are_the_truth);
	tcase_add_test(t, documents_leave_gaps);
	return t;
}
