// SPDX-License-Identifier: GPL-2.0
/* check_set_conflict.c - misses of one set in a row, below ways of any length. */
#include <math.h>
#include <stdio.h>

#include "kit/profilekit.h"
#include "method/evset/oracle/set_conflict.h"
#include "method/level/level.h"
#include "suites.h"

#define KIB UINT64_C(1024)
#define PAGE (4 * KIB)

/* Bytes of a way of the first level, and what a miss right after one of its set takes
 * longer, in cycles.
 */
static const struct {
	uint64_t way_bytes;
	double cycles;
} levels[] = {
	{ 4 * KIB, 0 }, { 4 * KIB, 4 },	 { 2 * KIB, 0 },  { 2 * KIB, 4 },
	{ 1 * KIB, 4 }, { 16 * KIB, 0 }, { 16 * KIB, 4 }, { 64, 0 },
};

static struct machine *open_level(uint64_t way_bytes, double cycles)
{
	char text[1000];

	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":%llu,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4,\"same_set_miss_cycles\":%g},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":1048576,\"ways\":16,\"line_bytes\":64,\"latency_cycles\":14}],"
		"\"page_bytes\":4096,\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":200}}",
		8ULL * way_bytes, cycles);
	return profilekit_open(text, 64 * KIB * KIB, 1);
}

START_TEST(conflict)
{
	const double cycles = levels[_i].cycles;
	const struct xray_level first = { .ways = 8,
					  .way_bytes = levels[_i].way_bytes,
					  .line_bytes = 64,
					  .own = 8 };
	struct machine *m = open_level(first.way_bytes, cycles);
	struct failure f = { .text = "" };
	struct prober p;
	struct xray x = { .prober = &p, .upper = &first, .upper_count = 1 };
	struct evset_machine e = { .x = &x, .window = { .low_bytes = PAGE } };
	double wanted;

	prober_begin(&p, m, 1);
	x.reference.control = xray_control(&x, 3);
	ck_assert_msg(!evset_find_conflict(&e, &f), "ways of %llu: %s",
		      (unsigned long long)first.way_bytes, f.text);
	wanted = prober_load_ticks(&p, cycles);
	ck_assert_msg(fabs(e.scale.conflict - wanted) <= 0.2 * wanted,
		      "ways of %llu: %g instead of %g",
		      (unsigned long long)first.way_bytes, e.scale.conflict,
		      wanted);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("conflict");

	tcase_add_loop_test(t, conflict, 0, sizeof(levels) / sizeof(levels[0]));
	suite_add_tcase(s, t);
	return s;
}
