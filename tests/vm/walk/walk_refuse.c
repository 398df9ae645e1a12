// SPDX-License-Identifier: GPL-2.0
/* walk_refuse.c - walks that must not begin, each with its errno. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "kit/commands.h"
#include "kit/walk_help.h"

static struct probe_phys_sample samples[16];
static const uint64_t good[] = { 0, 64, 128 };

#define BYTES (4 * T_MIB)

static int buffer_for_walks(void)
{
	return t_buffer(t_session(), BYTES, 0);
}

static void refuse(struct probe_phys_walk *w, int want)
{
	t_want(want, buffer_for_walks(), PROBE_PHYS_IOC_WALK, w);
	ck_assert_uint_eq(w->nr_samples, 0);
	ck_assert_uint_eq(w->loads_done, 0);
}

static const struct {
	const char *name;
	int want;
	uint64_t offsets[3];
} bad_offsets[] = {
	{ "offset_misaligned", EINVAL, { 0, 64, 129 } },
	{ "offset_misaligned_by_4", EINVAL, { 0, 68, 128 } },
	{ "offset_twice", EINVAL, { 0, 64, 0 } },
	{ "offset_twice_in_a_row", EINVAL, { 64, 64, 0 } },
	{ "offset_at_the_end", ERANGE, { 0, BYTES, 64 } },
	{ "offset_beyond", ERANGE, { 0, 64, BYTES + 4096 } },
	{ "offset_far_beyond", ERANGE, { 1ULL << 40, 0, 64 } },
	{ "offset_huge", ERANGE, { 0, UINT64_MAX - 7, 64 } },
	{ "offset_huge_half", ERANGE, { 1ULL << 63, 0, 64 } },
};

START_TEST(offsets_refused)
{
	struct probe_phys_walk w =
		w_walk(bad_offsets[_i].offsets, 3, samples, 16);

	refuse(&w, bad_offsets[_i].want);
}
END_TEST

/* One field made wrong at a time. */
static const struct {
	const char *name;
	int want;
	size_t at, width;
	uint64_t value;
} bad_fields[] = {
#define FIELD(f)                             \
	offsetof(struct probe_phys_walk, f), \
		sizeof(((struct probe_phys_walk *)0)->f)
	{ "no_offsets", EINVAL, FIELD(nr_offsets), 0 },
	{ "too_many_offsets", EINVAL, FIELD(nr_offsets),
	  PROBE_PHYS_MAX_WALK_OFFSETS + 1 },
	{ "most_offsets_possible", EINVAL, FIELD(nr_offsets), UINT32_MAX },
	{ "no_samples", EINVAL, FIELD(max_samples), 0 },
	{ "too_many_samples", EINVAL, FIELD(max_samples),
	  PROBE_PHYS_MAX_WALK_SAMPLES + 1 },
	{ "most_samples_possible", EINVAL, FIELD(max_samples), UINT32_MAX },
	{ "no_rounds", EINVAL, FIELD(rounds), 0 },
	{ "budget_too_long", EINVAL, FIELD(budget_ns), 60000000001 },
	{ "budget_most", EINVAL, FIELD(budget_ns), UINT64_MAX },
	{ "slice_too_long", EINVAL, FIELD(slice_ns),
	  PROBE_PHYS_MAX_SLICE_NS + 1 },
	{ "slice_most", EINVAL, FIELD(slice_ns), UINT32_MAX },
	{ "flag_unknown", EINVAL, FIELD(flags), 2 },
	{ "flag_high", EINVAL, FIELD(flags), 0x80000000 },
	{ "reserved_set", EINVAL, FIELD(reserved), 1 },
	{ "cpu_that_is_not", ENXIO, FIELD(cpu), 4095 },
	{ "cpu_large", ENXIO, FIELD(cpu), 0x7fffffff },
	{ "counters_closed", EBADF, FIELD(counters_fd), 999 },
	{ "counters_standard_input", EINVAL, FIELD(counters_fd), 0 },
	{ "offsets_null", EFAULT, FIELD(offsets), 0 },
	{ "offsets_unmapped", EFAULT, FIELD(offsets), 0x10000 },
	{ "offsets_kernel", EFAULT, FIELD(offsets), 0xffff888000000000 },
	{ "offsets_noncanonical", EFAULT, FIELD(offsets), 1ULL << 60 },
	{ "samples_null", EFAULT, FIELD(samples), 0 },
	{ "samples_unmapped", EFAULT, FIELD(samples), 0x10000 },
	{ "samples_kernel", EFAULT, FIELD(samples), 0xffff888000000000 },
#undef FIELD
};

START_TEST(fields_refused)
{
	struct probe_phys_walk w = w_walk(good, 3, samples, 16);

	if (bad_fields[_i].want == EFAULT) {
		w.rounds = 10;
		w.rounds_per_sample = 1;
	}
	memcpy((char *)&w + bad_fields[_i].at, &bad_fields[_i].value,
	       bad_fields[_i].width);
	t_want(bad_fields[_i].want, buffer_for_walks(), PROBE_PHYS_IOC_WALK,
	       &w);
}
END_TEST

START_TEST(negative_cpu)
{
	struct probe_phys_walk w = w_walk(good, 3, samples, 16);

	w.cpu = -2;
	t_want(ENXIO, buffer_for_walks(), PROBE_PHYS_IOC_WALK, &w);
	w.cpu = INT32_MIN;
	t_want(ENXIO, buffer_for_walks(), PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

START_TEST(descriptor_of_another_kind)
{
	int session = t_session(), buffer = t_buffer(session, BYTES, 0);
	int wrong[] = { session, buffer, t_view(buffer, 0, T_PAGE, T_PAGE, 0) };

	for (size_t i = 0; i < T_LENGTH(wrong); i++) {
		struct probe_phys_walk w = w_walk(good, 3, samples, 16);

		w.cpu = 0;
		w.counters_fd = wrong[i];
		t_want(EINVAL, buffer, PROBE_PHYS_IOC_WALK, &w);
	}
}
END_TEST

static int group_on(int cpu)
{
	T_ARG(counters_create, c, .cpu = cpu, .nr_events = 1,
	      .events = { { .type = PERF_TYPE_SOFTWARE } });

	t_want(0, t_session(), PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	return c.fd;
}

START_TEST(group_of_another_cpu)
{
	struct probe_phys_walk w = w_walk(good, 3, samples, 16);

	w.cpu = 0;
	w.counters_fd = group_on(-1);
	refuse(&w, EINVAL);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		t_skip("cpu cannot: only one");
	w.counters_fd = group_on(1);
	refuse(&w, EINVAL);
}
END_TEST

static uint64_t frame_of(const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	ck_assert_int_eq(
		pread(fd, &entry, 8, (off_t)((uintptr_t)at / T_PAGE * 8)), 8);
	close(fd);
	return entry & ((1ULL << 55) - 1);
}

/* Two huge pages that are not neighbours, imported as one buffer. */
static struct probe_phys_buffer_create import_apart(void)
{
	const int rw = PROT_READ | PROT_WRITE, pages = 6;
	int file = memfd_create("huge", MFD_HUGETLB), other = 0;
	T_ARG(buffer_create, c, .bytes = 2 * T_PMD,
	      .rungs = PROBE_PHYS_RUNG_IMPORT, .node = PROBE_PHYS_NODE_ANY);
	uint64_t apart = 0;
	char *all;

	ck_assert_int_eq(ftruncate(file, pages * (off_t)T_PMD), 0);
	all = mmap(NULL, (size_t)pages * T_PMD, rw, MAP_SHARED | MAP_POPULATE,
		   file, 0);
	ck_assert_ptr_ne(all, MAP_FAILED);
	while (apart <= T_PMD / T_PAGE && ++other < pages) {
		uint64_t a = frame_of(all);
		uint64_t b = frame_of(all + (size_t)other * T_PMD);

		apart = a < b ? b - a : a - b;
	}
	ck_assert_int_lt(other, pages);
	/* It takes the place of the second. */
	ck_assert_ptr_eq(mmap(all + T_PMD, T_PMD, rw, MAP_SHARED | MAP_FIXED,
			      file, other * (off_t)T_PMD),
			 all + T_PMD);
	c.import_addr = (uintptr_t)all;
	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_eq(c.nr_extents, 2);
	return c;
}

/* Two extents never make one window, however near they are. */
START_TEST(two_extents)
{
	struct probe_phys_buffer_create c = import_apart();
	uint64_t offsets[2] = { 0, 0 };
	struct probe_phys_walk w = w_walk(offsets, 2, samples, 16);
	uint64_t first;

	first = t_extent(c.fd, 0).bytes;
	offsets[0] = first - 8;
	offsets[1] = first;
	t_want(EINVAL, c.fd, PROBE_PHYS_IOC_WALK, &w);
	offsets[0] = 0;
	offsets[1] = c.bytes - 8;
	t_want(EINVAL, c.fd, PROBE_PHYS_IOC_WALK, &w);
	/* Inside the second all is well. */
	offsets[0] = first;
	offsets[1] = first + 8;
	t_want(0, c.fd, PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

/* 5 pages hold a window of 4 pages, but none from the first to the last. */
START_TEST(window_too_wide)
{
	static const uint64_t offsets[] = { 0, 5 * T_PAGE - 8 };
	struct probe_phys_walk w = w_walk(offsets, 2, samples, 16);

	t_want(EINVAL, t_buffer(t_session(), 5 * T_PAGE, 0),
	       PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

START_TEST(offsets_end_in_a_hole)
{
	uint64_t *offsets = (void *)(t_edge_page() + T_PAGE - 16);
	struct probe_phys_walk w = w_walk(offsets, 3, samples, 16);

	offsets[0] = 0;
	offsets[1] = 64;
	t_want(EFAULT, buffer_for_walks(), PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

START_TEST(samples_read_only)
{
	void *map = mmap(NULL, T_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	struct probe_phys_walk w = w_walk(good, 3, map, 16);

	t_want(EFAULT, buffer_for_walks(), PROBE_PHYS_IOC_WALK, &w);
}
END_TEST

/* A refused walk leaves the buffer as it was, fit for the next. */
START_TEST(good_after_bad)
{
	int buffer;
	uint64_t *at = t_memory(t_session(), BYTES, &buffer);
	static const uint64_t bad[] = { 0, 64, 0 };
	struct probe_phys_walk w = w_walk(bad, 3, samples, 16);

	at[0] = 1234;
	t_want(EINVAL, buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_uint_eq(at[1], 0);
	w = w_walk(good, 3, samples, 16);
	t_want(0, buffer, PROBE_PHYS_IOC_WALK, &w);
	ck_assert_uint_eq(w.loads_done, 3);
}
END_TEST

Suite *t_suite_walk_refuse(void)
{
	Suite *suite = suite_create("walk_refuse");
	TCase *tc = t_case(suite, "walk_refuse");

	tcase_add_test(tc, negative_cpu);
	tcase_add_test(tc, descriptor_of_another_kind);
	tcase_add_test(tc, group_of_another_cpu);
	tcase_add_test(tc, two_extents);
	tcase_add_test(tc, window_too_wide);
	tcase_add_test(tc, offsets_end_in_a_hole);
	tcase_add_test(tc, samples_read_only);
	tcase_add_test(tc, good_after_bad);
	for (size_t i = 0; i < T_LENGTH(bad_offsets); i++)
		tcase_add_loop_test(t_case(suite, bad_offsets[i].name),
				    offsets_refused, (int)i, (int)i + 1);
	for (size_t i = 0; i < T_LENGTH(bad_fields); i++)
		tcase_add_loop_test(t_case(suite, bad_fields[i].name),
				    fields_refused, (int)i, (int)i + 1);
	return suite;
}
