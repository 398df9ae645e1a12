// SPDX-License-Identifier: GPL-2.0
/* check_members.c - lines that share a set, in pages of a guest. */
#include "kit/profilekit.h"
#include "method/levels/levels.h"
#include "suites.h"

#define ROOM (UINT64_C(64) << 20)

static const char guest[] =
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,"
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},{\"level\":2,"
	"\"type\":\"unified\",\"capacity_bytes\":131072,\"ways\":8,"
	"\"line_bytes\":64,\"latency_cycles\":14,\"index\":{\"kind\":\"xor\",\"masks\":[\"0x40\",\"0x80\",\"0x40100\",\"0x80200\",\"0x100400\",\"0x200800\",\"0x401000\",\"0x802000\"]}}],\"phys_bits\":40,"
	"\"phys_placement\":\"random-2m\",\"virtual_machine\":true,"
	"\"host_page_bytes\":4096,\"counters\":[\"l1d_miss\",\"l2_miss\"],"
	"\"memory\":{\"latency_cycles\":200}}";

/* Of a set of LRU that is walked round and round no line stays; each other line
 * does.
 */
START_TEST(guests_list_lines_of_one_set)
{
	const struct walk_plan plan = { .warm_rounds = 3,
					.loads = RESULT_SET_LINES,
					.samples = 1,
					.counters = 1U << COUNTER_L2_MISS };
	struct machine *m = profilekit_open(guest, ROOM, (uint64_t)_i);
	struct failure f = { .text = "" };
	struct cache_result *l2;
	struct sequence lines;
	struct sample sample;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, (uint64_t)_i);
	ck_assert_int_eq(prober_trust_counters(&p, &f), 0);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_uint_ge(h.cache_count, 2);
	l2 = &h.caches[1];
	ck_assert_double_eq(l2->ways.value, 8);
	ck_assert_uint_eq(l2->set_line_count, RESULT_SET_LINES);
	lines = (struct sequence){ l2->set_lines, l2->set_line_count };
	ck_assert_int_eq(m->ops->walk(m, &lines, &plan, &sample, &f), 0);
	ck_assert_double_eq(sample.counts[COUNTER_L2_MISS],
			    (double)sample.loads);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("lists");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, guests_list_lines_of_one_set, 1, 4);
	suite_add_tcase(suite, t);
	return suite;
}
