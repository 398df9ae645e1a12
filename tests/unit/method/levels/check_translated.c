// SPDX-License-Identifier: GPL-2.0
/* check_translated.c - levels by time, where translations of far lines miss: a first
 * level that few pages reach, an exclusive one with fewer sets than that above, and
 * hits that are as slow as memory by their translations.
 */
#include "kit/profilekit.h"
#include "machine/sim/sim.h"
#include "method/levels/levels.h"
#include "suites.h"

#define REGION_BYTES (UINT64_C(256) << 20)
#define TLB(entries, ways, page, more)                                    \
	"\"page_bytes\":" #page ",\"huge_page_bytes\":[],\"tlbs\":["      \
	"{\"level\":1,\"type\":\"data\",\"entries\":" #entries            \
	",\"ways\":" #ways "}" more "],\"walk\":{\"latency_cycles\":30}," \
	"\"memory\":{\"latency_cycles\":110}}"
#define NEXT_TLB                                                         \
	",{\"level\":2,\"type\":\"unified\",\"entries\":64,\"ways\":64," \
	"\"latency_cycles\":4}"
#define PLRU ",\"policy\":{\"name\":\"tree-plru\"}}"

/* Per level. */
static const struct {
	const char *name;
	const char *text;
	unsigned int line, count, ways[3], capacity_kib[3], effective_ways;
} machines[] = {
	/* 5 lines of a set lie in 3 pages, and in 5 where they are farther apart. */
	{ "four entries",
	  "{\"caches\":["
	  "{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":4,"
	  "\"line_bytes\":32,\"latency_cycles\":3" PLRU ","
	  "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":524288,"
	  "\"ways\":8,\"line_bytes\":32,\"latency_cycles\":20" PLRU
	  "]," TLB(4, 4, 16384, NEXT_TLB),
	  32,
	  2,
	  { 4, 8 },
	  { 32, 512 },
	  8 },
	/* Sixteen far lines are slow, by translations alone: 20 of them fit. Closer
	 * together they fall to more sets of L1: 32 fit.
	 */
	{ "exclusive, of fewer sets",
	  "{\"caches\":["
	  "{\"level\":1,\"type\":\"data\",\"capacity_bytes\":65536,\"ways\":4,"
	  "\"line_bytes\":32,\"latency_cycles\":4" PLRU ","
	  "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":65536,"
	  "\"ways\":16,\"line_bytes\":32,\"latency_cycles\":12,"
	  "\"inclusion\":\"exclusive\"" PLRU "]," TLB(128, 8, 4096, ""),
	  32,
	  2,
	  { 4, 16 },
	  { 64, 64 },
	  32 },
	/* The same geometry, each line in both levels. */
	{ "not exclusive, of fewer sets",
	  "{\"caches\":["
	  "{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384,\"ways\":4,"
	  "\"line_bytes\":32,\"latency_cycles\":4" PLRU ","
	  "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":65536,"
	  "\"ways\":32,\"line_bytes\":32,\"latency_cycles\":12" PLRU
	  "]," TLB(128, 8, 4096, ""),
	  32,
	  2,
	  { 4, 32 },
	  { 16, 64 },
	  32 },
	/* Lines a way of L2 apart lie in four sets of the TLB: all of them walk, and
	 * take 65 cycles of memory's 90, in L3's 35.
	 */
	{ "direct-mapped, below lines that all walk",
	  "{\"caches\":["
	  "{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":2,"
	  "\"line_bytes\":32,\"latency_cycles\":2},"
	  "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":262144,"
	  "\"ways\":4,\"line_bytes\":32,\"latency_cycles\":9" PLRU ","
	  "{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":1048576,"
	  "\"ways\":1,\"line_bytes\":32,\"latency_cycles\":35}]," TLB(128, 2,
								      4096, ""),
	  32,
	  3,
	  { 2, 4, 1 },
	  { 32, 256, 1024 },
	  1 },
	/* 1 MiB are four times the pages of the TLB; a walk costs what a miss does. */
	{ "walks as costly as misses",
	  "{\"caches\":["
	  "{\"level\":1,\"type\":\"data\",\"capacity_bytes\":16384,\"ways\":8,"
	  "\"line_bytes\":64,\"latency_cycles\":4" PLRU ","
	  "{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":1048576,"
	  "\"ways\":8,\"line_bytes\":64,\"latency_cycles\":28" PLRU ","
	  "{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":4194304,"
	  "\"ways\":16,\"line_bytes\":64,\"latency_cycles\":60" PLRU
	  "]," TLB(64, 64, 4096, ""),
	  64,
	  3,
	  { 8, 8, 16 },
	  { 16, 1024, 4096 },
	  16 },
};
#define MACHINES (int)(sizeof(machines) / sizeof(machines[0]))

static void expect(int at, int level, const char *what,
		   const struct parameter *p, unsigned int wanted)
{
	ck_assert_msg(parameter_is_measured(p) && p->value == wanted,
		      "%s: L%d %s: %g instead of %u %s", machines[at].name,
		      level, what, p->value, wanted, p->reason);
}

START_TEST(levels)
{
	struct machine *m = profilekit_open(machines[_i].text, REGION_BYTES, 1);
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_msg(xray_measure(&p, &found, &f) == 0, "%s", f.text);
	ck_assert_uint_eq(found.cache_count, machines[_i].count);
	for (unsigned int i = 0; i < machines[_i].count; i++) {
		const struct cache_result *c = &found.caches[i];

		expect(_i, (int)i + 1, "ways", &c->ways, machines[_i].ways[i]);
		expect(_i, (int)i + 1, "KiB * 1024", &c->capacity_bytes,
		       machines[_i].capacity_kib[i] * 1024);
		expect(_i, (int)i + 1, "line", &c->line_bytes,
		       machines[_i].line);
	}
	expect(_i, (int)found.cache_count, "effective ways",
	       &found.caches[found.cache_count - 1].effective_ways,
	       machines[_i].effective_ways);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("translated");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, levels, 0, MACHINES);
	suite_add_tcase(suite, t);
	return suite;
}
