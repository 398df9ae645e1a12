// SPDX-License-Identifier: GPL-2.0
/* check_xray_levels.c - what is peculiar to some levels: own ways in exclusive
 * hierarchies, sets that are no power of two, prefetchers, LIP.
 */
#include "machine/sim.h"
#include "method/xray.h"
#include "suites.h"

#define LEVEL(number, type, bytes, ways, latency, more) \
	"{\"level\":" #number ",\"type\":\"" type "\"," \
	"\"capacity_bytes\":" #bytes ",\"ways\":" #ways \
	",\"line_bytes\":64,\"latency_cycles\":" #latency more "}"
#define REST                                                              \
	"],\"phys_bits\":36,\"page_bytes\":4096,"                         \
	"\"huge_page_bytes\":[2097152],\"tlbs\":[{\"level\":1,"           \
	"\"type\":\"data\",\"page_bytes\":[4096,2097152],\"entries\":40," \
	"\"ways\":40}],\"walk\":{\"latency_cycles\":30},"                 \
	"\"memory\":{\"latency_cycles\":300}"
#define EXCLUSIVE ",\"inclusion\":\"exclusive\""
#define MODULO ",\"index\":{\"kind\":\"modulo\"}"
#define LIP ",\"policy\":{\"name\":\"lip\"}"

#define OPEN 0

/* What L2 is, or undecided; then whether a reason has these words. */
static const struct {
	const char *name;
	const char *caches;
	const char *more;
	unsigned int ways, capacity_kib, effective_ways, line_bytes;
	const char *reason;
} levels[] = {
	{ "exclusive below a virtual index",
	  LEVEL(1, "data", 65536, 2, 3, "") "," LEVEL(2, "unified", 524288, 16,
						      30, EXCLUSIVE),
	  "", 16, 512, 18, 64, "" },
	{ "18 ways of its own below a virtual index",
	  LEVEL(1, "data", 65536, 2, 3, "") "," LEVEL(2, "unified", 589824, 18,
						      30, ""),
	  "", 18, 576, 18, 64, "" },
	{ "exclusive below a physical index",
	  LEVEL(1, "data", 65536, 2, 3,
		",\"addressing\":\"physical\"") "," LEVEL(2, "unified", 524288,
							  16, 30, EXCLUSIVE),
	  "", OPEN, OPEN, 18, 64, "16 ways if" },
	{ "sets in no power of two",
	  LEVEL(1, "data", 32768, 8, 3, "") "," LEVEL(2, "unified", 1572864, 8,
						      30, MODULO),
	  "", 8, 1536, 8, 64, "" },
	{ "below an adjacent-line prefetcher",
	  LEVEL(1, "data", 32768, 8, 4, "") "," LEVEL(2, "unified", 262144, 8,
						      12, ""),
	  ",\"prefetchers\":[{\"kind\":\"adjacent-line\",\"level\":2}]", 8, 256,
	  8, 64, "" },
	{ "new lines first in the queue (LIP)",
	  LEVEL(1, "data", 32768, 8, 4,
		"") "," LEVEL(2, "unified", 262144, 8, 12,
			      LIP) "," LEVEL(3, "unified", 2097152, 16, 40, ""),
	  "", OPEN, OPEN, OPEN, OPEN, "used again" },
};

static struct machine *open_caches(const char *caches, const char *more)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = UINT64_C(256) << 20,
						 .seed = 1 };
	struct failure f = { .text = "" };
	struct profile *p;
	struct machine *m;
	char text[2000];

	snprintf(text, sizeof(text), "{\"caches\":[%s%s%s}", caches, REST,
		 more);
	p = profile_parse(text, strlen(text), "test", &f);
	ck_assert_msg(p != NULL, "%s: %s", f.text, text);
	m = machine_open_profile(p, &request, &f);
	ck_assert_msg(m != NULL, "%s", f.text);
	return m;
}

static void expect(const char *name, const char *what,
		   const struct parameter *p, unsigned int wanted,
		   const char *reason)
{
	bool measured = p->status == PARAMETER_MEASURED;

	ck_assert_msg(measured == (wanted != OPEN), "%s: %s: %g %s", name, what,
		      p->value, p->reason);
	if (measured)
		ck_assert_msg(p->value == wanted, "%s: %s: %g instead of %u",
			      name, what, p->value, wanted);
	else
		ck_assert_msg(strstr(p->reason, reason), "%s: %s: %s", name,
			      what, p->reason);
}

START_TEST(second_level)
{
	struct machine *m = open_caches(levels[_i].caches, levels[_i].more);
	const char *name = levels[_i].name, *reason = levels[_i].reason;
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy found;
	struct prober prober;

	prober_begin(&prober, m, 1);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ck_assert_int_ge(found.cache_count, 2);
	c = &found.caches[1];
	expect(name, "ways", &c->ways, levels[_i].ways, reason);
	expect(name, "capacity", &c->capacity_bytes,
	       levels[_i].capacity_kib * 1024, reason);
	expect(name, "effective ways", &c->effective_ways,
	       levels[_i].effective_ways, reason);
	expect(name, "line", &c->line_bytes, levels[_i].line_bytes, reason);
	machine_close(m);
}
END_TEST

/* More lines fit into a set of L1 than any order shows that comes first. */
static const struct {
	const char *name;
	const char *caches;
	const char *more;
} misleading[] = {
	{ "one set below an adjacent-line prefetcher",
	  LEVEL(1, "data", 2048, 32, 4, "") "," LEVEL(2, "unified", 262144, 8,
						      12, ""),
	  ",\"prefetchers\":[{\"kind\":\"adjacent-line\",\"level\":1}]" },
	{ "one set below a next-line prefetcher",
	  LEVEL(1, "data", 1024, 16, 4, "") "," LEVEL(2, "unified", 262144, 8,
						      12, ""),
	  ",\"prefetchers\":[{\"kind\":\"next-line\",\"level\":1}]" },
	{ "a tree of 12 ways that uses few of them",
	  LEVEL(1, "data", 49152, 12, 4,
		",\"policy\":{\"name\":\"tree-plru\"}"),
	  "" },
};

START_TEST(misleading_first_level)
{
	struct machine *m =
		open_caches(misleading[_i].caches, misleading[_i].more);
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;

	prober_begin(&prober, m, 1);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	expect(misleading[_i].name, "ways", &found.caches[0].ways, OPEN, "");
	expect(misleading[_i].name, "capacity", &found.caches[0].capacity_bytes,
	       OPEN, "");
	machine_close(m);
}
END_TEST

Suite *make_xray_levels_suite(void)
{
	Suite *suite = suite_create("x-ray's levels");
	TCase *t = tcase_create("second level");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, second_level, 0,
			    sizeof(levels) / sizeof(levels[0]));
	tcase_add_loop_test(t, misleading_first_level, 0,
			    sizeof(misleading) / sizeof(misleading[0]));
	suite_add_tcase(suite, t);
	return suite;
}
