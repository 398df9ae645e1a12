// SPDX-License-Identifier: GPL-2.0
/* check_resctrl_shares.c - what a CPU has only a share of. */
#include <string.h>

#include "kit/treekit.h"
#include "machine/host/resctrl_shares.h"
#include "suites.h"

#define CPUS "/sys/devices/system/cpu/"
#define RESCTRL "/sys/fs/resctrl/"
#define FILES 9
#define GROUPS "/proc/self/cpu_resctrl_groups"
#define FULL                                                \
	{ RESCTRL "info/L3/cbm_mask", "fffff\n" },          \
		{ CPUS "cpu3/cache/index3/level", "3\n" },  \
		{ CPUS "cpu3/cache/index3/id", "1\n" },     \
	{                                                   \
		RESCTRL "schemata", "    L3:0=ff;1=fffff\n" \
	}

struct file {
	const char *path;
	const char *text;
};

/* @note: what is in the only one; NULL: there is none */
static const struct {
	const char *name;
	const char *note;
	struct file files[FILES];
} computers[] = {
	{ "nothing", NULL, { { 0 } } },
	{ "one thread",
	  NULL,
	  { { CPUS "cpu3/topology/thread_siblings_list", "3\n" } } },
	{ "two threads",
	  "CPU 67 is a thread of the same core",
	  { { CPUS "cpu3/topology/thread_siblings_list", "3,67\n" } } },
	{ "four threads",
	  "CPU 0 is a thread of the same core",
	  { { CPUS "cpu3/topology/thread_siblings_list", "0-3\n" } } },
	{ "all of our L3, not of another one", NULL, { FULL } },
	{ "some of our L3",
	  "ff of fffff in L3",
	  { { RESCTRL "info/L3/cbm_mask", "fffff\n" },
	    { CPUS "cpu3/cache/index3/level", "3\n" },
	    { CPUS "cpu3/cache/index3/id", "1\n" },
	    { RESCTRL "schemata", "    MB:0=100\n    L3:0=fffff;1=ff\n" } } },
	{ "some of some L2",
	  "3 of ff in L2",
	  { { RESCTRL "info/L2/cbm_mask", "ff\n" },
	    { RESCTRL "schemata", "L2:0=ff;1=ff;2=3\n" } } },
	{ "a group of this process",
	  "f of fffff in L3",
	  { FULL,
	    { GROUPS, "res:/few\nmon:\n" },
	    { RESCTRL "few/schemata", "    L3:0=fffff;1=f\n" } } },
	{ "a group of this CPU",
	  "f of fffff in L3",
	  { FULL,
	    { GROUPS, "res:/\nmon:/\n" },
	    { RESCTRL "few/cpus_list", "2-3\n" },
	    { RESCTRL "few/schemata", "    L3:0=fffff;1=f\n" } } },
	{ "a group of other CPUs",
	  NULL,
	  { FULL,
	    { GROUPS, "res:/\nmon:/\n" },
	    { RESCTRL "few/cpus_list", "0-2,4\n" },
	    { RESCTRL "few/schemata", "    L3:0=fffff;1=f\n" } } },
	{ "data alone",
	  "7 of fffff in L3DATA",
	  { { RESCTRL "info/L3CODE/cbm_mask", "fffff\n" },
	    { RESCTRL "info/L3DATA/cbm_mask", "fffff\n" },
	    { RESCTRL "schemata", "L3CODE:0=fffff\nL3DATA:0=7\n" } } },
};

START_TEST(shares_are_noted)
{
	const char *name = computers[_i].name, *note = computers[_i].note;
	struct machine m = { .cpu = 3 };
	char top[] = TREEKIT_NAME;

	treekit_make(top);
	for (size_t i = 0; i < FILES && computers[_i].files[i].path; i++)
		treekit_write(top, computers[_i].files[i].path,
			      computers[_i].files[i].text);
	shares_note(&m, top);
	treekit_drop(top);
	ck_assert_msg(m.note_count == (note ? 1 : 0), "%s: %zu notes: %s", name,
		      (size_t)m.note_count, m.notes[0]);
	ck_assert_msg(!note || strstr(m.notes[0], note), "%s: %s", name,
		      m.notes[0]);
	/* The remedy is all there. */
	ck_assert(!note || strchr(m.notes[0], ')'));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("shares");

	tcase_add_loop_test(t, shares_are_noted, 0,
			    sizeof(computers) / sizeof(computers[0]));
	suite_add_tcase(suite, t);
	return suite;
}
