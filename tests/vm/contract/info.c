// SPDX-License-Identifier: GPL-2.0
/* info.c - INFO: what the module says that it offers. */
#include <fcntl.h>
#include <sys/stat.h>

#include "kit/t.h"

/*
 * arm64's kernel has no transparent pages two levels up; its timers may tick as
 * slowly as at 1 MHz.
 */
#ifdef __x86_64__
#define HAS_PUD true
#define LEAST_TICK_HZ 100000000
#else
#define HAS_PUD false
#define LEAST_TICK_HZ 1000000
#endif

START_TEST(constants)
{
	struct probe_phys_info info = t_info(t_session());

	ck_assert_uint_eq(info.abi, PROBE_PHYS_ABI);
	ck_assert_uint_eq(info.page_bytes, T_PAGE);
	ck_assert_uint_eq(info.reserved, 0);
	ck_assert_ptr_nonnull(memchr(info.version, '\0', sizeof(info.version)));
	ck_assert_uint_gt(strlen(info.version), 0);
}
END_TEST

START_TEST(page_sizes)
{
	struct probe_phys_info info = t_info(t_session());

	ck_assert_uint_eq(info.pmd_bytes, T_PMD);
	ck_assert(info.features & PROBE_PHYS_FEATURE_VIEW_PMD);
	if (HAS_PUD && t_kernel() >= 0x060c00) {
		ck_assert_uint_eq(info.pud_bytes, T_GIB);
		ck_assert(info.features & PROBE_PHYS_FEATURE_VIEW_PUD);
	} else {
		ck_assert_uint_eq(info.pud_bytes, 0);
		ck_assert(!(info.features & PROBE_PHYS_FEATURE_VIEW_PUD));
	}
}
END_TEST

START_TEST(features)
{
	struct probe_phys_info info = t_info(t_session());
	uint64_t always =
		PROBE_PHYS_FEATURE_CONTIG | PROBE_PHYS_FEATURE_BUDDY |
		PROBE_PHYS_FEATURE_IMPORT | PROBE_PHYS_FEATURE_FLUSH_LINES |
		PROBE_PHYS_FEATURE_COUNTERS | PROBE_PHYS_FEATURE_VIRTUAL;

	ck_assert_uint_eq(info.features & always, always);
	ck_assert(!(info.features & PROBE_PHYS_FEATURE_FLUSH_ALL) ==
		  !!T_FLUSH_ALL);
	ck_assert_uint_lt(info.features, PROBE_PHYS_FEATURE_VIEW_TABLES << 1);
	ck_assert_uint_ge(info.line_bytes, 16);
	ck_assert_uint_eq(info.line_bytes & (info.line_bytes - 1), 0);
}
END_TEST

START_TEST(caps)
{
	struct probe_phys_info info = t_info(t_session());

	ck_assert_uint_gt(info.max_buffer_bytes, 0);
	ck_assert_uint_ge(info.max_total_bytes, info.max_buffer_bytes);
	ck_assert_uint_eq(info.used_total_bytes, 0);
}
END_TEST

START_TEST(used_follows_buffers)
{
	int session = t_session();
	int buffer = t_buffer(session, 4 * T_MIB, 0);

	ck_assert_uint_eq(t_info(session).used_total_bytes, 4 * T_MIB);
	close(buffer);
	ck_assert_uint_eq(t_info(session).used_total_bytes, 0);
}
END_TEST

START_TEST(tick_rate)
{
	struct probe_phys_info info = t_info(t_session());

	/* 0 means unknown; anything else is a frequency that exists. */
	if (info.tick_hz) {
		ck_assert_uint_ge(info.tick_hz, LEAST_TICK_HZ);
		ck_assert_uint_lt(info.tick_hz, 10000000000);
	}
}
END_TEST

START_TEST(device_mode)
{
	struct stat st;

	ck_assert_int_eq(stat(PROBE_PHYS_DEVICE, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFCHR | 0600);
	ck_assert_uint_eq(st.st_uid, 0);
}
END_TEST

START_TEST(all_fds_close_on_exec)
{
	int session = t_session();
	int buffer = t_buffer(session, T_PAGE, 0);
	int view = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { { .type = 1, .config = 2 } });

	t_want(0, session, PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	ck_assert_int_eq(fcntl(buffer, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(view, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(c.fd, F_GETFD), FD_CLOEXEC);
}
END_TEST

Suite *t_suite_info(void)
{
	Suite *suite = suite_create("info");
	TCase *tc = t_case(suite, "info");

	tcase_add_test(tc, constants);
	tcase_add_test(tc, page_sizes);
	tcase_add_test(tc, features);
	tcase_add_test(tc, caps);
	tcase_add_test(tc, used_follows_buffers);
	tcase_add_test(tc, tick_rate);
	tcase_add_test(tc, device_mode);
	tcase_add_test(tc, all_fds_close_on_exec);
	return suite;
}
