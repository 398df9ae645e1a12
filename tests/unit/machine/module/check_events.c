// SPDX-License-Identifier: GPL-2.0
/* check_events.c - perf events found in sysfs, and what slices counted. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/treekit.h"
#include "machine/module/event_library.h"
#include "machine/module/events.h"
#include "machine/module/walk.h"
#include "suites.h"

static const struct module_event *find(const struct module_event *events,
				       size_t count, const char *pmu,
				       enum machine_counter role)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(events[i].pmu, pmu) && events[i].role == role)
			return &events[i];
	return NULL;
}

START_TEST(generic_events_without_sysfs)
{
	struct module_event events[MODULE_EVENTS_MAX];
	size_t count = module_events_find("/nonexistent", events);
	const struct module_event *e;

	e = find(events, count, "kernel", COUNTER_CYCLES);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->event.type, PERF_TYPE_HARDWARE);
	e = find(events, count, "kernel", COUNTER_L1D_MISS);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->event.type, PERF_TYPE_HW_CACHE);
	ck_assert_uint_eq(e->event.config, 0x10000);
	ck_assert_ptr_null(find(events, count, "kernel", COUNTER_L2_MISS));
}
END_TEST

START_TEST(named_events_come_first)
{
	struct module_event events[MODULE_EVENTS_MAX];
	char top[] = TREEKIT_NAME;
	const struct module_event *e;
	size_t count;

	treekit_make(top);
	treekit_write(top, "lab/type", "11\n");
	treekit_write(top, "lab/format/event", "config:0-7,32-35\n");
	treekit_write(top, "lab/format/umask", "config1:8-15\n");
	treekit_write(top, "lab/format/edge", "config2:18\n");
	treekit_write(top, "lab/events/l1d_miss",
		      "event=0x3d1,umask=0x20,edge\n");
	treekit_write(top, "lab/events/l2_miss", "event=7\n");
	treekit_write(top, "lab/events/l3_miss.scale", "1\n");
	count = module_events_find(top, events);
	ck_assert_int_eq(events[0].role, COUNTER_L1D_MISS);
	e = find(events, count, "lab", COUNTER_L1D_MISS);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->event.type, 11);
	ck_assert_uint_eq(e->event.config, UINT64_C(0x3000000d1));
	ck_assert_uint_eq(e->event.config1, 0x2000);
	ck_assert_uint_eq(e->event.config2, 1 << 18);
	ck_assert_ptr_nonnull(find(events, count, "lab", COUNTER_L2_MISS));
	ck_assert_ptr_null(find(events, count, "lab", COUNTER_L3_MISS));
	treekit_drop(top);
}
END_TEST

/* What Arm's PMU calls them; a role's own name comes before. */
START_TEST(arm_names_play_roles)
{
	struct module_event events[MODULE_EVENTS_MAX];
	char top[] = TREEKIT_NAME;
	const struct module_event *e;
	size_t count;

	treekit_make(top);
	treekit_write(top, "armv8_pmuv3_0/type", "8\n");
	treekit_write(top, "armv8_pmuv3_0/format/event", "config:0-15\n");
	treekit_write(top, "armv8_pmuv3_0/events/l1d_cache_refill",
		      "event=0x0003\n");
	treekit_write(top, "armv8_pmuv3_0/events/l1i_tlb_refill",
		      "event=0x0002\n");
	treekit_write(top, "armv8_pmuv3_0/events/dtlb_walk", "event=0x0034\n");
	treekit_write(top, "armv8_pmuv3_0/events/cycles", "event=0x0011\n");
	treekit_write(top, "armv8_pmuv3_0/events/cpu_cycles", "event=0x0012\n");
	count = module_events_find(top, events);
	e = find(events, count, "armv8_pmuv3_0", COUNTER_L1D_MISS);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->event.type, 8);
	ck_assert_uint_eq(e->event.config, 3);
	ck_assert_str_eq(e->name, "l1d_cache_refill");
	e = find(events, count, "armv8_pmuv3_0", COUNTER_ITLB_MISS);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->event.config, 2);
	e = find(events, count, "armv8_pmuv3_0", COUNTER_STLB_MISS);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->event.config, 0x34);
	e = find(events, count, "armv8_pmuv3_0", COUNTER_CYCLES);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->event.config, 0x11);
	treekit_drop(top);
}
END_TEST

static const struct {
	const char *name;
	uint64_t config;
} named[] = {
	{ "lab/l1d_miss/", 0x20 },
	{ "lab/l1d_miss", 0x20 },
	{ "lab/event=0x31/", 0x31 },
	{ "lab/event=1,umask=2/", 0x201 },
};

START_TEST(events_are_taken_by_name)
{
	char top[] = TREEKIT_NAME;
	struct failure f = { .text = "" };
	struct module_event e;

	treekit_make(top);
	treekit_write(top, "lab/type", "11\n");
	treekit_write(top, "lab/format/event", "config:0-7\n");
	treekit_write(top, "lab/format/umask", "config:8-15\n");
	treekit_write(top, "lab/events/l1d_miss", "event=0x20\n");
	ck_assert_msg(!module_event_named(top, named[_i].name, &e, &f), "%s",
		      f.text);
	ck_assert_uint_eq(e.event.type, 11);
	ck_assert_uint_eq(e.event.config, named[_i].config);
	ck_assert_str_eq(e.pmu, "lab");
	treekit_drop(top);
}
END_TEST

static const char *const unnamed[] = {
	"lab/wool/",	  "wool/l1d_miss/",
	"lab/",		  "/l1d_miss/",
	"lab//l1d_miss/", "../lab/l1d_miss/",
	"lab/../type/",	  "lab/event=0x100/",
	"./events/",	  "/",
};

START_TEST(other_names_are_refused)
{
	char top[] = TREEKIT_NAME;
	struct failure f = { .text = "" };
	struct module_event e;

	treekit_make(top);
	treekit_write(top, "lab/type", "11\n");
	treekit_write(top, "lab/format/event", "config:0-7\n");
	treekit_write(top, "lab/events/l1d_miss", "event=0x20\n");
	ck_assert_int_lt(module_event_named(top, unnamed[_i], &e, &f), 0);
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(f.text, unnamed[_i]));
	treekit_drop(top);
}
END_TEST

/* Of a Skylake, on whatever this runs: its manual's encodings. */
START_TEST(library_names_are_the_manuals)
{
	static const struct {
		enum machine_counter role;
		uint64_t config;
	} wanted[] = {
		{ COUNTER_L1D_MISS, 0x8d1 },   { COUNTER_L2_MISS, 0x10d1 },
		{ COUNTER_L3_MISS, 0x20d1 },   { COUNTER_LOADS, 0x81d0 },
		{ COUNTER_STLB_MISS, 0x11d0 }, { COUNTER_L1I_MISS, 0x283 },
		{ COUNTER_CYCLES, 0x3c },      { COUNTER_INSTRUCTIONS, 0xc0 },
	};
	struct module_event events[MODULE_EVENTS_MAX];
	struct failure f = { .text = "" };
	struct module_event e;
	size_t count;

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	count = module_events_find("/nonexistent", events);
	if (!event_library_there()) {
		ck_assert_ptr_null(
			find(events, count, "libpfm4", COUNTER_L1D_MISS));
		ck_assert_int_eq(module_event_named("/nonexistent",
						    "MEM_LOAD_RETIRED:L1_MISS",
						    &e, &f),
				 -EOPNOTSUPP);
		ck_assert_ptr_nonnull(strstr(f.text, "libpfm4-dev"));
		return;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct module_event *found =
			find(events, count, "libpfm4", wanted[i].role);

		ck_assert_ptr_nonnull(found);
		ck_assert_uint_eq(found->event.type, PERF_TYPE_RAW);
		/* What a mode adds lies above. */
		ck_assert_uint_eq(found->event.config & 0xffff,
				  wanted[i].config);
	}
	ck_assert_int_eq(module_event_named("/nonexistent",
					    "MEM_LOAD_RETIRED:L2_MISS", &e, &f),
			 0);
	ck_assert_uint_eq(e.event.config & 0xffff, 0x10d1);
	ck_assert_int_lt(
		module_event_named("/nonexistent", "SHEEP:WOOL", &e, &f), 0);
	ck_assert_ptr_nonnull(strstr(f.text, "SHEEP:WOOL"));
}
END_TEST

/* More than a group can have. */
START_TEST(too_many_for_a_group)
{
	struct module_counters c = { .session = -1, .group = -1 };
	bool made = true;

	ck_assert_int_eq(module_counters_select(&c, 0x1ff, &made), -E2BIG);
	ck_assert(!made);
	ck_assert_int_eq(c.group, -1);
}
END_TEST

static const char *const broken[] = {
	"event=0x100", "event=",    "event=1x", "other=1",   "",
	"event=1,",    "../type=1", "wide=1",	"event = 1", "event=1;u=2",
	"no_colon=1",  "strange=1",
};

START_TEST(broken_events_are_left_out)
{
	struct module_event events[MODULE_EVENTS_MAX];
	char top[] = TREEKIT_NAME;
	size_t count;

	treekit_make(top);
	treekit_write(top, "lab/type", "11\n");
	treekit_write(top, "lab/format/event", "config:0-7\n");
	treekit_write(top, "lab/format/wide", "config:0-64\n");
	treekit_write(top, "lab/format/no_colon", "config\n");
	treekit_write(top, "lab/format/strange", "config3:0-7\n");
	treekit_write(top, "lab/events/l1d_miss", broken[_i]);
	count = module_events_find(top, events);
	ck_assert_ptr_null(find(events, count, "lab", COUNTER_L1D_MISS));
	treekit_drop(top);
}
END_TEST

/* What is beside the cores counts other things by the same names. */
START_TEST(uncore_is_left_out)
{
	struct module_event events[MODULE_EVENTS_MAX];
	char top[] = TREEKIT_NAME;
	size_t count;

	treekit_make(top);
	treekit_write(top, "uncore/type", "12\n");
	treekit_write(top, "uncore/cpumask", "0\n");
	treekit_write(top, "uncore/format/event", "config:0-7\n");
	treekit_write(top, "uncore/events/cycles", "event=0\n");
	count = module_events_find(top, events);
	ck_assert_ptr_null(find(events, count, "uncore", COUNTER_CYCLES));
	treekit_drop(top);
}
END_TEST

START_TEST(slices_are_counted_together)
{
	const struct module_clock clock = { .overhead_ticks = 0 };
	const struct module_counters counters = {
		.counted = 1U << COUNTER_LOADS | 1U << COUNTER_L2_MISS,
		.overhead = { [COUNTER_LOADS] = 3, [COUNTER_L2_MISS] = 1 },
	};
	struct module_fold fold = { .clock = &clock,
				    .counters = &counters,
				    .loads = 20 };
	struct probe_phys_sample slices[4] = {
		{ .loads = 15, .nr_counters = 2, .counters = { 18, 5 } },
		{ .loads = 5, .nr_counters = 2, .counters = { 8, 0 } },
		{ .loads = 20, .nr_counters = 2, .counters = { 23, 1 } },
		{ .loads = 20, .nr_counters = 1, .counters = { 23, 1 } },
	};
	struct sample samples[4];

	ck_assert_uint_eq(module_fold(&fold, slices, 4, samples, 4), 3);
	ck_assert_uint_eq(samples[0].counted, counters.counted);
	ck_assert_double_eq(samples[0].counts[COUNTER_LOADS], 20);
	ck_assert_double_eq(samples[0].counts[COUNTER_L2_MISS], 4);
	ck_assert_double_eq(samples[1].counts[COUNTER_L2_MISS], 0);
	ck_assert_uint_eq(samples[1].counted, counters.counted);
	ck_assert_uint_eq(samples[2].counted, 0);

	/* One multiplexed slice spoils its sample and no other. */
	slices[0].flags = PROBE_PHYS_SAMPLE_MULTIPLEXED;
	ck_assert_uint_eq(module_fold(&fold, slices, 3, samples, 4), 2);
	ck_assert_uint_eq(samples[0].counted, 0);
	ck_assert_uint_eq(samples[1].counted, counters.counted);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("sysfs and slices");

	tcase_add_test(t, generic_events_without_sysfs);
	tcase_add_test(t, named_events_come_first);
	tcase_add_test(t, arm_names_play_roles);
	tcase_add_loop_test(t, events_are_taken_by_name, 0,
			    sizeof(named) / sizeof(named[0]));
	tcase_add_loop_test(t, other_names_are_refused, 0,
			    sizeof(unnamed) / sizeof(unnamed[0]));
	tcase_add_test(t, library_names_are_the_manuals);
	tcase_add_test(t, too_many_for_a_group);
	tcase_add_loop_test(t, broken_events_are_left_out, 0,
			    sizeof(broken) / sizeof(broken[0]));
	tcase_add_test(t, uncore_is_left_out);
	tcase_add_test(t, slices_are_counted_together);
	suite_add_tcase(suite, t);
	return suite;
}
