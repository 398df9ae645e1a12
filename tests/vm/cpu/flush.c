// SPDX-License-Identifier: GPL-2.0
/* flush.c - caches and TLBs emptied: data stays, entries go on request. */
#include "kit/t.h"

START_TEST(lines_keep_data)
{
	int buffer;
	uint64_t *at = t_memory(t_session(), T_MIB, &buffer);
	T_ARG(buffer_flush, f, .bytes = T_MIB);
	size_t wrong = 0;

	for (size_t i = 0; i < T_MIB / 8; i++)
		at[i] = i;
	t_want(0, buffer, PROBE_PHYS_IOC_BUFFER_FLUSH, &f);
	/* One assertion: each is a message, long on an emulated CPU. */
	for (size_t i = 0; i < T_MIB / 8; i++)
		wrong += at[i] != i;
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(any_byte_range)
{
	int buffer = t_buffer(t_session(), T_MIB, 0);
	static const struct {
		uint64_t offset, bytes;
	} range[] = {
		{ 0, 1 },    { 1, 1 },	       { 63, 2 },
		{ 4095, 2 }, { T_MIB - 1, 1 }, { 777, T_MIB - 777 },
	};

	for (size_t i = 0; i < T_LENGTH(range); i++) {
		T_ARG(buffer_flush, f, .offset = range[i].offset,
		      .bytes = range[i].bytes);

		t_want(0, buffer, PROBE_PHYS_IOC_BUFFER_FLUSH, &f);
	}
}
END_TEST

START_TEST(across_extents)
{
	T_ARG(buffer_create, c, .bytes = 64 * T_MIB,
	      .rungs = PROBE_PHYS_RUNG_BUDDY, .node = PROBE_PHYS_NODE_ANY);
	T_ARG(buffer_flush, f, .offset = 0);

	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	f.bytes = c.bytes;
	t_want(0, c.fd, PROBE_PHYS_IOC_BUFFER_FLUSH, &f);
}
END_TEST

START_TEST(all_of_each_cpu)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int session = t_session();

	for (long cpu = 0; cpu < cpus; cpu++) {
		T_ARG(flush_all, f, .cpu = (uint32_t)cpu);

		t_want(T_FLUSH_ALL, session, PROBE_PHYS_IOC_FLUSH_ALL, &f);
	}
}
END_TEST

START_TEST(all_of_all_cpus)
{
	T_ARG(flush_all, f, .flags = PROBE_PHYS_FLUSH_ALL_CPUS);

	t_want(T_FLUSH_ALL, t_session(), PROBE_PHYS_IOC_FLUSH_ALL, &f);
}
END_TEST

START_TEST(tlb_keeps_entries)
{
	int buffer = t_buffer(t_session(), T_PMD, T_PMD);
	int view = t_view(buffer, 0, T_PMD, T_PAGE, 0);
	char *at = t_map(view, T_PMD);
	T_ARG(view_flush, f, .flags = 0);

	at[0] = 1;
	t_want(0, view, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
	t_resolve(view, at);
	ck_assert_int_eq(at[0], 1);
}
END_TEST

static void entries_go(uint64_t page)
{
	int buffer = t_buffer(t_session(), 4 * page, page);
	int view = t_view(buffer, 0, 4 * page, page, 0);
	int other = t_view(buffer, 0, 4 * page, page, 0);
	char *a = t_map(view, 4 * page), *b = t_map(view, 2 * page);
	char *c = t_map(other, page);
	T_ARG(view_flush, f, .flags = PROBE_PHYS_VIEW_FLUSH_ENTRIES);
	T_ARG(view_resolve, r, .address = 0);

	a[0] = a[3 * page] = 7;
	ck_assert_int_eq(b[0], 7);
	ck_assert_int_eq(c[0], 7);
	t_want(0, view, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
	r.address = (uintptr_t)a;
	t_want(ENOENT, view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	r.address = (uintptr_t)a + 3 * page;
	t_want(ENOENT, view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	r.address = (uintptr_t)b;
	t_want(ENOENT, view, PROBE_PHYS_IOC_VIEW_RESOLVE, &r);
	/* Views beside it are left alone. */
	t_resolve(other, c);
	ck_assert_int_eq(a[0], 7);
	ck_assert_int_eq(a[3 * page], 7);
	ck_assert_uint_eq(t_resolve(view, a).page_bytes, page);
}

START_TEST(entries_go_small)
{
	entries_go(T_PAGE);
}
END_TEST

START_TEST(entries_go_huge)
{
	entries_go(T_PMD);
}
END_TEST

START_TEST(view_without_mapping)
{
	int buffer = t_buffer(t_session(), T_PAGE, 0);
	int view = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	T_ARG(view_flush, f, .flags = PROBE_PHYS_VIEW_FLUSH_ENTRIES);

	t_want(0, view, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
	f.flags = 0;
	t_want(0, view, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
}
END_TEST

Suite *t_suite_flush(void)
{
	Suite *suite = suite_create("flush");
	TCase *tc = t_case(suite, "flush");

	tcase_add_test(tc, lines_keep_data);
	tcase_add_test(tc, any_byte_range);
	tcase_add_test(tc, across_extents);
	tcase_add_test(tc, all_of_each_cpu);
	tcase_add_test(tc, all_of_all_cpus);
	tcase_add_test(tc, tlb_keeps_entries);
	tcase_add_test(tc, entries_go_small);
	tcase_add_test(tc, entries_go_huge);
	tcase_add_test(tc, view_without_mapping);
	return suite;
}
