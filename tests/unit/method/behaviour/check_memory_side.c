// SPDX-License-Identifier: GPL-2.0
/* check_memory_side.c - a cache that no flush reaches is not taken for memory. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/behaviour/behaviour.h"
#include "suites.h"

#define MIB (UINT64_C(1) << 20)
#define BYTES (64 * MIB)
#define MEMORY 250
#define SIDE 120

/* @side: of a cache that belongs to memory; empty: there is none */
static struct machine *open_with(const char *side, const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"cycle_ns\":1,\"caches\":[{\"level\":1,\"type\":\"data\","
		 "\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		 "\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\","
		 "\"capacity_bytes\":1048576,\"ways\":16,\"line_bytes\":64,"
		 "\"latency_cycles\":14}%s],\"memory\":{\"latency_cycles\":%d},"
		 "\"huge_page_bytes\":[2097152]%s}",
		 side, MEMORY, more);
	return profilekit_open(text, BYTES, 1);
}

#define SIDED(bytes, ways)                                              \
	",{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":" #bytes \
	",\"ways\":" #ways ",\"line_bytes\":64,\"latency_cycles\":120," \
	"\"memory_side\":true}"
#define NOISE                                                         \
	",\"noise\":{\"jitter_cycles\":10,\"tail_probability\":0.01," \
	"\"tail_cycles\":5000}"

static const struct {
	const char *side, *more;
	double flushed; /* what a flushed line takes */
	bool published;
} machines[] = {
	{ "", "", MEMORY, true },
	{ "", NOISE, MEMORY, true },
	{ SIDED(8388608, 1), "", SIDE, false },
	{ SIDED(8388608, 16), "", SIDE, false },
	{ SIDED(8388608, 1), NOISE, SIDE, false },
	/* It has room for everything: nothing shows it. */
	{ SIDED(134217728, 1), "", SIDE, true },
};
#define MACHINES ((int)(sizeof(machines) / sizeof(machines[0])))

static void measure(int i, bool known, bool flushes, struct hierarchy *h)
{
	struct machine *m = open_with(machines[i].side, machines[i].more);
	struct failure f = { .text = "" };
	struct prober p;

	m->flushes_lines = flushes;
	prober_begin(&p, m, 1);
	hierarchy_init(h);
	if (known) {
		parameter_measured(&h->memory_latency_cycles,
				   machines[i].flushed, 0, "x-ray");
		parameter_measured(&h->memory_latency_ns, machines[i].flushed,
				   0, "x-ray");
	}
	ck_assert_msg(!memory_side_measure(&p, h, &f), "%s", f.text);
	machine_close(m);
}

START_TEST(lines_that_others_push_out)
{
	const struct parameter *cycles, *ns;
	struct hierarchy h;

	measure(_i, true, true, &h);
	cycles = &h.memory_latency_cycles;
	ns = &h.memory_latency_ns;
	ck_assert_int_eq(cycles->status, ns->status);
	if (machines[_i].published) {
		ck_assert_double_eq(cycles->value, machines[_i].flushed);
		ck_assert_str_eq(cycles->method, "x-ray");
		return;
	}
	ck_assert_int_eq(cycles->status, PARAMETER_UNDECIDED);
	ck_assert_msg(strstr(ns->reason, "64 MiB"), "%s", ns->reason);
}
END_TEST

/* An undecided latency remains undecided, and without flushes nothing is known. */
START_TEST(what_is_needed_is_checked)
{
	struct hierarchy h;

	measure(2, false, true, &h);
	ck_assert_int_eq(h.memory_latency_ns.status, PARAMETER_UNAVAILABLE);
	measure(2, true, false, &h);
	ck_assert_int_eq(h.memory_latency_ns.status, PARAMETER_MEASURED);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("memory side");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, lines_that_others_push_out, 0, MACHINES);
	tcase_add_test(t, what_is_needed_is_checked);
	suite_add_tcase(s, t);
	return s;
}
