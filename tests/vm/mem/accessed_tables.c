// SPDX-License-Identifier: GPL-2.0
/*
 * accessed_tables.c - VIEW_ACCESSED with a level counts entries that point to
 * tables, and leaves alone all that serve other memory, too.
 */
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "kit/t.h"

/* Entries in a table, and spans in a mapping. */
#define ENTRIES 512
#define SPANS 3

static bool has_tables(void)
{
	return t_info(t_session()).features & PROBE_PHYS_FEATURE_VIEW_TABLES;
}

static void need_tables(void)
{
	if (!has_tables())
		t_skip("cpu cannot set accessed bits of tables");
}

/* A view of @pages pages, all of them one frame. */
static int alias(uint64_t page_bytes, uint64_t pages)
{
	int buffer = t_buffer(t_session(), page_bytes, page_bytes);

	return t_view(buffer, 0, page_bytes, page_bytes, (uint32_t)pages);
}

/* Addresses that nothing has, a multiple of @align plus @beyond. */
static char *place(uint64_t bytes, uint64_t align, uint64_t beyond)
{
	uint64_t room = bytes + 2 * align;
	char *at = mmap(NULL, room, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ck_assert_ptr_ne(at, MAP_FAILED);
	ck_assert_int_eq(munmap(at, room), 0);
	return at + (align - (uintptr_t)at % align) % align + beyond;
}

static char *map_at(int view, char *at, uint64_t bytes)
{
	char *got = mmap(at, bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE, view, 0);

	ck_assert_ptr_eq(got, at);
	return got;
}

/* SPANS spans of entries @level levels above pages. */
struct tables {
	int view;
	char *at;
	uint64_t page_bytes;
	uint32_t level;
	uint64_t span;
};

static struct tables map_tables(uint64_t page_bytes, uint32_t level)
{
	struct tables t = { .page_bytes = page_bytes,
			    .level = level,
			    .span = page_bytes };

	for (uint32_t i = 0; i < level; i++)
		t.span *= ENTRIES;
	t.view = alias(page_bytes, SPANS * t.span / page_bytes);
	t.at = map_at(t.view, place(SPANS * t.span, t.span, 0), SPANS * t.span);
	return t;
}

static uint64_t accessed(const struct tables *t, uint32_t level, unsigned int i,
			 unsigned int spans, uint32_t flags)
{
	T_ARG(view_accessed, a, .flags = flags,
	      .address = (uintptr_t)t->at + i * t->span,
	      .bytes = spans * t->span, .level = level);

	t_want(0, t->view, PROBE_PHYS_IOC_VIEW_ACCESSED, &a);
	return a.accessed;
}

static uint64_t all(const struct tables *t, uint32_t flags)
{
	return accessed(t, t->level, 0, SPANS, flags);
}

/* Page @page of span @i. */
static void touch(const struct tables *t, unsigned int i, uint64_t page)
{
	(void)*(volatile char *)(t->at + i * t->span + page * t->page_bytes);
}

static void flush(const struct tables *t)
{
	T_ARG(view_flush, f, .flags = 0);

	t_want(0, t->view, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
}

static void count_tables(uint64_t page_bytes, uint32_t level)
{
	struct tables t;

	need_tables();
	t = map_tables(page_bytes, level);
	/* There are no tables yet. */
	ck_assert_uint_eq(all(&t, 0), 0);
	for (unsigned int i = 0; i < SPANS; i++)
		touch(&t, i, 0);
	ck_assert_uint_eq(all(&t, 0), SPANS);
	/* What is counted is what is cleared, and nothing else. */
	ck_assert_uint_eq(
		accessed(&t, level, 1, 1, PROBE_PHYS_VIEW_ACCESSED_CLEAR), 1);
	ck_assert_uint_eq(accessed(&t, level, 0, 1, 0), 1);
	ck_assert_uint_eq(accessed(&t, level, 1, 1, 0), 0);
	ck_assert_uint_eq(accessed(&t, level, 2, 1, 0), 1);
	ck_assert_uint_eq(all(&t, PROBE_PHYS_VIEW_ACCESSED_CLEAR), SPANS - 1);
	ck_assert_uint_eq(all(&t, 0), 0);
	/* The bits of the pages are others. */
	ck_assert_uint_eq(accessed(&t, 0, 0, SPANS, 0), SPANS);
	/* A walk sets what it reads. */
	flush(&t);
	touch(&t, 2, 1);
	ck_assert_uint_eq(accessed(&t, level, 0, 2, 0), 0);
	ck_assert_uint_eq(accessed(&t, level, 2, 1, 0), 1);
}

START_TEST(tables_of_small_pages)
{
	count_tables(T_PAGE, 1);
}
END_TEST

START_TEST(tables_of_tables)
{
	count_tables(T_PAGE, 2);
}
END_TEST

START_TEST(tables_of_huge_pages)
{
	count_tables(T_PMD, 1);
}
END_TEST

/* Each level has bits of its own: clearing one leaves the others. */
START_TEST(levels_are_apart)
{
	struct tables t;

	need_tables();
	t = map_tables(T_PAGE, 2);
	touch(&t, 0, 0);
	touch(&t, 0, ENTRIES);
	ck_assert_uint_eq(accessed(&t, 0, 0, 1, 0), 2);
	ck_assert_uint_eq(accessed(&t, 1, 0, 1, 0), 2);
	ck_assert_uint_eq(accessed(&t, 2, 0, 1, 0), 1);
	accessed(&t, 1, 0, 1, PROBE_PHYS_VIEW_ACCESSED_CLEAR);
	ck_assert_uint_eq(accessed(&t, 0, 0, 1, 0), 2);
	ck_assert_uint_eq(accessed(&t, 1, 0, 1, 0), 0);
	ck_assert_uint_eq(accessed(&t, 2, 0, 1, 0), 1);
	accessed(&t, 0, 0, 1, PROBE_PHYS_VIEW_ACCESSED_CLEAR);
	ck_assert_uint_eq(accessed(&t, 2, 0, 1, 0), 1);
}
END_TEST

#ifdef __x86_64__
static bool is_emulated(void)
{
	unsigned int a, name[4] = { 0 };

	__cpuid(0x40000000, a, name[0], name[1], name[2]);
	return !strcmp((char *)name, "TCGTCGTCGTCG");
}

/* QEMU has no cache of page walks: each walk reads all levels. */
START_TEST(emulated_walks_read_all_levels)
{
	struct tables t;

	need_tables();
	if (!is_emulated())
		t_skip("cpu cannot be predicted");
	t = map_tables(T_PAGE, 2);
	for (unsigned int round = 0; round < 16; round++) {
		accessed(&t, 2, 0, SPANS, PROBE_PHYS_VIEW_ACCESSED_CLEAR);
		accessed(&t, 1, 0, SPANS, PROBE_PHYS_VIEW_ACCESSED_CLEAR);
		for (unsigned int i = 0; i < SPANS; i++)
			touch(&t, i, round);
		ck_assert_uint_eq(accessed(&t, 2, 0, SPANS, 0), SPANS);
		ck_assert_uint_eq(accessed(&t, 1, 0, SPANS, 0), SPANS);
	}
}
END_TEST
#endif

static void refuse(int want, int view, char *at, uint64_t bytes, uint32_t level)
{
	T_ARG(view_accessed, a, .flags = PROBE_PHYS_VIEW_ACCESSED_CLEAR,
	      .address = (uintptr_t)at, .bytes = bytes, .level = level);

	t_want(want, view, PROBE_PHYS_IOC_VIEW_ACCESSED, &a);
}

START_TEST(bad_ranges)
{
	struct tables t;

	need_tables();
	t = map_tables(T_PAGE, 1);
	refuse(EINVAL, t.view, t.at, 0, 1);
	refuse(EINVAL, t.view, t.at, T_PAGE, 1);
	refuse(EINVAL, t.view, t.at + T_PAGE, t.span, 1);
	refuse(EINVAL, t.view, t.at, t.span, 2);
	refuse(EOVERFLOW, t.view, t.at, -t.span, 1);
	refuse(EINVAL, t.view, (char *)(UINT64_C(1) << 63), t.span, 1);
	refuse(EINVAL, t.view, t.at - t.span, t.span, 1);
	refuse(EINVAL, alias(T_PAGE, 1), t.at, t.span, 1);
	refuse(ERANGE, t.view, t.at, (SPANS + 1) * t.span, 1);
	refuse(0, t.view, t.at, SPANS * t.span, 1);
}
END_TEST

/* The highest level is no one's alone, and above it there is none. */
START_TEST(bad_levels)
{
	char *low = (char *)(UINT64_C(1) << 39);
	char *cpus = t_file("/proc/cpuinfo");
	bool five;
	int view;

	need_tables();
	ck_assert_ptr_ne(cpus, NULL);
	five = strstr(cpus, " la57") != NULL;
	view = alias(T_PAGE, 1);
	refuse(EINVAL, view, low, UINT64_C(1) << 39, 3);
	map_at(view, low, T_PAGE);
	refuse(five ? ERANGE : EINVAL, view, low, UINT64_C(1) << 39, 3);
	refuse(EINVAL, view, NULL, UINT64_C(1) << 48, 4);
	refuse(EINVAL, view, low, T_PAGE, 5);
	refuse(EINVAL, view, low, T_PAGE, UINT32_MAX);
	refuse(EINVAL, alias(T_PMD, 1), NULL, UINT64_C(1) << 48, 3);
	refuse(EINVAL, alias(T_PMD, 1), low, T_PMD, UINT32_MAX);
}
END_TEST

/* Two mappings that one entry serves: it belongs to neither. */
START_TEST(shared_entries_are_left_alone)
{
	struct tables t = { .page_bytes = T_PAGE, .level = 1, .span = T_PMD };
	char *at = place(T_PMD, T_PMD, 0);
	int above = alias(T_PAGE, ENTRIES / 2);

	need_tables();
	t.view = alias(T_PAGE, ENTRIES / 2);
	t.at = map_at(t.view, at, T_PMD / 2);
	map_at(above, at + T_PMD / 2, T_PMD / 2);
	touch(&t, 0, 0);
	refuse(ERANGE, t.view, at, T_PMD, 1);
	refuse(EINVAL, above, at, T_PMD, 1);
}
END_TEST

START_TEST(reserved_and_older_structs)
{
	struct tables t;
	T_ARG(view_accessed, a, .bytes = T_PAGE);

	need_tables();
	t = map_tables(T_PAGE, 1);
	touch(&t, 0, 0);
	a.address = (uintptr_t)t.at;
	a.reserved = 1;
	t_want(EINVAL, t.view, PROBE_PHYS_IOC_VIEW_ACCESSED, &a);
	/* A caller that does not know levels means pages, whatever follows. */
	a.size = PROBE_PHYS_VIEW_ACCESSED_SIZE_0;
	a.level = 1;
	t_want(0, t.view, PROBE_PHYS_IOC_VIEW_ACCESSED, &a);
	ck_assert_uint_eq(a.accessed, 1);
}
END_TEST

START_TEST(other_cpus_refuse_levels)
{
	struct probe_phys_info info = t_info(t_session());
	int view = alias(T_PAGE, ENTRIES);
	char *at = map_at(view, place(T_PMD, T_PMD, 0), T_PMD);

	if (!(info.features & PROBE_PHYS_FEATURE_VIEW_TABLES))
		refuse(EOPNOTSUPP, view, at, T_PMD, 1);
	else
		refuse(0, view, at, T_PMD, 1);
}
END_TEST

Suite *t_suite_accessed_tables(void)
{
	Suite *suite = suite_create("accessed_tables");
	TCase *tc = t_case(suite, "accessed_tables");

	tcase_add_test(tc, tables_of_small_pages);
	tcase_add_test(tc, tables_of_tables);
	tcase_add_test(tc, tables_of_huge_pages);
	tcase_add_test(tc, levels_are_apart);
#ifdef __x86_64__
	tcase_add_test(tc, emulated_walks_read_all_levels);
#endif
	tcase_add_test(tc, bad_ranges);
	tcase_add_test(tc, bad_levels);
	tcase_add_test(tc, shared_entries_are_left_alone);
	tcase_add_test(tc, reserved_and_older_structs);
	tcase_add_test(tc, other_cpus_refuse_levels);
	return suite;
}
