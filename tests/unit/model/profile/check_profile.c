// SPDX-License-Identifier: GPL-2.0
/* check_profile.c - good profiles are read, bad ones named for what is bad. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "kit/profilekit.h"
#include "model/profile/draw.h"
#include "model/profile/generate.h"
#include "model/profile/profile.h"
#include "suites.h"

/* A level, a TLB and a document around them; the rest is inserted. */
#define CACHE(level, rest)                                                 \
	"{\"level\":" level ",\"type\":\"data\",\"capacity_bytes\":32768," \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4" rest "}"
#define L1 CACHE("1", "")
#define WALKS(all) WITH(",\"walk_caches\":[" all "]")
#define WITH(rest) "{\"caches\":[" L1 "]" rest "}"
#define LEVEL(rest) "{\"caches\":[" CACHE("1", rest) "]}"
#define SIZE(capacity, ways, line)                                                 \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":" capacity \
	",\"ways\":" ways ",\"line_bytes\":" line ",\"latency_cycles\":4}]}"
#define INDEX(text) LEVEL(",\"index\":{" text "}")
#define POLICY(text) LEVEL(",\"policy\":{" text "}")
#define TLB(entries, ways, rest)                                              \
	WITH(",\"tlbs\":[{\"level\":1,\"type\":\"data\",\"entries\":" entries \
	     ",\"ways\":" ways rest "}]")
#define MASKS6 "\"0x40\",\"0x80\",\"0x100\",\"0x200\",\"0x400\""
#define TABLE(table, rest) \
	INDEX("\"kind\":\"sliced\",\"slices\":2,\"slice_table\":" table rest)

static const struct {
	const char *text;
	const char *fragment;
} bad[] = {
	{ "", "line 1" },
	{ "{", "line 1" },
	{ "{\"caches\": [\n{\"level\":1,", "line 2" },
	{ "[]", "is an array" },
	{ "{}", "caches: is missing" },
	{ "{\"name\":1e999,\"caches\":[]}", "line 1" },
	{ "{\"cycle_ns\":NaN}", "line 1" },
	{ "{\"cycle_ns\":Infinity}", "line 1" },
	{ "{\"caches\":[" L1 "]} x", "line 1" },
	{ "{\"name\":\"a\",\"name\":\"b\"}", "duplicate" },
	{ "{\"caches\":[]}", "caches: 0 entries" },
	{ "{\"caches\":7}", "caches: is a whole number" },
	{ "{\"caches\":[7]}", "caches[0]: is a whole number" },
	{ "{\"caches\":[{}]}", "caches[0].level: is missing" },
	{ WITH(",\"colour\":1"), "colour: unknown key" },
	{ WITH(",\"a\\nb\":1"), "a?b: unknown key" },
	{ WITH(",\"schema\":2"), "schema: 2 is out of range" },
	{ WITH(",\"schema\":\"1\""), "schema: is a string" },
	{ WITH(",\"name\":\"a\\nb\""), "name: holds a control" },
	{ WITH(",\"name\":null"), "name: is null" },
	{ WITH(",\"cycle_ns\":0"), "cycle_ns: 0 is out of range" },
	{ WITH(",\"cycle_ns\":-1"), "cycle_ns: -1 is out of range" },
	{ WITH(",\"phys_bits\":64"), "phys_bits: 64 is out of range" },
	{ WITH(",\"phys_bits\":36.5"), "phys_bits: is a fraction" },
	{ WITH(",\"page_bytes\":5000"), "page_bytes: 5000 is no power" },
	{ WITH(",\"huge_page_bytes\":[4096]"), "huge_page_bytes[0]: 4096" },
	{ WITH(",\"phys_placement\":\"odd\""), "phys_placement: 'odd'" },
	{ WITH(",\"huge_page_bytes\":[],\"phys_placement\":\"random-2m\""),
	  "phys_placement: random-2m without" },
	{ WITH(",\"memory\":{\"latency_cycles\":-5}"),
	  "memory.latency_cycles: -5" },
	{ WITH(",\"memory\":{\"size\":1}"), "memory.size: unknown" },
	{ WITH(",\"walk\":[]"), "walk: is an array" },
	{ WITH(",\"counters\":[\"sheep\"]"), "counters[0]: 'sheep'" },
	{ WITH(",\"counters\":[\"loads\",\"loads\"]"), "counters[1]: loads" },
	{ WITH(",\"counter_faults\":{\"sheep\":{}}"), "sheep" },
	{ WITH(",\"counters\":[\"loads\"],\"counter_faults\":{\"cycles\":{}}"),
	  "counter_faults.cycles: is none of counters" },
	{ WITH(",\"counter_faults\":{\"loads\":{\"factor\":-1}}"),
	  "counter_faults.loads.factor" },
	{ WITH(",\"counter_faults\":{\"loads\":{\"busy\":1.5}}"),
	  "counter_faults.loads.busy" },
	{ WITH(",\"counter_faults\":{\"loads\":{\"wool\":1}}"), "wool" },
	{ WITH(",\"prefetchers\":[{\"kind\":\"stride\",\"level\":2}]"),
	  "prefetchers[0].level: 2" },
	{ WITH(",\"prefetchers\":[{\"kind\":\"magic\",\"level\":1}]"),
	  "prefetchers[0].kind: 'magic'" },
	{ WITH(",\"timer\":{\"resolution_ns\":-1}"), "timer.resolution_ns" },
	{ WITH(",\"noise\":{\"tail_probability\":2}"),
	  "noise.tail_probability: 2" },
	{ WITH(",\"noise\":{\"frequency_drift\":0.9}"),
	  "noise.frequency_drift" },
	{ WITH(",\"host_page_bytes\":4096"), "host_page_bytes: without" },
	{ WITH(",\"registers\":{\"int\":-1}"), "registers.int: -1" },
	{ WITH(",\"accessed_bits\":1"), "accessed_bits: " },
	{ WITH(",\"walk_caches\":{}"), "walk_caches: is an object" },
	{ WALKS("{\"entries\":4,\"ways\":4}"),
	  "walk_caches[0].level: is missing" },
	{ WALKS("{\"level\":\"pte\",\"entries\":4,\"ways\":4}"),
	  "walk_caches[0].level: 'pte'" },
	{ WALKS("{\"level\":[],\"entries\":4,\"ways\":4}"),
	  "walk_caches[0].level: " },
	{ WALKS("{\"level\":[\"pde\",\"pde\"],\"entries\":4,\"ways\":4}"),
	  "walk_caches[0].level[1]: pde is there already" },
	{ WALKS("{\"level\":\"pde\",\"ways\":4}"),
	  "walk_caches[0].entries: is missing" },
	{ WALKS("{\"level\":\"pde\",\"entries\":4}"),
	  "walk_caches[0].ways: is missing" },
	{ WALKS("{\"level\":\"pde\",\"entries\":0,\"ways\":1}"),
	  "walk_caches[0].entries: 0" },
	{ WALKS("{\"level\":\"pde\",\"entries\":6,\"ways\":4}"),
	  "walk_caches[0].entries: 6 is no multiple of 4 ways" },
	{ WALKS("{\"level\":\"pde\",\"entries\":4,\"ways\":8}"),
	  "walk_caches[0].entries: 4 is no multiple of 8 ways" },
	{ WALKS("{\"level\":\"pde\",\"entries\":6,\"ways\":2}"),
	  "walk_caches[0]: linear, but 3 sets" },
	{ WALKS("{\"level\":\"pde\",\"entries\":4,\"ways\":4,\"wool\":1}"),
	  "walk_caches[0].wool: unknown" },
	{ WALKS("{\"level\":\"pde\",\"entries\":4,\"ways\":4},"
		"{\"level\":\"pde\",\"entries\":4,\"ways\":4}"),
	  "walk_caches[1].level: pde is there already" },
	{ WITH(",\"same_set_miss_cycles\":-1"), "same_set_miss_cycles: -1" },
	{ WITH(",\"same_set_miss_cycles\":\"4\""),
	  "same_set_miss_cycles: is a string" },
	{ "{\"caches\":[" CACHE(
		  "1",
		  ",\"same_set_miss_cycles\":3") "],\"same_set_miss_cycles\":4}",
	  "same_set_miss_cycles: caches[0] has its own" },
	{ WITH(",\"expect\":[]"), "expect: is no object" },
	{ SIZE("32768", "0", "64"), "caches[0].ways: 0" },
	{ SIZE("32768", "-8", "64"), "caches[0].ways: -8" },
	{ SIZE("32768", "\"8\"", "64"), "caches[0].ways: is a string" },
	{ SIZE("32768", "8", "0"), "caches[0].line_bytes: 0" },
	{ SIZE("32768", "8", "48"), "caches[0].line_bytes: 48" },
	{ SIZE("30000", "8", "64"), "caches[0].capacity_bytes: 30000" },
	{ SIZE("0", "8", "64"), "caches[0].capacity_bytes: 0" },
	{ SIZE("99999999999", "8", "64"), "capacity_bytes: 99999999999" },
	{ SIZE("9999999999999999999", "8", "64"), "line 1" },
	{ SIZE("24576", "8", "64"), "no power of two" },
	{ "{\"caches\":[" CACHE("0", "") "]}", "caches[0].level: 0" },
	{ "{\"caches\":[" CACHE("2", "") "]}", "caches[0].level: 2 is out" },
	{ "{\"caches\":[" L1 "," CACHE("3", "") "]}", "caches[1].level: 3" },
	{ "{\"caches\":[" L1 "," L1 "]}", "is there already" },
	{ LEVEL(",\"color\":1"), "caches[0].color: unknown key" },
	{ LEVEL(",\"addressing\":\"odd\""), "caches[0].addressing: 'odd'" },
	{ LEVEL(",\"inclusion\":\"exclusive\""), "caches[0].inclusion" },
	{ LEVEL(",\"write_back\":1"), "caches[0].write_back" },
	{ LEVEL(",\"reserved_lines_per_set\":8"), "reserved_lines_per_set: 8" },
	{ LEVEL(",\"same_set_miss_cycles\":-0.5"),
	  "caches[0].same_set_miss_cycles: -0.5" },
	{ LEVEL(",\"same_set_miss_cycles\":2e6"),
	  "caches[0].same_set_miss_cycles: 2e+06" },
	{ LEVEL(",\"same_set_miss_cycles\":true"),
	  "caches[0].same_set_miss_cycles: is true or false" },
	{ LEVEL(",\"shared_by\":[[0],[0]]"), "shared_by[1][0]: CPU 0" },
	{ LEVEL(",\"shared_by\":[[1]]"), "shared_by: CPU 0 is in no group" },
	{ LEVEL(",\"shared_by\":[[]]"), "shared_by[0]: 0 entries" },
	{ LEVEL(",\"shared_by\":[0]"), "shared_by[0]: is no array" },
	{ LEVEL(",\"shared_by\":[[64]]"), "shared_by[0][0]: 64" },
	{ LEVEL(",\"index\":\"linear\""), "caches[0].index: is a string" },
	{ INDEX(""), "caches[0].index.kind: is missing" },
	{ INDEX("\"kind\":\"magic\""), "caches[0].index.kind: 'magic'" },
	{ INDEX("\"kind\":\"linear\",\"masks\":[]"), "index.masks: unknown" },
	{ INDEX("\"kind\":\"xor\""), "index.masks: is missing" },
	{ INDEX("\"kind\":\"xor\",\"masks\":[\"0x40\"]"), "1 masks give 2" },
	{ INDEX("\"kind\":\"xor\",\"masks\":[" MASKS6 ",\"0x7c0\"]"),
	  "caches[0].index.masks[5]: 0x7c0 depends" },
	{ INDEX("\"kind\":\"xor\",\"masks\":[" MASKS6 ",\"0x3f\"]"),
	  "caches[0].index.masks[5]: 0x3f depends" },
	{ INDEX("\"kind\":\"xor\",\"masks\":[\"64\"]"), "'64' is no mask" },
	{ INDEX("\"kind\":\"xor\",\"masks\":[\"0x1g\"]"), "'0x1g' is no" },
	{ INDEX("\"kind\":\"xor\",\"masks\":[\"0x11111111111111111\"]"),
	  "masks[0]: '0x11111111111111111' is out of range" },
	{ INDEX("\"kind\":\"xor\",\"fold\":6"), "index.fold: is for TLBs" },
	{ INDEX("\"kind\":\"sliced\""), "index.slices: is missing" },
	{ INDEX("\"kind\":\"sliced\",\"slices\":0"), "index.slices: 0" },
	{ INDEX("\"kind\":\"sliced\",\"slices\":3"), "cannot be split" },
	{ INDEX("\"kind\":\"sliced\",\"slices\":2"), "index.slice_masks" },
	{ INDEX("\"kind\":\"sliced\",\"slices\":2,\"slice_masks\":[\"0x40\"]"),
	  "index.slice_masks[0]: 0x40 depends" },
	{ TABLE("[0,1,1]", ""), "index.slice_table: 3 entries" },
	{ TABLE("[0,2]", ""), "index.slice_table[1]: 2" },
	{ TABLE("[0,0]", ""), "names 1 of 2 slices" },
	{ TABLE("[0,1]", ",\"slice_masks\":[\"0x4000\"]"),
	  "slice_table: stands" },
	{ TABLE("[0,1]", ",\"slice_permutations\":{\"6\":1}"),
	  "slice_permutations.6: is no address bit" },
	{ TABLE("[0,1]", ",\"slice_permutations\":{\"7\":2}"),
	  "slice_permutations.7: 2 is beyond" },
	{ POLICY(""), "caches[0].policy.name: is missing" },
	{ POLICY("\"name\":\"magic\""), "policy.name: 'magic'" },
	{ POLICY("\"name\":\"lru\",\"epsilon\":0.1"), "policy.epsilon" },
	{ POLICY("\"name\":\"bip\",\"epsilon\":2"), "policy.epsilon: 2" },
	{ POLICY("\"name\":\"qlru\""), "policy.variant: is missing" },
	{ POLICY("\"name\":\"qlru\",\"variant\":\"H99\""), "variant: 'H99'" },
	{ POLICY("\"name\":\"drrip\",\"leaders\":[1,64]"), "leaders[1]: 64" },
	{ POLICY("\"name\":\"drrip\",\"leaders\":[1,1]"), "leaders[1]: set 1" },
	{ POLICY("\"name\":\"drrip\",\"variants\":[\"H11_M1_R0_U0\"]"),
	  "policy.variants: 1 entries" },
	{ POLICY("\"name\":\"drrip\",\"variants\":[\"H11_M1_R0_U0\",\"H9\"]"),
	  "policy.variants[1]: 'H9'" },
	{ TLB("64", "128", ""), "tlbs[0].ways: 128 ways for 64" },
	{ TLB("64", "0", ""), "tlbs[0].ways: 0" },
	{ TLB("65", "4", ""), "tlbs[0].entries: 65" },
	{ TLB("48", "4", ""), "no power of two" },
	{ TLB("64", "4", ",\"page_bytes\":[12345]"),
	  "tlbs[0].page_bytes[0]: the machine has no pages" },
	{ TLB("64", "4", ",\"page_bytes\":[4096,4096]"), "page_bytes[1]" },
	{ TLB("64", "4", ",\"page_bytes\":[]"), "page_bytes: 0 entries" },
	{ TLB("64", "4", ",\"coalesce_pages\":3"), "coalesce_pages: 3" },
	{ TLB("64", "4", ",\"index\":{\"kind\":\"xor\",\"fold\":3}"),
	  "tlbs[0].index.fold: 3 bits" },
	{ TLB("64", "4", ",\"sets\":16"), "tlbs[0].sets: unknown key" },
};

START_TEST(bad_is_refused)
{
	profilekit_refuses(bad[_i].text, bad[_i].fragment);
}
END_TEST

START_TEST(defaults_are_filled_in)
{
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(WITH(""), strlen(WITH("")), "x", &f);

	ck_assert_msg(p != NULL, "%s", f.text);
	ck_assert_int_eq(p->caches[0].sets, 64);
	ck_assert(!p->caches[0].physical && p->caches[0].write_back);
	ck_assert_int_eq(p->caches[0].instances, 1);
	ck_assert_int_eq(p->page_bytes, 4096);
	ck_assert_double_eq(p->caches[0].same_set_miss_cycles, 0);
	ck_assert_int_eq(p->registers_mmx, 8);
	ck_assert_str_eq(p->name, "x");
	profile_free(p);
}
END_TEST

/* Of a level, or of the machine, which means the first level that holds data.
 */
START_TEST(same_set_misses_are_read)
{
	static const char *const texts[] = {
		LEVEL(",\"same_set_miss_cycles\":3.5"),
		"{\"same_set_miss_cycles\":3.5,\"caches\":[{\"level\":1,"
		"\"type\":\"instruction\",\"capacity_bytes\":32768,\"ways\":8,"
		"\"line_bytes\":64,\"latency_cycles\":4}," L1
		"," CACHE("2", "") "]}",
	};
	struct failure f = { .text = "" };
	struct profile *p =
		profile_parse(texts[_i], strlen(texts[_i]), "x", &f);

	ck_assert_msg(p != NULL, "%s", f.text);
	for (size_t i = 0; i < p->cache_count; i++)
		ck_assert_double_eq(p->caches[i].same_set_miss_cycles,
				    i == p->cache_count / 2 ? 3.5 : 0);
	profile_free(p);
}
END_TEST

START_TEST(too_many_levels)
{
	char *text = malloc(10000 * (sizeof(L1) + 1) + 32), *at = text;
	struct failure f = { .text = "" };

	at += sprintf(at, "{\"caches\":[" L1);
	for (int i = 1; i < 10000; i++)
		at += sprintf(at, "," L1);
	at += sprintf(at, "]}");
	ck_assert_ptr_null(profile_parse(text, (size_t)(at - text), "x", &f));
	ck_assert_ptr_nonnull(strstr(f.text, "caches: 10000 entries"));
	free(text);
}
END_TEST

static void refused(const char *path, const char *fragment)
{
	struct failure f = { .text = "" };

	ck_assert_ptr_null(profile_load(path, &f));
	ck_assert_msg(strstr(f.text, fragment) != NULL, "%s", f.text);
	ck_assert_int_eq(f.status, STATUS_USAGE);
}

START_TEST(what_is_no_file)
{
	char path[] = "/tmp/check_profile.XXXXXX";
	int fd = mkstemp(path);

	refused("/", "is a directory");
	refused("/nonexistent/x", "No such file");
	refused("/dev/zero", "more than 4 MiB");
	ck_assert(fd >= 0 && ftruncate(fd, (4 << 20) + 1) == 0);
	refused(path, "more than 4 MiB");
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(generated_are_valid)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		json_t *made = profile_generate(seed);
		char *text = json_dumps(made, JSON_COMPACT);
		struct failure f = { .text = "" };
		struct profile *p = profile_parse(text, strlen(text), "x", &f);
		FILE *null = fopen("/dev/null", "w");
		json_t *drawn;

		ck_assert_msg(p != NULL, "seed %llu: %s: %s",
			      (unsigned long long)seed, f.text, text);
		draw_text(p, null);
		draw_svg(p, null);
		drawn = draw_json(p);
		ck_assert_ptr_nonnull(drawn);
		json_decref(drawn);
		fclose(null);
		profile_free(p);
		free(text);
		json_decref(made);
	}
}
END_TEST

/* One change at a random place: a byte, a piece gone, a piece twice. */
static size_t mutate(char *text, size_t size, struct rng *rng)
{
	static const char bytes[] = "0123456789-.eE\"[]{},:xn \\\0\xff";
	size_t at = rng_below(rng, size);
	size_t length = rng_below(rng, size - at) % 16;

	switch (rng_below(rng, 3)) {
	case 0:
		text[at] = bytes[rng_below(rng, sizeof(bytes))];
		return size;
	case 1:
		memmove(text + at, text + at + length, size - at - length);
		return size - length;
	default:
		memmove(text + at + length, text + at, size - at);
		return size + length;
	}
}

START_TEST(mutated_never_crash)
{
	const char *given = getenv("PROBE_PHYS_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	struct rng rng = { seed };

	printf("mutated profiles: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)seed);
	for (int i = 0; i < 8000; i++) {
		json_t *made = profile_generate(rng_below(&rng, 1000));
		char *valid = json_dumps(made, JSON_COMPACT);
		size_t size = strlen(valid), changes = 1 + rng_below(&rng, 4);
		char *text = malloc(size + 64 + 1);
		struct failure f = { .text = "" };
		struct profile *p;

		memcpy(text, valid, size);
		while (changes-- && size)
			size = mutate(text, size, &rng);
		p = profile_parse(text, size, "x", &f);
		ck_assert(p ? !f.text[0] :
			      f.status == STATUS_USAGE && f.text[0]);
		ck_assert_ptr_null(strchr(f.text, '\n'));
		profile_free(p);
		free(text);
		free(valid);
		json_decref(made);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("profile");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, bad_is_refused, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(t, defaults_are_filled_in);
	tcase_add_loop_test(t, same_set_misses_are_read, 0, 2);
	tcase_add_test(t, too_many_levels);
	tcase_add_test(t, what_is_no_file);
	tcase_add_test(t, generated_are_valid);
	tcase_add_test(t, mutated_never_crash);
	suite_add_tcase(suite, t);
	return suite;
}
