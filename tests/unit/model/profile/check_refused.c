// SPDX-License-Identifier: GPL-2.0
/* check_refused.c - keys of parts of a machine that only some have: what they
 * cannot mean is refused, with what to do.
 */
#include <string.h>

#include "kit/profilekit.h"
#include "model/profile/profile.h"
#include "suites.h"

/* Eight ways, or as many as asked for; the rest of a level is inserted. */
#define CACHE(level, type, ways, rest)                                         \
	"{\"level\":" level ",\"type\":\"" type "\",\"capacity_bytes\":65536," \
	"\"ways\":" ways ",\"line_bytes\":64,\"latency_cycles\":4" rest "}"
#define ONE(ways, rest) "{\"caches\":[" CACHE("1", "data", ways, "," rest) "]}"

#define TLB(level, rest)                                        \
	"{\"level\":" level ",\"type\":\"data\",\"entries\":8," \
	"\"ways\":8" rest "}"
#define TLBS(all, rest)                                                \
	"{\"caches\":[" CACHE("1", "data", "8", "") "],\"tlbs\":[" all \
						    "]" rest "}"
#define SIDE "\"memory_side\":true"
#define TWO(type, below, rest)                                 \
	"{\"caches\":[" CACHE("1", "data", "8", "") "," CACHE( \
		"2", type, "8", below) "]" rest "}"
#define LINED(level, type, line, rest)                                         \
	"{\"level\":" level ",\"type\":\"" type "\",\"capacity_bytes\":65536," \
	"\"ways\":8,\"line_bytes\":" line ",\"latency_cycles\":4" rest "}"
#define LINES(above, type, below, rest)         \
	"{\"caches\":[" LINED("1", type, above, \
			      "") "," LINED("2", "unified", below, rest) "]}"
#define BIG "{\"name\":\"big\",\"cpus\":[0]}"
#define TYPES "[" BIG ",{\"name\":\"little\",\"cpus\":[1]}]"
#define TYPED(types, one, more)                                               \
	"{\"core_types\":" types ",\"caches\":[" CACHE("1", "data", "8", one) \
		more "]}"
#define PAIRED ",\"paired_pages\":true"

static const struct {
	const char *text;
	const char *fragment;
} bad[] = {
	{ ONE("8", "\"allocation_mask\":true"),
	  "caches[0].allocation_mask: is true or false" },
	{ ONE("8", "\"allocation_mask\":\"0x0\""),
	  "caches[0].allocation_mask: 0x0 is no choice of 8 ways (set some" },
	{ ONE("8", "\"allocation_mask\":\"0x100\""),
	  "caches[0].allocation_mask: 0x100 is no choice of 8 ways (set some" },
	{ ONE("128", "\"allocation_mask\":\"0x1\""),
	  "caches[0].allocation_mask: masks have 64 ways, not 128 (leave" },
	{ ONE("8", "\"allocation_mask\":\"0xf\",\"reserved_lines_per_set\":2"),
	  "caches[0].allocation_mask: beside reserved_lines_per_set (leave" },
	{ ONE("8", "\"allocation_mask\":\"0xf\",\"policy\":{\"name\":"
		   "\"lru3plru4\"}"),
	  "caches[0].allocation_mask: trees of four ways have no masks (choose" },
	{ TYPED("{}", "", ""), "core_types: is an object" },
	{ TYPED("[" BIG "]", "", ""), "core_types: 1 entries" },
	{ TYPED("[7," BIG "]", "", ""), "core_types[0]: is no object" },
	{ TYPED("[" BIG ",{\"cpus\":[1]}]", "", ""),
	  "core_types[1].name: is missing" },
	{ TYPED("[" BIG ",{\"name\":\"little\"}]", "", ""),
	  "core_types[1].cpus: is missing" },
	{ TYPED("[" BIG ",{\"name\":\"big\",\"cpus\":[1]}]", "", ""),
	  "core_types[1].name: is there already" },
	{ TYPED("[" BIG ",{\"name\":\"little\",\"cpus\":[0]}]", "", ""),
	  "core_types[1].cpus[0]: CPU 0 has a type already (name it once)" },
	{ TYPED("[" BIG ",{\"name\":\"little\",\"cpus\":[2]}]", "", ""),
	  "core_types: CPU 1 has no type (name it there)" },
	{ TYPED(TYPES, ",\"core_type\":\"huge\"", ""),
	  "caches[0].core_type: 'huge' is none (use one of big, little)" },
	{ ONE("8", "\"core_type\":\"big\""),
	  "caches[0].core_type: the machine has no core_types (add them)" },
	{ TYPED(TYPES, ",\"core_type\":\"big\",\"shared_by\":[[0,1]]", ""),
	  "caches[0].shared_by[0][1]: CPU 1 is of another core_type (leave" },
	{ TYPED(TYPES, ",\"shared_by\":[[0,1,2]]", ""),
	  "caches[0].shared_by[0][2]: CPU 2 is in no core_types (add" },
	{ TYPED(TYPES, "",
		"," CACHE("1", "data", "8", ",\"core_type\":\"big\"")),
	  "caches[1].level: level 1 data is there already" },
	{ TYPED(TYPES, ",\"core_type\":\"big\"",
		"," CACHE("2", "unified", "8", "")),
	  "caches[1].level: 2 of 'little', which has no level 1 of data (add" },
	{ TYPED(TYPES, "",
		"," CACHE("2", "unified", "8", ",\"core_type\":\"big\"," SIDE)),
	  "caches[1].memory_side: memory knows no levels, virtual addresses or" },
	{ LINES("128", "data", "64", ""),
	  "caches[1].line_bytes: 64 below data in caches[0] of 128 (give" },
	{ LINES("128", "instruction", "64", ",\"inclusion\":\"exclusive\""),
	  "caches[1].line_bytes: 64, exclusive of caches[0] of 128 (make" },
	{ LINES("64", "data", "128", ",\"inclusion\":\"exclusive\""),
	  "caches[1].line_bytes: 128, exclusive of caches[0] of 64 (make" },
	{ ONE("8", "\"memory_side\":1"), "caches[0].memory_side: is a whole" },
	{ ONE("8", SIDE), "caches[0].memory_side: of level 1, data (make it" },
	{ TWO("data", "," SIDE, ""),
	  "caches[1].memory_side: of level 2, data (make it unified" },
	{ TWO("unified", "," SIDE ",\"inclusion\":\"inclusive\"", ""),
	  "caches[1].memory_side: memory knows no levels" },
	{ TWO("unified", "," SIDE ",\"addressing\":\"virtual\"", ""),
	  "caches[1].memory_side: memory knows no levels" },
	{ TWO("unified", "," SIDE ",\"shared_by\":[[0]]", ""),
	  "caches[1].shared_by: all CPUs share a memory-side cache (leave" },
	{ "{\"caches\":[" CACHE("1", "data", "8", "") "," CACHE(
		  "2", "unified", "8", "," SIDE) "," CACHE("3", "unified", "8",
							   "") "]}",
	  "caches[2].level: 3 is below a memory-side cache (list that" },
	{ TWO("unified", "," SIDE, ",\"counters\":[\"loads\",\"l2_miss\"]"),
	  "counters[1]: no CPU counts misses of a memory-side cache (leave" },
	{ TLBS(TLB("1", ",\"paired_pages\":2"), ""),
	  "tlbs[0].paired_pages: is a whole number" },
	{ TLBS(TLB("1", PAIRED ",\"coalesce_pages\":2"), ""),
	  "tlbs[0].paired_pages: beside coalesce_pages (leave" },
	{ TLBS(TLB("1", PAIRED ",\"inclusion\":\"inclusive\""), ""),
	  "tlbs[0].paired_pages: tlbs[0] is inclusive (make all" },
	{ TLBS(TLB("1", PAIRED) "," TLB("2", ",\"inclusion\":\"exclusive\""),
	       ""),
	  "tlbs[0].paired_pages: tlbs[1] is exclusive (make all" },
	{ TLBS(TLB("1", PAIRED), ",\"accessed_bits\":true"),
	  "accessed_bits: tlbs[0] has paired_pages, which walk for two pages" },
};

START_TEST(test_refused)
{
	profilekit_refuses(bad[_i].text, bad[_i].fragment);
}
END_TEST

/* All of these keys, as they are right. */
#define VALID                                                                                                     \
	"{\"core_types\":" TYPES                                                                                  \
	",\"caches\":[" CACHE("1", "data", "8", ",\"allocation_mask\":\"0x3c\",\"core_type\":\"big\"") "," CACHE( \
		"1", "data", "8",                                                                                 \
		",\"core_type\":\"little\"") "," CACHE("2", "unified", "8",                                       \
						       "," SIDE) "],\"tlbs\":[" TLB("1",                          \
										    PAIRED                        \
										    ",\"core_type\":\"big\"") "]}"

static bool accepts(const char *text, size_t size)
{
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(text, size, "x", &f);

	ck_assert(p ? !f.text[0] : f.status == STATUS_USAGE && f.text[0]);
	ck_assert_ptr_null(strchr(f.text, '\n'));
	profile_free(p);
	return p != NULL;
}

/* Each byte is another one, is left out, or the text ends there. */
START_TEST(test_changed)
{
	static const char bytes[] = "0189-.\"[]{},:x";
	const size_t size = strlen(VALID);
	char text[sizeof(VALID)];

	ck_assert(accepts(VALID, size));
	for (size_t at = 0; at < size; at++) {
		memcpy(text, VALID, sizeof(VALID));
		ck_assert(!accepts(text, at));
		for (size_t i = 0; i < sizeof(bytes); i++) {
			text[at] = bytes[i];
			accepts(text, size);
		}
		memmove(text + at, &VALID[at + 1], size - at);
		accepts(text, size - 1);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("refused");

	tcase_add_loop_test(t, test_refused, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(t, test_changed);
	suite_add_tcase(suite, t);
	return suite;
}
