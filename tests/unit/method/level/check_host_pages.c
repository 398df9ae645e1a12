// SPDX-License-Identifier: GPL-2.0
/* check_host_pages.c - guests whose pages are made of smaller ones of the host.
 */
#include <stdio.h>

#include "method/levels/levels.h"
#include "kit/disturber.h"
#include "kit/profilekit.h"
#include "method/level/host_pages.h"
#include "method/level/level.h"
#include "suites.h"

#define BYTES (UINT64_C(64) << 20)
#define GUEST ",\"virtual_machine\":true"
#define SMALL GUEST ",\"host_page_bytes\":4096"

static const struct {
	const char *more;
	unsigned int entries; /* of the first array, for pages of 4 KiB */
	unsigned int drift;   /* percent that the core's clock changes by */
	enum verdict pieces;
} cases[] = {
	{ SMALL, 64, 0, VERDICT_NON_COMPACT },
	{ SMALL, 96, 0, VERDICT_NON_COMPACT },
	{ SMALL, 160, 0, VERDICT_NON_COMPACT },
	{ SMALL, 64, 15, VERDICT_NON_COMPACT },
	{ GUEST, 64, 0, VERDICT_COMPACT },
	{ GUEST, 64, 15, VERDICT_COMPACT },
	/* As many translations as pieces: nothing shows. */
	{ SMALL, 512, 0, VERDICT_COMPACT },
	/* Hardware is not measured: only guests have host pages. */
	{ "", 64, 0, VERDICT_UNDECIDED },
};
#define CASES ((int)(sizeof(cases) / sizeof(cases[0])))

/* Theirs. */
static const struct xray_level eight_ways = { .ways = 8,
					      .way_bytes = 4096,
					      .line_bytes = 64 };

static struct machine *open_case(int i, uint64_t seed)
{
	char text[1200];

	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4}],"
		"\"tlbs\":[{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],\"entries\":%u,\"ways\":%u},"
		"{\"level\":1,\"type\":\"data\",\"page_bytes\":[2097152],\"entries\":32,\"ways\":32},"
		"{\"level\":2,\"type\":\"unified\",\"page_bytes\":[4096,2097152],\"entries\":2048,\"ways\":8,\"latency_cycles\":7}],"
		"\"noise\":{\"frequency_drift\":%g},\"huge_page_bytes\":[2097152],\"memory\":{\"latency_cycles\":300}%s}",
		cases[i].entries, cases[i].entries, cases[i].drift / 100.0,
		cases[i].more);
	return profilekit_open(text, BYTES, seed);
}

START_TEST(each_needs_a_translation)
{

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct machine *m = open_case(_i, seed);
		struct failure f = { .text = "" };
		struct prober p;

		prober_begin(&p, m, seed);
		ck_assert_msg(!host_pages_measure(&p, &eight_ways, &f), "%s",
			      f.text);
		ck_assert_msg(p.pieces == cases[_i].pieces, "seed %d",
			      (int)seed);
		/* It is measured once. */
		ck_assert_int_eq(host_pages_measure(&p, &eight_ways, &f), 0);
		ck_assert_int_eq(p.pieces, cases[_i].pieces);
		machine_close(m);
	}
}
END_TEST

static int spoiled;

/* Another process uses the first cache for a moment, while lines in a row are walked. */
static void slow_down(const struct sequence *s, const struct walk_plan *plan,
		      struct sample *samples)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < s->length; i++) {
		first = s->offsets[i] < first ? s->offsets[i] : first;
		last = s->offsets[i] > last ? s->offsets[i] : last;
	}
	if (last - first >= s->length * HOST_PAGES_BYTES / 2 || !spoiled)
		return;
	spoiled--;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].ticks *= 4;
}

/* An unclear sample is repeated: pieces are found, and none where there are none. */
START_TEST(under_contention)
{
	struct machine *m = open_case(_i, 1);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, 1);
	spoiled = 3;
	after_walks(m, slow_down);
	ck_assert_msg(!host_pages_measure(&p, &eight_ways, &f), "%s", f.text);
	ck_assert_int_eq(spoiled, 0);
	ck_assert_int_eq(p.pieces, cases[_i].pieces);
	machine_close(m);
}
END_TEST

/* Few lines of the first cache show nothing: there may be as many translations. */
START_TEST(too_few_lines)
{
	const struct xray_level first = { .ways = 4,
					  .way_bytes = 4096,
					  .line_bytes = 64 };
	struct machine *m = open_case(0, 1);
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_int_eq(host_pages_measure(&p, &first, &f), 0);
	ck_assert_int_eq(p.pieces, VERDICT_UNDECIDED);
	machine_close(m);
}
END_TEST

/* Of three lines of a class that is two sets most choices fit into two ways. Six of eight
 * did not, by chance, with two seeds of these.
 */
#define TWO_WAYS                                                                \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768," \
	"\"ways\":2,\"line_bytes\":64,\"latency_cycles\":4,\"addressing\":"     \
	"\"physical\"}],\"phys_bits\":40,\"cycle_ns\":0.67,"                    \
	"\"phys_placement\":\"random-2m\",\"timer\":{\"resolution_ns\":40,"     \
	"\"overhead_cycles\":25},\"noise\":{\"jitter_cycles\":20},"             \
	"\"memory\":{\"latency_cycles\":160}" SMALL "}"
#define TWO_WAYS_SEEDS 40
#define TWO_WAYS_BYTES (UINT64_C(512) << 20)

START_TEST(first_level_of_two_ways)
{
	if (_i != 11 && _i != 31 && !is_in_part_of(_i, TWO_WAYS_SEEDS))
		return;

	const uint64_t seed = (uint64_t)_i + 1;
	struct machine *m = profilekit_open(TWO_WAYS, TWO_WAYS_BYTES, seed);
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	c = &h.caches[0];
	ck_assert_double_eq(c->ways.value, 2);
	ck_assert_msg(parameter_is_measured(&c->sets), "%s", c->sets.reason);
	ck_assert_double_eq(c->sets.value, 256);
	ck_assert_double_eq(c->capacity_bytes.value, 32768);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("guests");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, each_needs_a_translation, 0, CASES);
	tcase_add_loop_test(t, under_contention, 0, CASES - 1);
	tcase_add_test(t, too_few_lines);
	tcase_add_loop_test(t, first_level_of_two_ways, 0, TWO_WAYS_SEEDS);
	suite_add_tcase(s, t);
	return s;
}
