// SPDX-License-Identifier: GPL-2.0
/* check_events.c - perf events found in sysfs, and what slices counted. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/module_events.h"
#include "machine/module_walk.h"
#include "suites.h"

static void put(const char *top, const char *path, const char *text)
{
	char name[256], *slash;
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", top, path);
	for (slash = strchr(name + strlen(top) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
	file = fopen(name, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void begin(char *top)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static void end(const char *top)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", top);
	ck_assert_int_eq(system(command), 0);
}

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
	char top[] = "/tmp/probe-phys-XXXXXX";
	const struct module_event *e;
	size_t count;

	begin(top);
	put(top, "lab/type", "11\n");
	put(top, "lab/format/event", "config:0-7,32-35\n");
	put(top, "lab/format/umask", "config1:8-15\n");
	put(top, "lab/format/edge", "config2:18\n");
	put(top, "lab/events/l1d_miss", "event=0x3d1,umask=0x20,edge\n");
	put(top, "lab/events/l2_miss", "event=7\n");
	put(top, "lab/events/l3_miss.scale", "1\n");
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
	end(top);
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
	char top[] = "/tmp/probe-phys-XXXXXX";
	size_t count;

	begin(top);
	put(top, "lab/type", "11\n");
	put(top, "lab/format/event", "config:0-7\n");
	put(top, "lab/format/wide", "config:0-64\n");
	put(top, "lab/format/no_colon", "config\n");
	put(top, "lab/format/strange", "config3:0-7\n");
	put(top, "lab/events/l1d_miss", broken[_i]);
	count = module_events_find(top, events);
	ck_assert_ptr_null(find(events, count, "lab", COUNTER_L1D_MISS));
	end(top);
}
END_TEST

/* What is beside the cores counts other things by the same names. */
START_TEST(uncore_is_left_out)
{
	struct module_event events[MODULE_EVENTS_MAX];
	char top[] = "/tmp/probe-phys-XXXXXX";
	size_t count;

	begin(top);
	put(top, "uncore/type", "12\n");
	put(top, "uncore/cpumask", "0\n");
	put(top, "uncore/format/event", "config:0-7\n");
	put(top, "uncore/events/cycles", "event=0\n");
	count = module_events_find(top, events);
	ck_assert_ptr_null(find(events, count, "uncore", COUNTER_CYCLES));
	end(top);
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

Suite *make_events_suite(void)
{
	Suite *suite = suite_create("events");
	TCase *t = tcase_create("sysfs and slices");

	tcase_add_test(t, generic_events_without_sysfs);
	tcase_add_test(t, named_events_come_first);
	tcase_add_loop_test(t, broken_events_are_left_out, 0,
			    sizeof(broken) / sizeof(broken[0]));
	tcase_add_test(t, uncore_is_left_out);
	tcase_add_test(t, slices_are_counted_together);
	suite_add_tcase(suite, t);
	return suite;
}
