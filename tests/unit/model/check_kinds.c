// SPDX-License-Identifier: GPL-2.0
/* check_kinds.c - parts that only some machines have, from their profiles: what
 * an access costs there.
 */
#include <string.h>

#include "model/model.h"
#include "model/modelkit.h"
#include "suites.h"

#define MEMORY 200

static struct profile *parsed(const char *text)
{
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(text, strlen(text), "test", &f);

	ck_assert_msg(p != NULL, "%s: %s", text, f.text);
	return p;
}

/* One set of five ways of tree-PLRU, of which new lines take 0, 1, 2 and 4. */
#define MASKED                                                                 \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":320,"  \
	"\"ways\":5,\"line_bytes\":64,\"latency_cycles\":4,\"policy\":{"       \
	"\"name\":\"tree-plru\"},\"allocation_mask\":\"0x17\",\"addressing\":" \
	"\"physical\"}]}"

/* The root points to way 4 alone whenever another way was used last: each second
 * line goes there. A tree of four ways would lose a, c, b, d.
 */
START_TEST(test_masked_tree)
{
	static const char lines[] = "abcdefghi", gone[] = "....adcfb";
	struct profile *p = parsed(MASKED);

	for (size_t n = 4; lines[n]; n++) {
		struct model *m = model_create(p);

		ck_assert_ptr_nonnull(m);
		for (size_t i = 0; i < n; i++)
			kit_load(m, (uint64_t)lines[i] * 64);
		/* Still there, until the next line comes. */
		ck_assert_uint_eq(kit_load(m, (uint64_t)lines[n - 1] * 64), 4);
		kit_load(m, (uint64_t)lines[n] * 64);
		ck_assert_uint_eq(kit_load(m, (uint64_t)gone[n] * 64), MEMORY);
		model_destroy(m);
	}
	profile_free(p);
}
END_TEST

#define PAGE UINT64_C(4096)
#define WALK 30

/* Two entries of two pages each; caches cost nothing. */
#define PAIRS                                                                  \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":4096," \
	"\"ways\":1,\"line_bytes\":4096,\"latency_cycles\":0}],\"tlbs\":["     \
	"{\"level\":1,\"type\":\"data\",\"entries\":2,\"ways\":2,"             \
	"\"paired_pages\":true}],\"memory\":{\"latency_cycles\":1}}"

/* Frames in no order; a line of one page is as good as any other. */
static uint64_t frame_of(uint64_t page)
{
	return (page * 7 + 3) * PAGE;
}

/* Return: a walk was needed. */
static bool walks(struct model *m, uint64_t page)
{
	const struct model_access a = { .virt = page * PAGE,
					.phys = frame_of(page),
					.page_bytes = PAGE,
					.kind = MODEL_LOAD };

	return model_access(m, &a) / MODEL_TICKS >= WALK;
}

/* One walk enters both pages of a pair, each with a frame of its own. */
START_TEST(test_paired_pages)
{
	struct profile *p = parsed(PAIRS);
	struct model *m = model_create(p);
	uint64_t phys;

	ck_assert_ptr_nonnull(m);
	ck_assert(walks(m, 0) && !walks(m, 1));
	ck_assert(walks(m, 3) && !walks(m, 2));
	for (uint64_t page = 0; page < 4; page++) {
		ck_assert(!walks(m, page));
		ck_assert(model_translation(m, 0, page * PAGE, MODEL_LOAD,
					    &phys));
		ck_assert_uint_eq(phys, frame_of(page));
	}
	/* A pair is entered at the cost of the one that was used longest ago. */
	ck_assert(walks(m, 5) && !walks(m, 2) && walks(m, 0));
	model_flush_page(m, 0, 1 * PAGE);
	ck_assert(walks(m, 0) && !walks(m, 1));
	model_destroy(m);
	profile_free(p);
}
END_TEST

/* One line of each set of an L1 of one way, two of a cache of memory, which two
 * CPUs share.
 */
#define SIDE                                                                   \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":64,"   \
	"\"ways\":1,\"line_bytes\":64,\"latency_cycles\":4,\"shared_by\":"     \
	"[[0],[1]]},{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":128," \
	"\"ways\":2,\"line_bytes\":64,\"latency_cycles\":90,"                  \
	"\"memory_side\":true}]}"

/* What a CPU flushes is fetched from there again. */
START_TEST(test_memory_side)
{
	struct profile *p = parsed(SIDE);
	struct model *m = model_create(p);

	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(p->counters >> PROFILE_COUNTER_L2_MISS & 1, 0);
	ck_assert_uint_eq(kit_load(m, 0), MEMORY);
	ck_assert_uint_eq(kit_access(m, MODEL_LOAD, 1, 0), 90);
	model_flush_line(m, 0);
	ck_assert_uint_eq(kit_load(m, 0), 90);
	model_flush_caches(m, 0);
	ck_assert_uint_eq(kit_load(m, 0), 90);
	/* Modified data come back though its line was lost below. */
	kit_access(m, MODEL_STORE, 0, 0);
	ck_assert_uint_eq(kit_access(m, MODEL_LOAD, 1, 64), MEMORY);
	ck_assert_uint_eq(kit_access(m, MODEL_LOAD, 1, 128), MEMORY);
	model_flush_line(m, 0);
	ck_assert_uint_eq(kit_load(m, 0), 90);
	model_destroy(m);
	profile_free(p);
}
END_TEST

/* Lines of 32 bytes for data, 128 for code and below; one set each. */
#define SIDES                                                                \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":64," \
	"\"ways\":2,\"line_bytes\":32,\"latency_cycles\":4},{\"level\":1,"   \
	"\"type\":\"instruction\",\"capacity_bytes\":256,\"ways\":2,"        \
	"\"line_bytes\":128,\"latency_cycles\":5},{\"level\":2,"             \
	"\"type\":\"unified\",\"capacity_bytes\":256,\"ways\":2,"            \
	"\"line_bytes\":128,\"latency_cycles\":20,\"inclusion\":\"inclusive\"}]}"

/* A line below has four of data, of which each is fetched by itself, and one of
 * code; with it all of them leave.
 */
START_TEST(test_lines_of_sides)
{
	struct profile *p = parsed(SIDES);
	struct model *m = model_create(p);

	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(kit_load(m, 0), MEMORY);
	ck_assert_uint_eq(kit_load(m, 32), 20);
	ck_assert_uint_eq(kit_access(m, MODEL_FETCH, 0, 64), 20);
	ck_assert_uint_eq(kit_access(m, MODEL_FETCH, 0, 96), 5);
	ck_assert_uint_eq(kit_load(m, 128), MEMORY);
	ck_assert_uint_eq(kit_load(m, 256), MEMORY);
	ck_assert_uint_eq(kit_access(m, MODEL_FETCH, 0, 0), MEMORY);
	model_destroy(m);
	profile_free(p);
}
END_TEST

/* Lines of 128 bytes for code above four sets of two lines of 32. */
#define SHORTER                                                              \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32," \
	"\"ways\":1,\"line_bytes\":32,\"latency_cycles\":4},{\"level\":1,"   \
	"\"type\":\"instruction\",\"capacity_bytes\":128,\"ways\":1,"        \
	"\"line_bytes\":128,\"latency_cycles\":5},{\"level\":2,"             \
	"\"type\":\"unified\",\"capacity_bytes\":256,\"ways\":2,"            \
	"\"line_bytes\":32,\"latency_cycles\":20}]}"

/* A line of code brings four lines below, at the cost of the first. */
START_TEST(test_lines_below_code)
{
	struct profile *p = parsed(SHORTER);
	struct model *m = model_create(p);

	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(kit_access(m, MODEL_FETCH, 0, 64), MEMORY);
	for (uint64_t at = 0; at < 128; at += 32)
		ck_assert_uint_eq(kit_load(m, at), 20);
	ck_assert_uint_eq(kit_load(m, 128), MEMORY);
	ck_assert_uint_eq(kit_access(m, MODEL_FETCH, 0, 128), 20);
	ck_assert_uint_eq(kit_load(m, 160), 20);
	model_destroy(m);
	profile_free(p);
}
END_TEST

/* CPU 0 has two lines, two pages and a level below, CPUs 1 and 2 one of each and
 * share that below theirs; a last level is all CPUs'.
 */
#define TYPES                                                                  \
	"{\"core_types\":[{\"name\":\"big\",\"cpus\":[0]},{\"name\":"          \
	"\"little\",\"cpus\":[1,2]}],\"caches\":["                             \
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":128,\"ways\":2,"    \
	"\"line_bytes\":64,\"latency_cycles\":5,\"core_type\":\"big\"},"       \
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":64,\"ways\":1,"     \
	"\"line_bytes\":64,\"latency_cycles\":3,\"core_type\":\"little\"},"    \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":256,\"ways\":4," \
	"\"line_bytes\":64,\"latency_cycles\":15,\"core_type\":\"big\"},"      \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":256,\"ways\":4," \
	"\"line_bytes\":64,\"latency_cycles\":20,\"core_type\":\"little\","    \
	"\"shared_by\":[[1,2]]},"                                              \
	"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":512,\"ways\":8," \
	"\"line_bytes\":64,\"latency_cycles\":50,\"inclusion\":\"inclusive\"," \
	"\"shared_by\":[[0,1,2]]}],\"tlbs\":["                                 \
	"{\"level\":1,\"type\":\"data\",\"entries\":2,\"ways\":2,"             \
	"\"core_type\":\"big\"},"                                              \
	"{\"level\":1,\"type\":\"data\",\"entries\":1,\"ways\":1,"             \
	"\"core_type\":\"little\"}]}"

static unsigned int typed_load(struct model *m, unsigned int cpu, uint64_t at)
{
	return kit_access(m, MODEL_LOAD, cpu, at);
}

START_TEST(test_core_types)
{
	struct profile *p = parsed(TYPES);
	struct model *m = model_create(p);

	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(typed_load(m, 0, 0), MEMORY + WALK);
	ck_assert_uint_eq(typed_load(m, 1, 0), 50 + WALK);
	ck_assert_uint_eq(typed_load(m, 2, 0), 20 + WALK);
	for (unsigned int cpu = 0; cpu < 3; cpu++) {
		ck_assert_uint_eq(typed_load(m, cpu, 0), cpu ? 3 : 5);
		typed_load(m, cpu, 64);
		ck_assert_uint_eq(typed_load(m, cpu, 0), cpu ? 20 : 5);
		typed_load(m, cpu, PAGE);
		ck_assert(typed_load(m, cpu, 64) >= (cpu ? WALK : 0) &&
			  typed_load(m, cpu, 64) < WALK);
	}
	/* What leaves the last level leaves both types' levels. */
	for (unsigned int i = 2; i < 12; i++)
		typed_load(m, 1, i * 64);
	ck_assert_uint_eq(typed_load(m, 0, 0), MEMORY);
	model_destroy(m);
	profile_free(p);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("kinds");

	tcase_add_test(t, test_masked_tree);
	tcase_add_test(t, test_paired_pages);
	tcase_add_test(t, test_memory_side);
	tcase_add_test(t, test_lines_of_sides);
	tcase_add_test(t, test_lines_below_code);
	tcase_add_test(t, test_core_types);
	suite_add_tcase(suite, t);
	return suite;
}
