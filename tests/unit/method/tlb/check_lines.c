// SPDX-License-Identifier: GPL-2.0
/* check_lines.c - TLBs of machines whose page walks go through the caches. */
#include <stdio.h>

#include "kit/profilekit.h"
#include "method/tlb/tlbkit.h"
#include "suites.h"

#define SEED 5
#define POLICY(name) ",\"policy\":{\"name\":\"" name "\"}"
#define CACHE(level, type, bytes, ways, line, latency, more) \
	"{\"level\":" #level ",\"type\":\"" type             \
	"\",\"capacity_bytes\":" #bytes ",\"ways\":" #ways   \
	",\"line_bytes\":" #line ",\"latency_cycles\":" #latency more "}"
#define ARRAY(level, type, pages, entries, ways, more)                       \
	"{\"level\":" #level ",\"type\":\"" type "\",\"page_bytes\":[" pages \
	"],\"entries\":" #entries ",\"ways\":" #ways more "}"
#define INCLUSIVE ",\"inclusion\":\"inclusive\""
#define SECOND ",\"latency_cycles\":7"
#define SMALL "4096"
#define LARGE "2097152"
#define BOTH "4096,2097152"

/**
 * struct walking - a machine, and the one second level that it has, if any
 * @caches: in its profile
 * @bytes: of the first one
 * @ways: of the first one
 * @line_bytes: of the first one
 * @walk_cycles: a walk that hits there
 * @tlbs: in its profile
 * @entries: of any second level; 0: there is none
 */
static const struct walking {
	const char *name;
	const char *caches;
	double bytes, ways, line_bytes;
	int walk_cycles;
	const char *tlbs;
	double entries;
} machines[] = {
	{ "lines that code does not disturb",
	  CACHE(1, "data", 32768, 8, 64, 3, POLICY("fifo")) "," CACHE(
		  2, "unified", 1048576, 16, 64, 18, ""),
	  32768, 8, 64, 60,
	  ARRAY(1, "data", LARGE, 16, 16, POLICY("fifo")) "," ARRAY(
		  1, "instruction", LARGE, 48, 48, POLICY("bit-plru")),
	  0 },
	{ "lines of 16 entries",
	  CACHE(1, "data", 16384, 4, 128, 3,
		"") "," CACHE(2, "unified", 1048576, 16, 128, 16, ""),
	  16384, 4, 128, 30,
	  ARRAY(1, "data", LARGE, 32, 4,
		POLICY("fifo")) "," ARRAY(1, "instruction", LARGE, 8, 1, ""),
	  0 },
	{ "halves that hit above",
	  CACHE(1, "data", 2048, 1, 32, 5,
		POLICY("fifo") ",\"index\":{\"kind\":\"xor\",\"masks\":[\"0x820\","
			       "\"0x1040\",\"0x2080\",\"0x4100\",\"0x8200\",\"0x10400\"]}") "," CACHE(2,
												      "unified",
												      131072,
												      8,
												      32,
												      14,
												      POLICY("fifo")) "," CACHE(3,
																"unified",
																2097152,
																16,
																32,
																44,
																INCLUSIVE),
	  2048, 1, 32, 20, ARRAY(1, "data", BOTH, 8, 4, POLICY("bit-plru")),
	  0 },
	{ "walks long, misses cheap",
	  CACHE(1, "data", 8192, 1, 64, 3, POLICY("nru")) "," CACHE(
		  2, "unified", 65536, 4, 64, 10,
		  POLICY("fifo") INCLUSIVE) "," CACHE(3, "unified", 4194304, 16,
						      64, 44, INCLUSIVE),
	  8192, 1, 64, 60,
	  ARRAY(1, "data", SMALL, 32, 4, POLICY("bit-plru")) "," ARRAY(
		  1, "data", LARGE, 32, 4, POLICY("fifo")),
	  0 },
	{ "some pages stay above",
	  CACHE(1, "data", 16384, 16, 64, 3, POLICY("random")) "," CACHE(
		  2, "unified", 524288, 16, 64, 18, POLICY("fifo") INCLUSIVE),
	  16384, 16, 64, 20,
	  ARRAY(1, "data", LARGE, 8, 4, POLICY("random")) "," ARRAY(
		  1, "instruction", LARGE, 64, 64, POLICY("fifo")),
	  0 },
	{ "more pages than it holds",
	  CACHE(1, "data", 32768, 8, 64, 4,
		"") "," CACHE(2, "unified", 524288, 16, 64, 14, POLICY("fifo")),
	  32768, 8, 64, 20,
	  ARRAY(1, "data", LARGE, 64, 64, POLICY("lru")) "," ARRAY(
		  2, "data", LARGE, 128, 4, SECOND POLICY("random")),
	  128 },
};

static struct machine *open_walking(const struct walking *w)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"caches\":[%s],\"walk\":{\"latency_cycles\":%d,"
		 "\"touches_caches\":true},\"counters\":[],"
		 "\"huge_page_bytes\":[2097152],\"tlbs\":[%s]}",
		 w->caches, w->walk_cycles, w->tlbs);
	return profilekit_open(text, UINT64_C(64) << 20, SEED);
}

static void measure(const struct walking *w, struct hierarchy *h)
{
	struct machine *m = open_walking(w);

	tlbkit_xray(m, w->bytes, w->ways, w->line_bytes, SEED, h);
	machine_close(m);
}

START_TEST(lines_of_page_tables_are_no_array)
{
	const struct walking *w = &machines[_i];
	bool first = false;
	struct hierarchy h;

	if (!is_in_part(_i))
		return;
	measure(w, &h);
	for (size_t i = 0; i < h.tlb_count; i++) {
		const struct tlb_result *t = &h.tlbs[i];

		if (t->entries.status != PARAMETER_MEASURED)
			continue;
		first = first || t->level == 1;
		if (t->level > 1)
			ck_assert_msg(t->entries.value == w->entries,
				      "%s: L%d %s, %llu bytes: %g entries",
				      w->name, t->level, t->type,
				      (unsigned long long)t->page_bytes,
				      t->entries.value);
	}
	ck_assert(first);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("tlb lines");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, lines_of_page_tables_are_no_array, 0,
			    (int)(sizeof(machines) / sizeof(machines[0])));
	suite_add_tcase(suite, t);
	return suite;
}
