// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - the unit tests: all suites, or those that the arguments name.
 *
 *	unit-tests [--list] [SUITE|FOLDER ...]
 *
 * --list prints the names of the suites and runs none. CK_RUN_CASE selects a
 * case. The last line counts the checks; those that are left out, and those that
 * this computer cannot do, are not passed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "suites.h"

/* The parent frees millions of messages; a long quarantine keeps them all. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}

/* User and system seconds of the checks that have ended. */
static double cpu_seconds(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u))
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void list(const struct registry *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->wanted[i])
			puts(r->names[i]);
}

static int run(const struct registry *r)
{
	const struct part_count *part = part_count_begin();
	SRunner *runner = srunner_create(NULL);
	int failed, passed;

	if (!part)
		return EXIT_FAILURE;
	for (size_t i = 0; i < r->count; i++)
		if (r->wanted[i])
			srunner_add_suite(runner,
					  r->suites[i]->make(r->names[i]));
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	passed = srunner_ntests_run(runner) - failed;
	srunner_free(runner);
	printf("unit: %ld passed, %d failed, %lu skipped, %lu left out, %lu shortened, %.2f s CPU\n",
	       passed - (long)(part->left_out + part->skipped), failed,
	       part->skipped, part->left_out, part->shortened, cpu_seconds());
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/*
 * Checks that hang end after minutes; a busy computer may take ten times as
 * long.
 */
static void set_timeouts(void)
{
	setenv("CK_DEFAULT_TIMEOUT", "60", 0);
	setenv("CK_TIMEOUT_MULTIPLIER", "4", 0);
}

int main(int argc, char **argv)
{
	struct registry r;
	bool is_list = argc > 1 && !strcmp(argv[1], "--list");
	int first = is_list ? 2 : 1, status = EXIT_SUCCESS;

	set_timeouts();
	registry_open(&r);
	for (int i = first; i < argc; i++)
		if (registry_want(&r, argv[i]) != 1)
			status = 2;
	for (size_t i = 0; first >= argc && i < r.count; i++)
		r.wanted[i] = true;
	if (!status && is_list)
		list(&r);
	else if (!status)
		status = run(&r);
	registry_close(&r);
	return status;
}
