// SPDX-License-Identifier: GPL-2.0
/* check_admission.c - levels that let lines in only when they are used again, and the
 * levels below them.
 */
#include <stdio.h>

#include "kit/part.h"
#include "kit/profilekit.h"
#include "method/levels/levels.h"
#include "suites.h"

#define CAPACITY(c) ((c)->ways * (c)->way_kib * 1024)
#define MIB (UINT64_C(1) << 20)

/** struct level - L2 or L3: linear */
struct level {
	unsigned int ways, way_kib, latency;
	const char *policy;
};

static const struct {
	const char *name;
	struct level lower[2];
} machines[] = {
	{ "L2 of two ways that nearly always takes the new line first, L3 ages all lines",
	  { { 2, 32, 15, "\"brrip\",\"seed\":137" },
	    { 6, 256, 42, "\"qlru\",\"variant\":\"H00_M1_R0_U1\"" } } },
	{ "L2 whose strides end, but of which some lines stay, L3 at random",
	  { { 10, 16, 12, "\"brrip\",\"seed\":167" },
	    { 6, 256, 45, "\"random\",\"seed\":275" } } },
	{ "both seldom let a line in",
	  { { 2, 64, 15, "\"bip\",\"seed\":707" },
	    { 5, 256, 51, "\"drrip\",\"seed\":67" } } },
	{ "neither lets a line in that comes once",
	  { { 4, 32, 14, "\"lip\"" }, { 8, 128, 40, "\"lip\"" } } },
};

static struct machine *open_machine(size_t i, bool counters)
{
	const struct level *l = machines[i].lower;
	char text[2000];

	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4,\"policy\":{\"name\":\"tree-plru\"}},"
		"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":%u,\"policy\":{\"name\":%s}},"
		"{\"level\":3,\"type\":\"unified\",\"capacity_bytes\":%u,\"ways\":%u,\"line_bytes\":64,\"latency_cycles\":%u,\"policy\":{\"name\":%s}}"
		"%s%s}",
		CAPACITY(&l[0]), l[0].ways, l[0].latency, l[0].policy,
		CAPACITY(&l[1]), l[1].ways, l[1].latency, l[1].policy,
		PROFILEKIT_REST, counters ? "" : ",\"counters\":[]");
	return profilekit_open(text, 512 * MIB, 1);
}

static void expect(const char *name, const struct cache_result *c,
		   const char *what, const struct parameter *p, double wanted)
{
	ck_assert_msg(parameter_is_measured(p), "%s: L%d: %s: %s", name,
		      c->level, what, p->reason);
	ck_assert_msg(p->value > wanted - 0.5 && p->value < wanted + 0.5,
		      "%s: L%d: %s: %g instead of %g", name, c->level, what,
		      p->value, wanted);
}

START_TEST(admission)
{
	const size_t i = (size_t)_i / 2;
	struct machine *m;
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;

	if (!is_in_part(_i))
		return;
	m = open_machine(i, _i % 2);
	prober_begin(&prober, m, 1);
	ck_assert_msg(xray_measure(&prober, &found, &f) == 0, "%s", f.text);
	ck_assert_msg(found.cache_count == 3, "%s: %zu levels",
		      machines[i].name, found.cache_count);
	for (size_t j = 0; j < 2; j++) {
		const struct level *l = &machines[i].lower[j];
		const struct cache_result *c = &found.caches[j + 1];

		expect(machines[i].name, c, "ways", &c->ways, l->ways);
		expect(machines[i].name, c, "capacity", &c->capacity_bytes,
		       CAPACITY(l));
		expect(machines[i].name, c, "line", &c->line_bytes, 64);
		expect(machines[i].name, c, "latency", &c->latency_cycles,
		       l->latency);
	}
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("admission");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, admission, 0,
			    2 * sizeof(machines) / sizeof(machines[0]));
	suite_add_tcase(suite, t);
	return suite;
}
