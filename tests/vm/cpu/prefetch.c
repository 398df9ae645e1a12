// SPDX-License-Identifier: GPL-2.0
/* prefetch.c - PREFETCH on the emulated CPU, which may have no switch. */
#include "kit/t.h"

#define QUERY PROBE_PHYS_PREFETCH_QUERY
#define SET PROBE_PHYS_PREFETCH_SET

START_TEST(feature_bit_tells)
{
	int session = t_session();
	bool has = t_info(session).features & PROBE_PHYS_FEATURE_PREFETCH;
	T_ARG(prefetch, p, .op = QUERY);

	t_want(has ? 0 : EOPNOTSUPP, session, PROBE_PHYS_IOC_PREFETCH, &p);
	if (!has)
		return;
	ck_assert_uint_ne(p.available, 0);
	ck_assert_uint_eq(p.available & ~PROBE_PHYS_PREFETCH_ALL, 0);
	ck_assert_uint_eq(p.enabled & ~p.available, 0);
}
END_TEST

/* What is wrong in itself is refused whatever the CPU has. */
static const struct {
	const char *name;
	int want;
	struct probe_phys_prefetch arg;
} bad[] = {
	{ "op_unknown", EINVAL, { .op = 2 } },
	{ "op_huge", EINVAL, { .op = UINT32_MAX } },
	{ "query_with_mask", EINVAL, { .op = QUERY, .mask = 1 } },
	{ "query_with_enable", EINVAL, { .op = QUERY, .enable = 1 } },
	{ "set_without_mask", EINVAL, { .op = SET } },
	{ "set_unknown_prefetcher", EINVAL, { .op = SET, .mask = 0x40 } },
	{ "set_all_bits", EINVAL, { .op = SET, .mask = UINT32_MAX } },
	{ "enable_beyond_mask", EINVAL, { .op = SET, .mask = 1, .enable = 2 } },
	{ "flags", EINVAL, { .flags = 1 } },
	{ "reserved", EINVAL, { .reserved = 1 } },
	{ "cpu_that_is_not", ENXIO, { .op = QUERY, .cpu = 4095 } },
	{ "cpu_huge", ENXIO, { .op = QUERY, .cpu = UINT32_MAX } },
};

START_TEST(refused)
{
	struct probe_phys_prefetch arg = bad[_i].arg;

	arg.size = sizeof(arg);
	t_want(bad[_i].want, t_session(), PROBE_PHYS_IOC_PREFETCH, &arg);
}
END_TEST

Suite *t_suite_prefetch(void)
{
	Suite *suite = suite_create("prefetch");

	tcase_add_test(t_case(suite, "prefetch"), feature_bit_tells);
	for (size_t i = 0; i < T_LENGTH(bad); i++)
		tcase_add_loop_test(t_case(suite, bad[i].name), refused, (int)i,
				    (int)i + 1);
	return suite;
}
