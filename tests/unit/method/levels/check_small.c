// SPDX-License-Identifier: GPL-2.0
/* check_small.c - levels that hold little more than what lies above them, and levels that
 * take the victims of more ways than they have.
 */
#include <stdio.h>

#include "kit/part.h"
#include "kit/profilekit.h"
#include "method/behaviour/behaviour.h"
#include "method/level/level.h"
#include "method/levels/levels.h"
#include "suites.h"

#define LEVEL(number, type, bytes, ways, latency, policy, more) \
	"{\"level\":" #number ",\"type\":\"" type "\","         \
	"\"capacity_bytes\":" #bytes ",\"ways\":" #ways         \
	",\"line_bytes\":64,\"latency_cycles\":" #latency       \
	",\"policy\":{\"name\":\"" policy "\",\"seed\":1}" more "}"
#define EXCLUSIVE ",\"inclusion\":\"exclusive\""
#define MODULO ",\"index\":{\"kind\":\"modulo\"}"
#define TIME_ONLY ",\"counters\":[]"

/* What the last level is. */
static const struct {
	const char *name;
	const char *caches;
	size_t levels;
	unsigned int ways, capacity_kib, latency;
	enum inclusion inclusion;
} small[] = {
	{ "twice the level above",
	  LEVEL(1, "data", 16384, 4, 4, "lru",
		"") "," LEVEL(2, "unified", 32768, 4, 12, "lru", ""),
	  2, 4, 32, 12, INCLUSION_NINE },
	{ "of two ways, and another one below (4601/2)",
	  LEVEL(1, "data", 32768, 8, 4, "tree-plru", "") "," LEVEL(
		  2, "unified", 65536, 2, 15, "bit-plru",
		  "") "," LEVEL(3, "unified", 11534336, 8, 50, "fifo", MODULO),
	  3, 8, 11264, 50, INCLUSION_NINE },
	{ "random, below a first level of more ways (4601/6)",
	  LEVEL(1, "data", 49152, 12, 5, "bit-plru", "") "," LEVEL(
		  2, "unified", 393216, 6, 13, "lru",
		  "") "," LEVEL(3, "unified", 1048576, 8, 39, "random", ""),
	  3, 8, 1024, 39, INCLUSION_NINE },
	{ "below a FIFO whose queue has the reverse order (4601/36)",
	  LEVEL(1, "data", 32768, 8, 5, "lru", "") "," LEVEL(
		  2, "unified", 327680, 20, 18, "fifo",
		  "") "," LEVEL(3, "unified", 786432, 24, 54, "lru", ""),
	  3, 24, 768, 54, INCLUSION_NINE },
	{ "of nine times a power of two, few ways, a second level that needs copies (4601/37)",
	  LEVEL(1, "data", 32768, 8, 5, "bit-plru", "") "," LEVEL(
		  2, "unified", 1310720, 20, 15, "bit-plru",
		  "") "," LEVEL(3, "unified", 4718592, 4, 53, "fifo", MODULO),
	  3, 4, 4608, 53, INCLUSION_NINE },
	{ "whose victims' room copies share (4601/52)",
	  LEVEL(1, "data", 32768, 8, 4, "lru", "") "," LEVEL(
		  2, "unified", 327680, 20, 13, "bit-plru",
		  "") "," LEVEL(3, "unified", 2097152, 8, 50, "nru", EXCLUSIVE),
	  3, 8, 2048, 50, INCLUSION_EXCLUSIVE },
	{ "below one of twice a first level of which half is kept long (4601/38)",
	  LEVEL(1, "data", 16384, 4, 5, "bit-plru", "") "," LEVEL(
		  2, "unified", 32768, 4, 19, "bit-plru",
		  "") "," LEVEL(3, "unified", 524288, 16, 54, "lru", EXCLUSIVE),
	  3, 16, 512, 54, INCLUSION_EXCLUSIVE },
	{ "of fewer ways than the one whose victims it takes (4601/31)",
	  LEVEL(1, "data", 32768, 8, 4, "bit-plru",
		"") "," LEVEL(2, "unified", 163840, 5, 14, "nru",
			      "") "," LEVEL(3, "unified", 524288, 4, 34,
					    "bit-plru", EXCLUSIVE),
	  3, 4, 512, 34, INCLUSION_EXCLUSIVE },
	{ "of fewer ways than copies share above, of lines that are kept long (7711/5)",
	  LEVEL(1, "data", 32768, 8, 4, "bit-plru",
		"") "," LEVEL(2, "unified", 98304, 6, 15, "lru", EXCLUSIVE),
	  2, 6, 96, 15, INCLUSION_EXCLUSIVE },
	{ "whose sets are too few to sweep what lies above (7711/2)",
	  LEVEL(1, "data", 16384, 4, 5, "bit-plru",
		"") "," LEVEL(2, "unified", 32768, 2, 17, "fifo", EXCLUSIVE),
	  2, 2, 32, 17, INCLUSION_EXCLUSIVE },
	{ "whose sets share the ways above by the order of lines (7711/3)",
	  LEVEL(1, "data", 16384, 4, 3, "lru",
		"") "," LEVEL(2, "unified", 81920, 10, 12, "fifo",
			      "") "," LEVEL(3, "unified", 1310720, 5, 36,
					    "bit-plru", EXCLUSIVE),
	  3, 5, 1280, 36, INCLUSION_EXCLUSIVE },
	{ "below one whose lines a first level of twice the ways holds (7711/1)",
	  LEVEL(1, "data", 32768, 8, 4, "bit-plru",
		"") "," LEVEL(2, "unified", 262144, 4, 15, "bit-plru",
			      "") "," LEVEL(3, "unified", 524288, 2, 53,
					    "bit-plru", EXCLUSIVE),
	  3, 2, 512, 53, INCLUSION_EXCLUSIVE },
	{ "of twice the sets of another one that takes victims (4646/12)",
	  LEVEL(1, "data", 32768, 8, 5, "bit-plru",
		"") "," LEVEL(2, "unified", 262144, 8, 15, "fifo",
			      EXCLUSIVE) "," LEVEL(3, "unified", 524288, 8, 53,
						   "lru", EXCLUSIVE),
	  3, 8, 512, 53, INCLUSION_EXCLUSIVE },
};

static void expect(const char *name, const char *what,
		   const struct parameter *p, double wanted)
{
	ck_assert_msg(parameter_is_measured(p), "%s: %s: %s", name, what,
		      p->reason);
	ck_assert_msg(p->value > wanted - 0.5 && p->value < wanted + 0.5,
		      "%s: %s: %g instead of %g", name, what, p->value, wanted);
}

START_TEST(last_level)
{
	if (!is_in_part(_i))
		return;

	const char *name = small[_i / 2].name;
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy found;
	struct prober prober;
	struct machine *m;
	char text[2000];

	snprintf(text, sizeof(text), "{\"caches\":[%s%s%s}",
		 small[_i / 2].caches, PROFILEKIT_REST,
		 _i % 2 ? TIME_ONLY : "");
	m = profilekit_open(text, UINT64_C(256) << 20, 1);
	prober_begin(&prober, m, 1);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ck_assert_msg(inclusion_measure(&prober, &found, &f) == 0, "%s",
		      f.text);
	ck_assert_msg(found.cache_count == small[_i / 2].levels,
		      "%s: %zu levels", name, found.cache_count);
	c = &found.caches[found.cache_count - 1];
	expect(name, "ways", &c->ways, small[_i / 2].ways);
	expect(name, "capacity", &c->capacity_bytes,
	       small[_i / 2].capacity_kib * 1024);
	expect(name, "line", &c->line_bytes, 64);
	expect(name, "latency", &c->latency_cycles, small[_i / 2].latency);
	if (c->inclusion != INCLUSION_UNKNOWN ||
	    small[_i / 2].inclusion == INCLUSION_EXCLUSIVE)
		ck_assert_msg(c->inclusion == small[_i / 2].inclusion,
			      "%s: inclusion %d", name, c->inclusion);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("small levels");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, last_level, 0,
			    2 * sizeof(small) / sizeof(small[0]));
	suite_add_tcase(suite, t);
	return suite;
}
