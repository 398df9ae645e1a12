// SPDX-License-Identifier: GPL-2.0
/* check_walk_cache.c - which table entries a walk reads. */
#include "model/model.h"
#include "model/modelkit.h"
#include "suites.h"

#define PAGE UINT64_C(4096)
#define MIB2 (UINT64_C(2) << 20)
#define GIB (UINT64_C(1) << 30)
#define GIB512 (UINT64_C(512) << 30)
#define PDE (1U << PROFILE_PDE)
#define PDPTE (1U << PROFILE_PDPTE)
#define PML4E (1U << PROFILE_PML4E)

static struct profile_walk_cache cache(enum profile_table table,
				       unsigned int entries, unsigned int ways)
{
	return (struct profile_walk_cache){ .tables = 1U << table,
					    .entries = entries,
					    .ways = ways };
}

/* A TLB of one entry, so that all but repetitions walk. */
static struct profile machine(void)
{
	struct profile p = { .page_bytes = PAGE,
			     .phys_bits = 40,
			     .cpus = 1,
			     .tlb_count = 1,
			     .walk_latency_cycles = 30 };

	p.tlbs[0] = kit_tlb(1, 1, 1, 0);
	p.tlbs[0].page_bytes[1] = MIB2;
	p.tlbs[0].page_bytes[2] = GIB;
	p.tlbs[0].page_size_count = 3;
	return p;
}

/* Levels whose entry a load has read. */
static unsigned int load(struct model *m, uint64_t virt, uint64_t page_bytes)
{
	const struct model_access a = { .virt = virt,
					.page_bytes = page_bytes,
					.kind = MODEL_LOAD };
	struct model_walked walked;
	unsigned int read = 0;

	model_walks(m, &a, 1, &walked);
	for (int k = 0; k < PROFILE_TABLES; k++)
		read |= (unsigned int)walked.tables[k] << k;
	ck_assert(walked.pages || !read);
	return read;
}

START_TEST(without_caches_all_are_read)
{
	struct profile p = machine();
	struct model *m = model_create(&p);

	for (uint64_t i = 0; i < 3; i++)
		ck_assert_uint_eq(load(m, i * PAGE, PAGE), PDE | PDPTE | PML4E);
	/* Found in the TLB: not walked for. */
	ck_assert_uint_eq(load(m, 2 * PAGE, PAGE), 0);
	/* An entry that has a page points to no table. */
	ck_assert_uint_eq(load(m, GIB, MIB2), PDPTE | PML4E);
	ck_assert_uint_eq(load(m, 2 * GIB, GIB), PML4E);
	model_destroy(m);
}
END_TEST

START_TEST(walks_begin_below_what_is_cached)
{
	struct profile p = machine();
	struct model *m;

	p.walk_caches[p.walk_cache_count++] = cache(PROFILE_PDE, 2, 2);
	p.walk_caches[p.walk_cache_count++] = cache(PROFILE_PDPTE, 2, 2);
	m = model_create(&p);
	ck_assert_uint_eq(load(m, 0, PAGE), PDE | PDPTE | PML4E);
	ck_assert_uint_eq(load(m, PAGE, PAGE), 0);
	/* Another PDE of the same PDPTE. */
	ck_assert_uint_eq(load(m, MIB2, PAGE), PDE);
	ck_assert_uint_eq(load(m, MIB2 + PAGE, PAGE), 0);
	/* Another PDPTE, whose PDE pushes out the first one. */
	ck_assert_uint_eq(load(m, GIB, PAGE), PDE | PDPTE | PML4E);
	ck_assert_uint_eq(load(m, 2 * PAGE, PAGE), PDE);
	/* Large pages have their own start. */
	ck_assert_uint_eq(load(m, GIB + 4 * MIB2, MIB2), 0);
	ck_assert_uint_eq(load(m, GIB512, MIB2), PDPTE | PML4E);
	model_destroy(m);
}
END_TEST

START_TEST(levels_that_share_are_looked_up_apart)
{
	struct profile p = machine();
	struct model *m;

	p.walk_caches[p.walk_cache_count] = cache(PROFILE_PDE, 4, 4);
	p.walk_caches[p.walk_cache_count++].tables = PDE | PDPTE | PML4E;
	m = model_create(&p);
	ck_assert_uint_eq(load(m, 0, PAGE), PDE | PDPTE | PML4E);
	ck_assert_uint_eq(load(m, MIB2, PAGE), PDE);
	ck_assert_uint_eq(load(m, PAGE, PAGE), 0);
	/* A fifth entry, of another level, pushes out the one used least. */
	ck_assert_uint_eq(load(m, GIB, MIB2), PDPTE);
	ck_assert_uint_eq(load(m, MIB2 + PAGE, PAGE), PDE);
	model_destroy(m);
}
END_TEST

START_TEST(flushes_empty_them)
{
	struct profile p = machine();
	struct model *m;

	p.walk_caches[p.walk_cache_count++] = cache(PROFILE_PDE, 2, 2);
	m = model_create(&p);
	load(m, 0, PAGE);
	ck_assert_uint_eq(load(m, PAGE, PAGE), 0);
	model_flush_tlbs(m, 0);
	ck_assert_uint_eq(load(m, PAGE, PAGE), PDE | PDPTE | PML4E);
	model_flush_page(m, 0, GIB);
	ck_assert_uint_eq(load(m, 2 * PAGE, PAGE), PDE | PDPTE | PML4E);
	model_destroy(m);
}
END_TEST

/* Four sets of one way, by the low bits of the entry's number. */
START_TEST(sets_are_indexed)
{
	struct profile p = machine();
	struct model *m;

	p.walk_caches[p.walk_cache_count++] = cache(PROFILE_PDE, 4, 1);
	m = model_create(&p);
	for (uint64_t i = 0; i < 4; i++)
		load(m, i * MIB2, PAGE);
	for (uint64_t i = 0; i < 4; i++)
		ck_assert_uint_eq(load(m, i * MIB2 + PAGE, PAGE), 0);
	load(m, 5 * MIB2, PAGE);
	ck_assert_uint_eq(load(m, MIB2 + 2 * PAGE, PAGE), PDE | PDPTE | PML4E);
	ck_assert_uint_eq(load(m, 2 * PAGE, PAGE), 0);
	model_destroy(m);
}
END_TEST

/* Rounds that are counted instead of done leave the same state. */
START_TEST(rounds_end_where_they_would)
{
	struct profile p = machine();
	struct model_access round[3];
	struct model *m;
	size_t at = 0;

	p.walk_caches[p.walk_cache_count++] = cache(PROFILE_PDE, 2, 2);
	m = model_create(&p);
	for (uint64_t i = 0; i < 3; i++)
		round[i] = (struct model_access){ .virt = i * MIB2,
						  .page_bytes = PAGE,
						  .kind = MODEL_LOAD };
	model_rounds_begin(m, 0);
	model_rounds(m, round, 3, &at, 3000001);
	model_rounds_end(m);
	/* The last ones were 2 and 0. */
	ck_assert_uint_eq(load(m, PAGE, PAGE), 0);
	ck_assert_uint_eq(load(m, 2 * MIB2 + PAGE, PAGE), 0);
	ck_assert_uint_eq(load(m, MIB2 + PAGE, PAGE), PDE | PDPTE | PML4E);
	model_destroy(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *all = tcase_create("all");

	tcase_add_test(all, without_caches_all_are_read);
	tcase_add_test(all, walks_begin_below_what_is_cached);
	tcase_add_test(all, levels_that_share_are_looked_up_apart);
	tcase_add_test(all, flushes_empty_them);
	tcase_add_test(all, sets_are_indexed);
	tcase_add_test(all, rounds_end_where_they_would);
	suite_add_tcase(suite, all);
	return suite;
}
