// SPDX-License-Identifier: GPL-2.0
/* check_last_time.c - a last TLB that accessed bits show too small is refuted by time. */
#include <stdio.h>

#include "kit/profilekit.h"
#include "method/tlb/last.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define SETS 32
#define WAYS 8

static const char *const policies[] = { "lru",	  "fifo",  "tree-plru",
					"random", "srrip", "nru" };
#define POLICIES ((int)(sizeof(policies) / sizeof(policies[0])))

/* An array of the machine, and one that accessed bits are to have shown. */
static struct accessed_array claim(double ways)
{
	return (struct accessed_array){ .found = true,
					.ways_found = true,
					.ways = ways,
					.sets = SETS,
					.entries = ways * SETS };
}

static struct machine *open_with(const char *policy)
{
	char text[1024];
	struct machine *m;

	snprintf(text, sizeof(text),
		 "{\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\","
		 "\"capacity_bytes\":262144,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":12}],\"counters\":[],"
		 "\"huge_page_bytes\":[],\"accessed_bits\":true,\"tlbs\":["
		 "{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],"
		 "\"entries\":16,\"ways\":4},{\"level\":2,\"type\":\"unified\","
		 "\"page_bytes\":[4096],\"entries\":256,\"ways\":8,"
		 "\"latency_cycles\":7,\"policy\":{\"name\":\"%s\"}}]}",
		 policy);
	m = profilekit_open(text, TLBKIT_BYTES, tlbkit_seed());
	m->clearing_disturbs = true;
	return m;
}

/* Return: whether an array of @ways ways is found still. */
static bool stays(struct machine *m, double ways)
{
	struct accessed_array a = claim(ways);
	struct cache_result cache = { .level = 1, .type = "data" };
	struct kept_view v;
	struct hierarchy h;
	struct failure f;
	struct prober p;
	struct tlb_survey s = { .p = &p, .h = &h, .cache = &cache };

	parameter_measured(&cache.ways, 8, 0, "xray");
	parameter_measured(&cache.capacity_bytes, 32768, 0, "xray");
	parameter_measured(&cache.line_bytes, 64, 0, "xray");
	parameter_measured(&cache.sets, 64, 0, "xray");
	hierarchy_init(&h);
	prober_begin(&p, m, tlbkit_seed());
	ck_assert_msg(!kept_view_open(&v, &p, 4096, false, &f), "%s", f.text);
	ck_assert_msg(!tlb_last_ask_time(&s, &v, &a, &f), "%s", f.text);
	kept_view_close(&v);
	ck_assert(a.found == a.ways_found);
	ck_assert(a.found || a.reason[0]);
	return a.found;
}

START_TEST(fewer_ways_than_there_are_are_refuted)
{
	struct machine *m = open_with(policies[_i]);

	ck_assert(stays(m, WAYS));
	ck_assert(!stays(m, WAYS - 2));
	ck_assert(!stays(m, WAYS / 2));
	machine_close(m);
}
END_TEST

/* Bits that nothing disturbs need no second witness. */
START_TEST(only_where_clearing_disturbs)
{
	struct machine *m = open_with("lru");

	m->clearing_disturbs = false;
	ck_assert(stays(m, WAYS / 2));
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("last tlb by time");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, fewer_ways_than_there_are_are_refuted, 0,
			    POLICIES);
	tcase_add_test(t, only_where_clearing_disturbs);
	suite_add_tcase(s, t);
	return s;
}
