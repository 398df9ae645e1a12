// SPDX-License-Identifier: GPL-2.0
/* check_latency.c - latencies hold neither conflicts of misses that follow each
 * other in a set, nor translations.
 */
#include <math.h>

#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "machine/sim/sim.h"
#include "method/level/latency.h"
#include "method/level/page_share.h"
#include "method/level/spread.h"
#include "suites.h"

#define ARENA_BYTES (UINT64_C(256) << 20)
#define PAGE UINT64_C(4096)
#define LINE 64
#define NEAR 0.25

#define CACHE(number, type, bytes, ways, line, latency, more) \
	"{\"level\":" #number ",\"type\":\"" type             \
	"\",\"capacity_bytes\":" bytes ",\"ways\":" #ways     \
	",\"line_bytes\":" #line ",\"latency_cycles\":" #latency more "}"
#define SAME_SET(cycles) ",\"same_set_miss_cycles\":" cycles
#define THREE(first, second)                         \
	CACHE(1, "data", "32768", 8, 64, 3, first)   \
	"," CACHE(2, "unified", "262144", 8, 64, 12, \
		  second) "," CACHE(3, "unified", "2097152", 16, 64, 35, "")
#define TWO(more)                                \
	CACHE(1, "data", "8192", 2, 64, 3, more) \
	"," CACHE(2, "unified", "131072", 8, 64, 14, "")
#define SMALL(last)                                  \
	CACHE(1, "data", "4096", 4, 64, 3, "")       \
	"," CACHE(2, "unified", "65536", 16, 64, 12, \
		  "") "," CACHE(3, "unified", "1048576", 16, 64, last, "")
#define DIRECT_MAPPED                                \
	CACHE(1, "data", "16384", 1, 64, 3, "")      \
	"," CACHE(2, "unified", "262144", 8, 64, 12, \
		  "") "," CACHE(3, "unified", "2097152", 16, 64, 35, "")
#define FEW_LINES                                    \
	CACHE(1, "data", "2048", 32, 64, 3, "")      \
	"," CACHE(2, "unified", "262144", 8, 64, 12, \
		  "") "," CACHE(3, "unified", "2097152", 16, 64, 35, "")

#define TLB(level, pages, entries, latency)                              \
	"{\"level\":" #level ",\"type\":\"data\",\"page_bytes\":[" pages \
	"],\"entries\":" #entries ",\"ways\":" #entries                  \
	",\"latency_cycles\":" #latency "}"
#define NO_TLB ""
#define BOTH_SIZES ",\"tlbs\":[" TLB(1, "4096,2097152", 64, 0) "]"
#define SECOND_ONLY                                  \
	",\"tlbs\":[" TLB(1, "4096", 32, 0) "," TLB( \
		2, "4096", 512, 8) "," TLB(2, "2097152", 32, 8) "]"
#define WALKED                                           \
	",\"huge_page_bytes\":[2097152],\"tlbs\":[" TLB( \
		1, "4096", 32, 0) "],\"phys_placement\":\"random-2m\""
#define SMALL_PAGES \
	",\"huge_page_bytes\":[],\"tlbs\":[" TLB(1, "4096", 32, 0) "]"
/* Fewer than twice the ways. */
#define FEW ",\"huge_page_bytes\":[],\"tlbs\":[" TLB(1, "4096", 24, 0) "]"
#define VERY_FEW ",\"huge_page_bytes\":[],\"tlbs\":[" TLB(1, "4096", 16, 0) "]"
#define NOISE                                                        \
	",\"noise\":{\"jitter_cycles\":5,\"tail_probability\":0.01," \
	"\"tail_cycles\":2000,\"frequency_drift\":0.01}"

/* What each level takes, and memory; 0: there is none, or it is not measured. @slow: a
 * search of some seconds, of which each day has a part.
 */
static const struct {
	const char *name;
	const char *caches;
	const char *more;
	double cycles[3];
	double memory;
	bool slow;
} machines[] = {
	{ "nothing of both", THREE("", ""), NO_TLB, { 3, 12, 35 }, 240, false },
	{ "misses of one set of L1",
	  THREE(SAME_SET("3.4"), ""),
	  BOTH_SIZES,
	  { 3, 12, 35 },
	  240,
	  false },
	{ "the same in noise",
	  THREE(SAME_SET("4"), ""),
	  BOTH_SIZES NOISE,
	  { 3, 12, 35 },
	  0,
	  false },
	{ "misses of one set of L1 and of L2",
	  THREE(SAME_SET("4"), SAME_SET("7")),
	  BOTH_SIZES,
	  { 3, 12, 35 },
	  240,
	  false },
	{ "misses of one set of a small L1",
	  TWO(SAME_SET("2")),
	  BOTH_SIZES,
	  { 3, 14, 0 },
	  240,
	  false },
	{ "memory in pages of the second TLB level",
	  THREE("", ""),
	  SECOND_ONLY,
	  { 3, 12, 35 },
	  240,
	  false },
	{ "the same in noise",
	  TWO(""),
	  SECOND_ONLY NOISE,
	  { 3, 14, 0 },
	  0,
	  false },
	{ "both kinds",
	  THREE(SAME_SET("4"), ""),
	  SECOND_ONLY,
	  { 3, 12, 35 },
	  240,
	  false },
	{ "memory in pages of no TLB",
	  TWO(""),
	  WALKED,
	  { 3, 14, 0 },
	  240,
	  false },
	{ "a twin whose lines share sets",
	  DIRECT_MAPPED,
	  BOTH_SIZES,
	  { 3, 12, 35 },
	  240,
	  false },
	{ "no room for a twin of pages that cost nothing",
	  FEW_LINES,
	  BOTH_SIZES,
	  { 3, 12, 35 },
	  240,
	  true },
	{ "more pages than entries, and no room for a twin",
	  SMALL(80),
	  SMALL_PAGES,
	  { 3, 12, 80 },
	  240,
	  true },
	{ "no more pages than entries, once there are no more lines than needed",
	  SMALL(35),
	  SMALL_PAGES,
	  { 3, 12, 35 },
	  240,
	  true },
};

static struct machine *open_machine(const char *caches, const char *more,
				    uint64_t seed)
{
	char text[2000];

	ck_assert_int_lt(snprintf(text, sizeof(text),
				  "{\"caches\":[%s],\"counters\":[],"
				  "\"walk\":{\"latency_cycles\":25},"
				  "\"memory\":{\"latency_cycles\":240}%s}",
				  caches, more),
			 (int)sizeof(text));
	return profilekit_open(text, ARENA_BYTES, seed);
}

static uint64_t seed_of_run(void)
{
	const char *given = getenv("PROBE_PHYS_SEED");

	return given ? strtoull(given, NULL, 0) : 1;
}

static void is_near(const struct parameter *p, double cycles, const char *what,
		    const char *name)
{
	ck_assert_msg(!parameter_is_measured(p) ||
			      fabs(p->value - cycles) < NEAR + 0.02 * cycles,
		      "%s: %s: %g cycles, not %g", name, what, p->value,
		      cycles);
	ck_assert_msg(parameter_is_measured(p), "%s: %s: undecided: %s", name,
		      what, p->reason);
}

START_TEST(latencies_are_the_levels_alone)
{
	static const char *const levels[] = { "L1", "L2", "L3" };
	static struct hierarchy h;
	struct failure f = { .text = "" };
	struct machine *m;
	struct prober p;

	if (machines[_i].slow && !is_in_part(_i))
		return;
	m = open_machine(machines[_i].caches, machines[_i].more, seed_of_run());
	prober_begin(&p, m, seed_of_run());
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s: %s", machines[_i].name,
		      f.text);
	for (int i = 0; i < 3 && machines[_i].cycles[i] > 0; i++)
		is_near(&h.caches[i].latency_cycles, machines[_i].cycles[i],
			levels[i], machines[_i].name);
	if (machines[_i].memory > 0)
		is_near(&h.memory_latency_cycles, machines[_i].memory, "memory",
			machines[_i].name);
	machine_close(m);
}
END_TEST

/* What is not said, and why. */
static const struct {
	const char *caches;
	const char *more;
	size_t level;
	const char *reason;
} open_ones[] = {
	{ THREE(SAME_SET("60"), ""), BOTH_SIZES, 1, "in turn" },
	{ SMALL(35), FEW, 2, "translations" },
};

START_TEST(what_may_not_be_alone_is_undecided)
{
	const struct cache_result *c;
	static struct hierarchy h;
	struct failure f = { .text = "" };
	struct machine *m;
	struct prober p;

	/* A search of some seconds, of which each day has a part. */
	if (_i && !is_in_part(_i))
		return;
	m = open_machine(open_ones[_i].caches, open_ones[_i].more,
			 seed_of_run());
	prober_begin(&p, m, seed_of_run());
	p.most_levels = open_ones[_i].level + 1;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	c = &h.caches[open_ones[_i].level];
	ck_assert_msg(!parameter_is_measured(&c->latency_cycles), "%g",
		      c->latency_cycles.value);
	ck_assert(!parameter_is_measured(&c->latency_ns));
	ck_assert_msg(strstr(c->latency_cycles.reason, open_ones[_i].reason),
		      "%s", c->latency_cycles.reason);
	machine_close(m);
}
END_TEST

/* Shapes of controls: of an L1; of L2, with copies; rows of less than a page. */
static const struct {
	struct shape w;
	size_t least;
} shapes[] = {
	{ { .inner = 1, .stride = PAGE, .outer = 24 }, 8 },
	{ { .inner_stride = PAGE, .inner = 3, .stride = 8 * PAGE, .outer = 24 },
	  8 },
	{ { .inner = 1, .stride = 1024, .outer = 24 }, 4 },
	{ { .inner = 1, .stride = LINE, .outer = 96 }, 1 },
};

static size_t set_of(uint64_t offset)
{
	return offset % PAGE / LINE;
}

/* Seeds whose controls were neighbours across the end of a page. */
static const uint64_t neighbour_seeds[] = { 50000006, 50000009, 50000011 };

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))
#define NEIGHBOUR_SEEDS (sizeof(neighbour_seeds) / sizeof(neighbour_seeds[0]))

START_TEST(turns_are_of_different_sets)
{
	const size_t which = (size_t)_i % SHAPES, run = (size_t)_i / SHAPES;
	const uint64_t seed = run ? neighbour_seeds[run - 1] : seed_of_run();
	struct machine *m = open_machine(THREE("", ""), BOTH_SIZES, 1);
	struct failure f = { .text = "" };
	struct spread s;
	struct sequence q;
	struct prober p;

	prober_begin(&p, m, seed);
	ck_assert(!spread_begin(&p, &shapes[which].w, LINE, 8, &s, &f));
	ck_assert_uint_ge(s.count, shapes[which].least);
	ck_assert_uint_le(s.count, 8);
	ck_assert(!spread_build(&p, &s, &q, &f));
	ck_assert_uint_eq(q.length, s.count * shape_length(&shapes[which].w));
	for (size_t i = 0; i < q.length; i++) {
		uint64_t at = q.offsets[i];

		for (size_t j = i + 1; j < q.length; j++) {
			uint64_t apart = at > q.offsets[j] ? at - q.offsets[j] :
							     q.offsets[j] - at;

			ck_assert_msg(i % s.count == j % s.count ||
					      apart >= 2 * LINE,
				      "neighbours: %#llx, %#llx",
				      (unsigned long long)at,
				      (unsigned long long)q.offsets[j]);
			ck_assert_uint_ge(apart, LINE);
		}
		if (s.count > 1 && shapes[which].w.stride % PAGE == 0)
			ck_assert_uint_ne(
				set_of(at),
				set_of(q.offsets[(i + 1) % q.length]));
	}
	sequence_free(&q);
	machine_close(m);
}
END_TEST

/* What a view of the same pages shows: entries that are too few, and enough. */
START_TEST(many_pages_add_their_walks)
{
	struct machine *m = open_machine(FEW_LINES, VERY_FEW, 1);
	struct failure f = { .text = "" };
	struct sequence q;
	struct prober p;
	double ticks;

	prober_begin(&p, m, seed_of_run());
	for (size_t pages = 8; pages <= 32; pages *= 2) {
		const struct shape w = { .inner = 1,
					 .stride = 8 * PAGE,
					 .outer = pages };

		ck_assert(!sequence_place(&q, &w, 0));
		ck_assert(!page_share_added(&p, &q, 1024, &ticks, &f));
		ck_assert_msg(fabs(ticks - (pages > 16 ? 25 : 0)) < 1,
			      "%zu pages: %g ticks", pages, ticks);
		ck_assert(!page_share_added(&p, &q, 32, &ticks, &f));
		ck_assert_msg(isnan(ticks), "too little room: %g", ticks);
		sequence_free(&q);
	}
	machine_close(m);
}
END_TEST

/* A latency of L2, its capacity, and whether the curve contradicts it. */
static const struct {
	double cycles;
	uint64_t bytes;
	bool contradicted;
} curves[] = {
	{ 12, 262144, false },
	{ 12.4, 262144, false },
	{ 15.4, 262144, true },
	{ 9, 262144, true },
	/* No room for all lines of four times L1. */
	{ 15.4, 131072, false },
};

START_TEST(the_curve_is_a_second_way)
{
	struct machine *m =
		open_machine(THREE(SAME_SET("4"), ""), BOTH_SIZES, 1);
	const struct xray_level l1 = {
		.ways = 8, .way_bytes = PAGE, .line_bytes = LINE, .own = 8
	};
	const double c = curves[_i].cycles;
	struct latency_finding found = { .method = "control", .decided = true };
	struct failure f = { .text = "" };
	struct prober p;
	struct xray x;

	prober_begin(&p, m, seed_of_run());
	xray_prepare(&x, &p, &l1, 1);
	/* A cycle is a tick and a nanosecond. */
	found.latency = (struct latency){ c, c, c };
	ck_assert(!xray_check_plateau(&x, curves[_i].bytes, &found, &f));
	ck_assert_msg(found.decided != curves[_i].contradicted,
		      "%g cycles, %llu bytes: %s", c,
		      (unsigned long long)curves[_i].bytes, found.reason);
	if (curves[_i].contradicted)
		ck_assert_msg(strstr(found.reason, "ns for all of 128 KiB"),
			      "%s", found.reason);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("latency");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, latencies_are_the_levels_alone, 0,
			    sizeof(machines) / sizeof(machines[0]));
	tcase_add_loop_test(t, what_may_not_be_alone_is_undecided, 0,
			    sizeof(open_ones) / sizeof(open_ones[0]));
	tcase_add_loop_test(t, turns_are_of_different_sets, 0,
			    SHAPES * (1 + NEIGHBOUR_SEEDS));
	tcase_add_loop_test(t, the_curve_is_a_second_way, 0,
			    sizeof(curves) / sizeof(curves[0]));
	tcase_add_test(t, many_pages_add_their_walks);
	suite_add_tcase(suite, t);
	return suite;
}
