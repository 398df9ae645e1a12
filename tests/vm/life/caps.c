// SPDX-License-Identifier: GPL-2.0
/* caps.c - with max_buffer_mb=4 and max_total_mb=6, set at load. */
#include "kit/t.h"

static int create(int session, uint64_t bytes, int *fd)
{
	T_ARG(buffer_create, c, .bytes = bytes, .min_bytes = bytes,
	      .node = PROBE_PHYS_NODE_ANY);
	int err = t_do(session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);

	*fd = c.fd;
	return err;
}

START_TEST(told_by_info)
{
	struct probe_phys_info info = t_info(t_session());

	ck_assert_uint_eq(info.max_buffer_bytes, 4 * T_MIB);
	ck_assert_uint_eq(info.max_total_bytes, 6 * T_MIB);
}
END_TEST

START_TEST(session_to_the_last_page)
{
	int session = t_session(), a, b;

	t_same_errno(create(session, 4 * T_MIB + T_PAGE, &a), ENOSPC);
	t_same_errno(create(session, 4 * T_MIB - T_PAGE, &a), 0);
	t_same_errno(create(session, 2 * T_PAGE, &b), ENOSPC);
	t_same_errno(create(session, T_PAGE, &b), 0);
	ck_assert_uint_eq(t_used(), 4 * T_MIB);
	close(a);
	t_same_errno(create(session, 4 * T_MIB - T_PAGE, &a), 0);
}
END_TEST

START_TEST(all_sessions_together)
{
	int one = t_session(), two = t_session(), three = t_session();
	int a, b, c;

	t_same_errno(create(one, 4 * T_MIB, &a), 0);
	t_same_errno(create(two, 2 * T_MIB + T_PAGE, &b), ENOSPC);
	t_same_errno(create(two, 2 * T_MIB, &b), 0);
	t_same_errno(create(three, T_PAGE, &c), ENOSPC);
	close(b);
	t_same_errno(create(three, T_PAGE, &c), 0);
	/* A closed session's buffers still count. */
	close(one);
	ck_assert_uint_eq(t_used(), 4 * T_MIB + T_PAGE);
	t_same_errno(create(two, 2 * T_MIB, &b), ENOSPC);
	close(a);
	t_same_errno(create(two, 2 * T_MIB, &b), 0);
}
END_TEST

/* What the caller already has, locked by the module, counts as well. */
START_TEST(imports_count)
{
	uint64_t bytes = 3 * T_PMD;
	T_ARG(buffer_create, c, .bytes = bytes, .min_bytes = bytes,
	      .rungs = PROBE_PHYS_RUNG_IMPORT, .node = PROBE_PHYS_NODE_ANY);

	c.import_addr = (uintptr_t)mmap(
		NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	t_want(ENOSPC, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	c.bytes = c.min_bytes = 2 * T_PMD;
	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_eq(t_used(), 2 * T_PMD);
}
END_TEST

/* A buffer smaller than wanted gives the unused charge back. */
START_TEST(refusals_charge_nothing)
{
	T_ARG(buffer_create, c, .bytes = T_MIB, .min_bytes = T_MIB,
	      .rungs = PROBE_PHYS_RUNG_IMPORT, .import_addr = 0x10000,
	      .node = PROBE_PHYS_NODE_ANY);
	int session = t_session(), a;

	for (int i = 0; i < 20; i++)
		t_want(EFAULT, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	t_same_errno(create(session, 4 * T_MIB, &a), 0);
}
END_TEST

Suite *t_suite_caps(void)
{
	Suite *suite = suite_create("caps");
	TCase *tc = t_case(suite, "caps");

	tcase_add_test(tc, told_by_info);
	tcase_add_test(tc, session_to_the_last_page);
	tcase_add_test(tc, all_sessions_together);
	tcase_add_test(tc, imports_count);
	tcase_add_test(tc, refusals_charge_nothing);
	return suite;
}
