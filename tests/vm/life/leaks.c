// SPDX-License-Identifier: GPL-2.0
/* leaks.c - after all the others: what was made has been destroyed. */
#include "kit/nl.h"

static const struct {
	const char *name;
	int made, gone;
} pairs[] = {
#define PAIR(name, a, b)                                           \
	{                                                          \
		name, PROBE_PHYS_A_STAT_##a, PROBE_PHYS_A_STAT_##b \
	}
	PAIR("sessions", SESSIONS_OPENED, SESSIONS_CLOSED),
	PAIR("buffers", BUFFERS_CREATED, BUFFERS_DESTROYED),
	PAIR("views", VIEWS_CREATED, VIEWS_DESTROYED),
	PAIR("counters", COUNTERS_CREATED, COUNTERS_DESTROYED),
	PAIR("walks", WALKS_STARTED, WALKS_ENDED),
#undef PAIR
};

START_TEST(as_many_gone_as_made)
{
	struct t_stats stats = t_nl_stats();

	ck_assert_msg(stats.of[pairs[_i].made] == stats.of[pairs[_i].gone],
		      "%s: %llu made, %llu gone", pairs[_i].name,
		      (unsigned long long)stats.of[pairs[_i].made],
		      (unsigned long long)stats.of[pairs[_i].gone]);
}
END_TEST

START_TEST(no_bytes_held)
{
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

Suite *t_suite_leaks(void)
{
	Suite *suite = suite_create("leaks");
	TCase *tc = t_case(suite, "leaks");

	tcase_add_loop_test(tc, as_many_gone_as_made, 0, T_LENGTH(pairs));
	tcase_add_test(tc, no_bytes_held);
	return suite;
}
