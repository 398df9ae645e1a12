// SPDX-License-Identifier: GPL-2.0
/* check_interrupts.c - interrupts of this CPU, while nothing else runs. */
#include <time.h>

#include "machine/host/interrupts.h"
#include "suites.h"

#if defined(__x86_64__)
START_TEST(interrupts_are_seen)
{
	bool quiet = false, seen = false;

	for (int i = 0; i < 1000 && !quiet; i++) {
		interrupts_watch();
		quiet = !interrupts_seen();
	}
	ck_assert(quiet);
	/* Ticks come a hundred times in a second at least. */
	interrupts_watch();
	for (time_t end = time(NULL) + 20; !seen && time(NULL) < end;)
		for (int i = 0; i < 1000000 && !seen; i++)
			seen = interrupts_seen();
	ck_assert(seen);
}
END_TEST
#endif

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("seen");

#if defined(__x86_64__)
	tcase_add_test(t, interrupts_are_seen);
#endif
	suite_add_tcase(suite, t);
	return suite;
}
