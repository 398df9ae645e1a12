// SPDX-License-Identifier: GPL-2.0
/*
 * vmtest - tests of the module, to be run in a booted kernel.
 *
 *	vmtest [SUITE ...]
 *
 * Each test is one line of TAP in $CK_TAP_LOG_FILE_NAME; "not ok" with a
 * message that begins "SKIP:" is a test that could not run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kit/t.h"

static const struct {
	const char *name;
	Suite *(*make)(void);
} suites[] = {
	{ "info", t_suite_info },
	{ "buffers", t_suite_buffers },
	{ "import", t_suite_import },
	{ "views", t_suite_views },
	{ "accessed", t_suite_accessed },
	{ "accessed_tables", t_suite_accessed_tables },
	{ "view_guard", t_suite_view_guard },
	{ "machine_views", t_suite_machine_views },
	{ "machine_giant", t_suite_machine_giant },
	{ "flush", t_suite_flush },
	{ "counters", t_suite_counters },
#ifdef __aarch64__
	{ "pmuv3", t_suite_pmuv3 },
	{ "pmuv3_code", t_suite_pmuv3_code },
#endif
	{ "walks", t_suite_walks },
	{ "walk_refuse", t_suite_walk_refuse },
	{ "walk_guard", t_suite_walk_guard },
	{ "walk_pages", t_suite_walk_pages },
	{ "code_walks", t_suite_code_walks },
	{ "prefetch", t_suite_prefetch },
	{ "prefetch_fake", t_suite_prefetch_fake },
	{ "netlink", t_suite_netlink },
	{ "netlink_refuse", t_suite_netlink_refuse },
	{ "events", t_suite_events },
	{ "events_fake", t_suite_events_fake },
	{ "lifetime", t_suite_lifetime },
	{ "caps", t_suite_caps },
	{ "fuzz", t_suite_fuzz },
	{ "sizes", t_suite_sizes },
	{ "refuse", t_suite_refuse },
	{ "ordering", t_suite_ordering },
	{ "privileges", t_suite_privileges },
	{ "lockdown", t_suite_lockdown },
	{ "giant", t_suite_giant },
	{ "big", t_suite_big },
	{ "kill", t_suite_kill },
	{ "leaks", t_suite_leaks },
};

static Suite *find(const char *name)
{
	for (size_t i = 0; i < T_LENGTH(suites); i++) {
		if (!strcmp(name, suites[i].name))
			return suites[i].make();
	}
	fprintf(stderr, "vmtest: no suite '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	int failed;

	for (int i = 1; i < argc; i++)
		srunner_add_suite(runner, find(argv[i]));
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
