// SPDX-License-Identifier: GPL-2.0
/*
 * refuse.c - one bad field at a time, each with its errno. Walks and
 * prefetchers have tables of their own.
 */
#include <linux/perf_event.h>

#include "kit/commands.h"

#define BYTES (16 * T_PAGE)
#define U64 UINT64_MAX

static const struct {
	const char *name;
	int want;
	struct probe_phys_buffer_create arg;
} creates[] = {
	{ "bytes_zero", EINVAL, { .bytes = 0 } },
	{ "bytes_odd", EINVAL, { .bytes = T_PAGE + 1 } },
	{ "bytes_half_page", EINVAL, { .bytes = T_PAGE / 2 } },
	{ "bytes_largest", EINVAL, { .bytes = U64 } },
	{ "bytes_over_caps", ENOSPC, { .bytes = 1ULL << 62 } },
	{ "min_odd", EINVAL, { .bytes = BYTES, .min_bytes = 5 } },
	{ "min_more_than_bytes",
	  EINVAL,
	  { .bytes = BYTES, .min_bytes = BYTES + T_PAGE } },
	{ "min_largest", EINVAL, { .bytes = BYTES, .min_bytes = U64 } },
	{ "align_not_power",
	  EINVAL,
	  { .bytes = BYTES, .align_bytes = 3 * T_PAGE } },
	{ "align_below_page", EINVAL, { .bytes = BYTES, .align_bytes = 2048 } },
	{ "align_one", EINVAL, { .bytes = BYTES, .align_bytes = 1 } },
	{ "align_2G", EINVAL, { .bytes = BYTES, .align_bytes = 2 * T_GIB } },
	{ "align_largest", EINVAL, { .bytes = BYTES, .align_bytes = U64 } },
	{ "extent_odd",
	  EINVAL,
	  { .bytes = BYTES, .min_extent_bytes = T_PAGE + 8 } },
	{ "extent_more_than_bytes",
	  EINVAL,
	  { .bytes = BYTES, .min_extent_bytes = BYTES + T_PAGE } },
	{ "extent_largest",
	  EINVAL,
	  { .bytes = BYTES, .min_extent_bytes = U64 } },
	{ "node_that_is_not", EINVAL, { .bytes = BYTES, .node = 1000 } },
	{ "node_below_any", EINVAL, { .bytes = BYTES, .node = -2 } },
	{ "node_most", EINVAL, { .bytes = BYTES, .node = INT32_MAX } },
	{ "node_least", EINVAL, { .bytes = BYTES, .node = INT32_MIN } },
	{ "rung_unknown", EINVAL, { .bytes = BYTES, .rungs = 8 } },
	{ "rung_all_bits", EINVAL, { .bytes = BYTES, .rungs = UINT32_MAX } },
	{ "import_without_address",
	  EINVAL,
	  { .bytes = BYTES, .rungs = PROBE_PHYS_RUNG_IMPORT } },
	{ "import_beside_others",
	  EINVAL,
	  { .bytes = BYTES,
	    .rungs = PROBE_PHYS_RUNG_ALL,
	    .import_addr = 0x10000 } },
	{ "address_without_import",
	  EINVAL,
	  { .bytes = BYTES,
	    .rungs = PROBE_PHYS_RUNG_CONTIG,
	    .import_addr = 0x10000 } },
	{ "import_odd_address",
	  EINVAL,
	  { .bytes = BYTES,
	    .rungs = PROBE_PHYS_RUNG_IMPORT,
	    .import_addr = 0x10008 } },
	{ "import_nothing_there",
	  EFAULT,
	  { .bytes = BYTES,
	    .rungs = PROBE_PHYS_RUNG_IMPORT,
	    .import_addr = 0x10000 } },
};

START_TEST(buffer_create)
{
	struct probe_phys_buffer_create arg = creates[_i].arg;

	arg.size = sizeof(arg);
	t_want(creates[_i].want, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE,
	       &arg);
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

static const struct {
	const char *name;
	int want;
	uint64_t offset, bytes;
} flushes[] = {
	{ "flush_nothing", EINVAL, 0, 0 },
	{ "flush_nothing_at_end", EINVAL, BYTES, 0 },
	{ "flush_wraps", EOVERFLOW, T_PAGE, U64 },
	{ "flush_wraps_by_one", EOVERFLOW, 1, U64 },
	{ "flush_wraps_from_top", EOVERFLOW, U64, 2 },
	{ "flush_beyond", ERANGE, 0, BYTES + 1 },
	{ "flush_over_the_end", ERANGE, BYTES - 1, 2 },
	{ "flush_after_the_end", ERANGE, BYTES, 1 },
	{ "flush_far", ERANGE, 1ULL << 62, 1 },
	{ "flush_up_to_the_top", ERANGE, 0, U64 },
};

START_TEST(buffer_flush)
{
	T_ARG(buffer_flush, arg, .offset = flushes[_i].offset,
	      .bytes = flushes[_i].bytes);

	t_want(flushes[_i].want, t_buffer(t_session(), BYTES, 0),
	       PROBE_PHYS_IOC_BUFFER_FLUSH, &arg);
}
END_TEST

/* The buffer is 16 pages, its start is 2 MiB aligned. */
static const struct {
	const char *name;
	int want;
	struct probe_phys_view_create arg;
} views[] = {
	{ "view_empty", EINVAL, { .page_bytes = T_PAGE } },
	{ "view_odd_length",
	  EINVAL,
	  { .page_bytes = T_PAGE, .bytes = T_PAGE + 8 } },
	{ "view_odd_offset",
	  EINVAL,
	  { .page_bytes = T_PAGE, .bytes = T_PAGE, .offset = 8 } },
	{ "view_page_zero", EINVAL, { .bytes = T_PAGE } },
	{ "view_page_8k",
	  EINVAL,
	  { .page_bytes = 2 * T_PAGE, .bytes = 2 * T_PAGE } },
	{ "view_page_largest", EINVAL, { .page_bytes = U64, .bytes = T_PAGE } },
	{ "view_wraps",
	  EOVERFLOW,
	  { .page_bytes = T_PAGE, .offset = T_PAGE, .bytes = -T_PAGE } },
	{ "view_beyond",
	  ERANGE,
	  { .page_bytes = T_PAGE, .bytes = BYTES + T_PAGE } },
	{ "view_over_the_end",
	  ERANGE,
	  { .page_bytes = T_PAGE,
	    .offset = BYTES - T_PAGE,
	    .bytes = 2 * T_PAGE } },
	{ "view_after_the_end",
	  ERANGE,
	  { .page_bytes = T_PAGE, .offset = BYTES, .bytes = T_PAGE } },
	{ "view_huge_beyond", ERANGE, { .page_bytes = T_PMD, .bytes = T_PMD } },
	{ "view_huge_odd_length",
	  EINVAL,
	  { .page_bytes = T_PMD, .bytes = BYTES } },
	{ "view_huge_odd_offset",
	  EINVAL,
	  { .page_bytes = T_PMD, .bytes = T_PMD, .offset = T_PAGE } },
	{ "view_alias_one_too_many",
	  EINVAL,
	  { .page_bytes = T_PAGE,
	    .bytes = T_PAGE,
	    .alias_pages = PROBE_PHYS_MAX_ALIAS_PAGES + 1 } },
	{ "view_alias_most",
	  EINVAL,
	  { .page_bytes = T_PAGE, .bytes = T_PAGE, .alias_pages = UINT32_MAX } },
};

START_TEST(view_create)
{
	struct probe_phys_view_create arg = views[_i].arg;
	int buffer = t_buffer(t_session(), BYTES, T_PMD);

	arg.size = sizeof(arg);
	t_want(views[_i].want, buffer, PROBE_PHYS_IOC_VIEW_CREATE, &arg);
	ck_assert_uint_eq(t_buffer_info(buffer).nr_views, 0);
}
END_TEST

/* Physical addresses that no entry of 2 MiB can begin at. */
START_TEST(view_of_misaligned_memory)
{
	char *at = mmap(NULL, 2 * T_PMD, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	T_ARG(buffer_create, c, .bytes = T_PMD, .min_bytes = T_PMD,
	      .import_addr = (uintptr_t)at + T_PAGE,
	      .rungs = PROBE_PHYS_RUNG_IMPORT, .node = PROBE_PHYS_NODE_ANY);
	T_ARG(view_create, arg, .bytes = T_PMD, .page_bytes = T_PMD);

	ck_assert_ptr_ne(at, MAP_FAILED);
	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_ne(t_extent(c.fd, 0).phys % T_PMD, 0);
	t_want(EINVAL, c.fd, PROBE_PHYS_IOC_VIEW_CREATE, &arg);
}
END_TEST

static const struct {
	const char *name;
	int want;
	uint64_t extents;
	uint32_t count;
} lists[] = {
	{ "extents_no_room", EINVAL, 1, 0 },
	{ "extents_null", EFAULT, 0, 1 },
	{ "extents_unmapped", EFAULT, 0x10000, 1 },
	{ "extents_kernel", EFAULT, 0xffff888000000000, 1 },
	{ "extents_far", EFAULT, 1ULL << 60, 1 },
};

START_TEST(buffer_extents)
{
	struct probe_phys_extent e;
	T_ARG(buffer_extents, arg, .count = lists[_i].count,
	      .extents = lists[_i].extents == 1 ? (uintptr_t)&e :
						  lists[_i].extents);

	t_want(lists[_i].want, t_buffer(t_session(), BYTES, 0),
	       PROBE_PHYS_IOC_BUFFER_EXTENTS, &arg);
}
END_TEST

START_TEST(extents_huge_count)
{
	char *page = t_edge_page();
	T_ARG(buffer_extents, arg, .extents = (uintptr_t)page,
	      .count = UINT32_MAX);
	int buffer = t_buffer(t_session(), BYTES, 0);

	/* Room is a promise, not a duty: one extent is written. */
	t_want(0, buffer, PROBE_PHYS_IOC_BUFFER_EXTENTS, &arg);
	ck_assert_uint_eq(arg.count, 1);
	arg.count = 1;
	ck_assert_int_eq(mprotect(page, T_PAGE, PROT_READ), 0);
	t_want(EFAULT, buffer, PROBE_PHYS_IOC_BUFFER_EXTENTS, &arg);
}
END_TEST

static const struct {
	const char *name;
	int want;
	struct probe_phys_counters_create arg;
} groups[] = {
	{ "counters_none", EINVAL, { .nr_events = 0 } },
	{ "counters_nine", EINVAL, { .nr_events = 9 } },
	{ "counters_most", EINVAL, { .nr_events = UINT32_MAX } },
	{ "counters_cpu_that_is_not", ENXIO, { .nr_events = 1, .cpu = 4095 } },
	{ "counters_cpu_most", ENXIO, { .nr_events = 1, .cpu = INT32_MAX } },
	{ "counters_unused_type",
	  EINVAL,
	  { .nr_events = 1, .events = { [1] = { .type = 1 } } } },
	{ "counters_unused_config",
	  EINVAL,
	  { .nr_events = 1, .events = { [7] = { .config = 1 } } } },
	{ "counters_unused_config2",
	  EINVAL,
	  { .nr_events = 1, .events = { [7] = { .config2 = 1 } } } },
	{ "counters_unused_flags",
	  EINVAL,
	  { .nr_events = 1, .events = { [2] = { .flags = 1 } } } },
	{ "counters_event_flag",
	  EINVAL,
	  { .nr_events = 1, .events = { { .type = 1, .flags = 8 } } } },
	{ "counters_event_flag_high",
	  EINVAL,
	  { .nr_events = 1, .events = { { .type = 1, .flags = 1U << 31 } } } },
	{ "counters_bad_type",
	  ENOENT,
	  { .nr_events = 1, .events = { { .type = 0x7fffffff } } } },
};

START_TEST(counters_create)
{
	struct probe_phys_counters_create arg = groups[_i].arg;

	arg.size = sizeof(arg);
	if (arg.events[0].type == 0)
		arg.events[0].type = PERF_TYPE_SOFTWARE;
	t_want(groups[_i].want, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE,
	       &arg);
}
END_TEST

START_TEST(counters_negative_cpu)
{
	T_ARG(counters_create, arg, .nr_events = 1, .cpu = -2,
	      .events = { { .type = PERF_TYPE_SOFTWARE } });

	t_want(ENXIO, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &arg);
}
END_TEST

START_TEST(counters_control)
{
	struct t_fds fds = t_all_fds();
	T_ARG(counters_control, arg, .op = 2);

	t_want(EINVAL, fds.of[T_COUNTERS], PROBE_PHYS_IOC_COUNTERS_CONTROL,
	       &arg);
	arg.op = UINT32_MAX;
	t_want(EINVAL, fds.of[T_COUNTERS], PROBE_PHYS_IOC_COUNTERS_CONTROL,
	       &arg);
}
END_TEST

START_TEST(flush_all)
{
	T_ARG(flush_all, arg, .cpu = 4095);
	int session = t_session();

	t_want(ENXIO, session, PROBE_PHYS_IOC_FLUSH_ALL, &arg);
	arg.cpu = UINT32_MAX;
	t_want(ENXIO, session, PROBE_PHYS_IOC_FLUSH_ALL, &arg);
	arg.cpu = 1;
	arg.flags = PROBE_PHYS_FLUSH_ALL_CPUS;
	t_want(EINVAL, session, PROBE_PHYS_IOC_FLUSH_ALL, &arg);
}
END_TEST

#define ADD(table, test)                                                  \
	for (size_t i = 0; i < T_LENGTH(table); i++)                      \
	tcase_add_loop_test(t_case(suite, (table)[i].name), test, (int)i, \
			    (int)i + 1)

Suite *t_suite_refuse(void)
{
	Suite *suite = suite_create("refuse");
	TCase *tc = t_case(suite, "refuse");

	tcase_add_test(tc, view_of_misaligned_memory);
	tcase_add_test(tc, extents_huge_count);
	tcase_add_test(tc, counters_negative_cpu);
	tcase_add_test(tc, counters_control);
	tcase_add_test(tc, flush_all);
	ADD(creates, buffer_create);
	ADD(flushes, buffer_flush);
	ADD(views, view_create);
	ADD(lists, buffer_extents);
	ADD(groups, counters_create);
	return suite;
}
