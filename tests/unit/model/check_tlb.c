// SPDX-License-Identifier: GPL-2.0
/* check_tlb.c - translations: levels, sizes, staleness, coalescing. */
#include "model/model.h"
#include "model/modelkit.h"
#include "suites.h"

#define PAGE UINT64_C(4096)
#define HUGE (UINT64_C(2) << 20)
#define WALK 30
#define SECOND 7

/* 4 entries in 2 ways, below them 16 in 4 ways; no caches, memory is free. */
static struct profile two_levels(void)
{
	struct profile p = { .page_bytes = PAGE,
			     .phys_bits = 40,
			     .cpus = 1,
			     .tlb_count = 2,
			     .walk_latency_cycles = WALK };

	p.tlbs[0] = kit_tlb(1, 4, 2, 0);
	p.tlbs[1] = kit_tlb(2, 16, 4, SECOND);
	return p;
}

static unsigned int go(struct model *m, enum model_kind kind, uint64_t virt,
		       uint64_t phys, uint64_t page)
{
	const struct model_access a = {
		.virt = virt, .phys = phys, .page_bytes = page, .kind = kind
	};

	return model_access(m, &a) / MODEL_TICKS;
}

static unsigned int load(struct model *m, uint64_t page)
{
	return go(m, MODEL_LOAD, page * PAGE, page * PAGE, PAGE);
}

/* Page i of set 0 of both levels. */
static unsigned int set0(struct model *m, unsigned int i)
{
	return load(m, (uint64_t)i * 4);
}

START_TEST(test_levels)
{
	struct profile p = two_levels();
	struct model *m = model_create(&p);

	ck_assert_uint_eq(set0(m, 0), WALK);
	ck_assert_uint_eq(set0(m, 0), 0);
	set0(m, 1);
	set0(m, 2);
	ck_assert_uint_eq(set0(m, 0), SECOND);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_DTLB_MISS), 4);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_STLB_MISS), 3);
	model_flush_page(m, 0, 0);
	ck_assert_uint_eq(set0(m, 0), WALK);
	model_flush_tlbs(m, 0);
	ck_assert_uint_eq(set0(m, 0), WALK);
	model_destroy(m);
}
END_TEST

/* How many pages of set 0 never walk? */
static unsigned int capacity(enum profile_inclusion inclusion)
{
	unsigned int n;

	for (n = 1; n < 20; n++) {
		struct profile p = two_levels();
		unsigned int walks = 0;
		struct model *m;

		p.tlbs[1].inclusion = inclusion;
		m = model_create(&p);
		for (unsigned int i = 0; i < 20 * n; i++)
			walks += set0(m, i % n) == WALK && i >= 10 * n;
		model_destroy(m);
		if (walks)
			break;
	}
	return n - 1;
}

START_TEST(test_inclusion)
{
	ck_assert_uint_eq(capacity(PROFILE_NINE), 4);
	ck_assert_uint_eq(capacity(PROFILE_INCLUSIVE), 4);
	ck_assert_uint_eq(capacity(PROFILE_EXCLUSIVE), 6);
}
END_TEST

/* Page 0 stays near by hits; five others take its place in the second level. */
START_TEST(test_inclusive_drops)
{
	for (int inclusive = 0; inclusive < 2; inclusive++) {
		struct profile p = two_levels();
		struct model *m;

		p.tlbs[1].inclusion = inclusive ? PROFILE_INCLUSIVE :
						  PROFILE_NINE;
		m = model_create(&p);
		for (unsigned int i = 0; i < 5; i++) {
			set0(m, 0);
			set0(m, i);
		}
		ck_assert_uint_eq(set0(m, 0), inclusive ? WALK : 0);
		model_destroy(m);
	}
}
END_TEST

/* The table has changed, the entry has not: the old frame is used. */
START_TEST(test_stale)
{
	struct profile p = two_levels();
	struct model *m = model_create(&p);
	uint64_t phys = 0;

	p.cache_count = 1;
	p.caches[0] = kit_cache(1, 8, 64, 4);
	p.memory_latency_cycles = 200;
	model_destroy(m);
	m = model_create(&p);
	ck_assert(!model_translation(m, 0, 5 * PAGE, MODEL_LOAD, &phys));
	go(m, MODEL_LOAD, 5 * PAGE, 9 * PAGE, PAGE);
	ck_assert(model_translation(m, 0, 5 * PAGE + 8, MODEL_LOAD, &phys));
	ck_assert_uint_eq(phys, 9 * PAGE + 8);
	/* Its line is found although the frame is said to be another one. */
	ck_assert_uint_eq(go(m, MODEL_LOAD, 5 * PAGE, 7 * PAGE, PAGE), 4);
	/* Even when it is said to be part of a large page. */
	ck_assert_uint_eq(go(m, MODEL_LOAD, 5 * PAGE, 7 * PAGE, PAGE), 4);
	model_flush_page(m, 0, 5 * PAGE + 100);
	ck_assert(!model_translation(m, 0, 5 * PAGE, MODEL_LOAD, &phys));
	ck_assert_uint_eq(go(m, MODEL_LOAD, 5 * PAGE, 7 * PAGE, PAGE),
			  WALK + 200);
	model_destroy(m);
}
END_TEST

/* Data and fetches share the second level. */
START_TEST(test_sides)
{
	struct profile p = two_levels();
	struct model *m;

	p.tlbs[2] = p.tlbs[0];
	p.tlbs[2].type = PROFILE_INSTRUCTION;
	p.tlb_count = 3;
	m = model_create(&p);
	go(m, MODEL_LOAD, PAGE, PAGE, PAGE);
	ck_assert_uint_eq(go(m, MODEL_FETCH, PAGE, PAGE, PAGE), SECOND);
	ck_assert_uint_eq(go(m, MODEL_FETCH, PAGE, PAGE, PAGE), 0);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_ITLB_MISS), 1);
	model_destroy(m);
}
END_TEST

/* Large pages have their own entries, or are splintered by the host. */
START_TEST(test_sizes)
{
	struct profile p = two_levels();
	struct model *m;

	p.tlbs[2] = kit_tlb(1, 2, 2, 0);
	p.tlbs[2].page_bytes[0] = HUGE;
	p.tlb_count = 3;
	for (int host = 0; host < 2; host++) {
		p.host_page_bytes = host ? PAGE : 0;
		m = model_create(&p);
		ck_assert_uint_eq(go(m, MODEL_LOAD, 0, HUGE, HUGE), WALK);
		ck_assert_uint_eq(go(m, MODEL_LOAD, 5 * PAGE, HUGE + 5 * PAGE,
				     HUGE),
				  host ? WALK : 0);
		ck_assert_uint_eq(
			go(m, MODEL_LOAD, 5 * PAGE, HUGE + 5 * PAGE, HUGE), 0);
		model_destroy(m);
	}
}
END_TEST

/* A small page's entry is used although the page is part of a large one now. */
START_TEST(test_stale_size)
{
	struct profile p = two_levels();
	uint64_t phys = 0;
	struct model *m;

	p.tlbs[0].page_bytes[1] = HUGE;
	p.tlbs[0].page_size_count = 2;
	m = model_create(&p);
	go(m, MODEL_LOAD, 5 * PAGE, 9 * PAGE, PAGE);
	ck_assert_uint_eq(go(m, MODEL_LOAD, 5 * PAGE, HUGE, HUGE), 0);
	ck_assert(model_translation(m, 0, 5 * PAGE, MODEL_LOAD, &phys));
	ck_assert_uint_eq(phys, 9 * PAGE);
	model_flush_page(m, 0, 5 * PAGE);
	ck_assert_uint_eq(go(m, MODEL_LOAD, 5 * PAGE, HUGE, HUGE), WALK);
	model_destroy(m);
}
END_TEST

/* Pages that fit into one fully associative array, frames @step pages apart. */
static unsigned int coalesced_capacity(uint64_t step)
{
	unsigned int n;

	for (n = 1; n < 100; n++) {
		struct profile p = two_levels();
		unsigned int walks = 0;
		struct model *m;

		p.tlb_count = 1;
		p.tlbs[0] = kit_tlb(1, 8, 8, 0);
		p.tlbs[0].coalesce_pages = 4;
		m = model_create(&p);
		for (unsigned int i = 0; i < 20 * n; i++)
			walks += go(m, MODEL_LOAD, i % n * PAGE,
				    i % n * step * PAGE, PAGE) == WALK &&
				 i >= 10 * n;
		model_destroy(m);
		if (walks)
			break;
	}
	return n - 1;
}

START_TEST(test_coalescing)
{
	ck_assert_uint_eq(coalesced_capacity(1), 32);
	ck_assert_uint_eq(coalesced_capacity(3), 8);
	ck_assert_uint_eq(coalesced_capacity(0), 8);
}
END_TEST

/* Two arrays of one level serve a size together: their ways add up. */
START_TEST(test_side_by_side)
{
	unsigned int n, walks = 0;

	for (n = 1; !walks && n < 20; n++) {
		struct profile p = two_levels();
		struct model *m;

		p.tlb_count = 3;
		p.tlbs[2] = p.tlbs[1];
		p.tlbs[2].page_bytes[1] = HUGE;
		p.tlbs[2].page_size_count = 2;
		m = model_create(&p);
		for (unsigned int i = 0; i < 20 * n; i++)
			walks += set0(m, i % n) == WALK && i >= 10 * n;
		model_destroy(m);
	}
	ck_assert_uint_eq(n - 2, 8);
}
END_TEST

/* A walk for a page whose entry is in the first level costs what the profile
 * says, a cold one the way to memory besides.
 */
START_TEST(test_walk_touches_caches)
{
	struct profile p = two_levels();
	struct model *m;

	p.cache_count = 1;
	p.caches[0] = kit_cache(1, 8, 64, 4);
	p.memory_latency_cycles = 200;
	p.walk_touches_caches = true;
	m = model_create(&p);
	ck_assert_uint_eq(load(m, 0), WALK + 196 + 200);
	/* Its entry is in the line of the first one's. */
	ck_assert_uint_eq(load(m, 1), WALK + 200);
	ck_assert_uint_eq(model_counter(m, 0, PROFILE_COUNTER_L1D_MISS), 2);
	model_destroy(m);
}
END_TEST

START_TEST(test_no_arrays)
{
	struct profile p = two_levels();
	struct model *m;

	p.tlb_count = 0;
	m = model_create(&p);
	ck_assert_uint_eq(load(m, 0), 0);
	model_destroy(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *all = tcase_create("all");

	tcase_add_test(all, test_levels);
	tcase_add_test(all, test_inclusion);
	tcase_add_test(all, test_inclusive_drops);
	tcase_add_test(all, test_stale);
	tcase_add_test(all, test_sides);
	tcase_add_test(all, test_sizes);
	tcase_add_test(all, test_stale_size);
	tcase_add_test(all, test_coalescing);
	tcase_add_test(all, test_side_by_side);
	tcase_add_test(all, test_walk_touches_caches);
	tcase_add_test(all, test_no_arrays);
	suite_add_tcase(suite, all);
	return suite;
}
