// SPDX-License-Identifier: GPL-2.0
/* check_later.c - who holds a way of each set may leave: then more fits. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "method/levels/levels.h"
#include "kit/neighbour.h"
#include "kit/profilekit.h"
#include "kit/simcache.h"
#include "machine/sim/sim.h"
#include "method/tlb/measure.h"
#include "suites.h"

static const struct sim_config base = {
	.levels = { { 4, 32, 64, 4, SIM_LRU, false, { 0 } },
		    { 8, 128, 64, 14, SIM_LRU, false, { 0 } } },
	.memory_latency = 200,
	.seed = 1,
};

/**
 * @levels: that are measured
 * @level: where he holds a way
 * @open: from this level on nothing may be said of ways
 * @looks: later ones at least
 */
static const struct {
	const char *name;
	enum neighbour when;
	size_t levels;
	unsigned int level;
	size_t open;
	unsigned int looks;
} neighbours[] = {
	{ "leaves L1", NEIGHBOUR_LEAVES, 1, 0, 1, 3 },
	{ "leaves L2", NEIGHBOUR_LEAVES, 2, 1, 2, 3 },
	{ "returns to L1", NEIGHBOUR_RETURNS, 2, 0, 0, 2 },
	{ "comes to L1", NEIGHBOUR_COMES, 1, 0, 1, 2 },
};

static void check_open(const char *name, const struct parameter *p)
{
	ck_assert_msg(p->status == PARAMETER_UNDECIDED,
		      "%s: %g instead of undecided", name, p->value);
	ck_assert_msg(strstr(p->reason, "other load"), "%s: %s", name,
		      p->reason);
}

static void check_is(const char *name, const struct parameter *p, double wanted)
{
	ck_assert_msg(parameter_is_measured(p), "%s: %s", name, p->reason);
	ck_assert_msg(p->value == wanted, "%s: %g instead of %g", name,
		      p->value, wanted);
}

START_TEST(ways_that_somebody_holds)
{
	const char *name = neighbours[_i].name;
	struct sim_config less = base;
	struct failure f = { .text = "" };
	struct hierarchy found;
	struct prober prober;
	struct machine *m = sim_open(&base), *held;

	less.levels[neighbours[_i].level].ways--;
	held = sim_open(&less);
	prober_begin(&prober, m, 1);
	prober.most_levels = neighbours[_i].levels;
	neighbour_begin(&prober, held, neighbours[_i].when);
	ck_assert_int_eq(xray_measure(&prober, &found, &f), 0);
	for (size_t i = 0; i < neighbours[_i].levels; i++) {
		const struct cache_result *c = &found.caches[i];
		const struct sim_level *l = &base.levels[i];

		if (i >= neighbours[_i].open) {
			check_open(name, &c->ways);
			check_open(name, &c->capacity_bytes);
			continue;
		}
		check_is(name, &c->ways, l->ways);
		check_is(name, &c->capacity_bytes,
			 l->ways * l->sets * l->line_bytes);
	}
	ck_assert_uint_eq(found.cache_count, neighbours[_i].levels);
	ck_assert_uint_ge(neighbour_looks(), neighbours[_i].looks);
	machine_close(m);
	machine_close(held);
}
END_TEST

/* Interrupted at any time, it says nothing else of L1: another process that held
 * ways of it has ended by then, or none did.
 */
START_TEST(interrupted)
{
	struct failure f = { .text = "" };
	struct sim_config less = base;
	int error = -EINTR, decided = 0;

	less.levels[0].ways -= (unsigned int)_i;
	for (unsigned int n = 1; error == -EINTR; n++) {
		struct machine *m = sim_open(&base), *held = sim_open(&less);
		struct hierarchy found;
		struct prober prober;

		prober_begin(&prober, m, 1);
		prober.most_levels = 2;
		neighbour_begin(&prober, held, NEIGHBOUR_LEAVES);
		neighbour_interrupts(&prober, n);
		error = xray_measure(&prober, &found, &f);
		ck_assert(!error || error == -EINTR);
		if (error && found.cache_count &&
		    parameter_is_measured(&found.caches[0].ways)) {
			check_is("L1", &found.caches[0].ways, 4);
			decided++;
		}
		machine_close(m);
		machine_close(held);
	}
	ck_assert_int_gt(decided, 0);
}
END_TEST

static struct machine *open_tlbs(unsigned int ways, unsigned int below)
{
	struct machine *m;
	char text[1024];

	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,"
		"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4}],"
		"\"walk\":{\"latency_cycles\":30},\"counters\":[],\"tlbs\":["
		"{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],"
		"\"entries\":%u,\"ways\":%u},"
		"{\"level\":2,\"type\":\"data\",\"page_bytes\":[4096],"
		"\"entries\":%u,\"ways\":%u,\"latency_cycles\":7}]}",
		4 * ways, ways, 32 * below, below);
	m = profilekit_open(text, UINT64_C(64) << 20, 1);
	m->view_executable = false;
	m->view_page_count = 1;
	return m;
}

/**
 * @held: he holds a way of this level
 * @open: from this level on nothing may be said
 */
static const struct {
	const char *name;
	enum neighbour when;
	int held;
	int open;
} tlb_neighbours[] = {
	{ "leaves L1 TLB", NEIGHBOUR_LEAVES, 1, 3 },
	{ "leaves L2 TLB", NEIGHBOUR_LEAVES, 2, 3 },
	{ "returns to L1 TLB", NEIGHBOUR_RETURNS, 1, 1 },
	{ "comes to L2 TLB", NEIGHBOUR_COMES, 2, 3 },
};

/* A level of cache that the words lie in. */
static void know_cache(struct hierarchy *h)
{
	struct cache_result *c;

	hierarchy_init(h);
	c = hierarchy_add(h);
	parameter_measured(&c->capacity_bytes, 32768, 0, "test");
	parameter_measured(&c->ways, 8, 0, "test");
	parameter_measured(&c->line_bytes, 64, 0, "test");
}

START_TEST(entries_that_somebody_holds)
{
	const char *name = tlb_neighbours[_i].name;
	const int held = tlb_neighbours[_i].held;
	struct machine *m = open_tlbs(4, 6);
	struct machine *less = open_tlbs(4 - (held == 1), 6 - (held == 2));
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober prober;

	know_cache(&h);
	prober_begin(&prober, m, 1);
	neighbour_begin(&prober, less, tlb_neighbours[_i].when);
	ck_assert_msg(!tlb_measure(&prober, &h, &f), "%s", f.text);
	ck_assert_uint_eq(h.tlb_count, 2);
	for (int i = 0; i < 2; i++) {
		const struct tlb_result *t = &h.tlbs[i];

		ck_assert_int_eq(t->level, i + 1);
		if (i + 1 >= tlb_neighbours[_i].open) {
			check_open(name, &t->entries);
			check_open(name, &t->ways);
			continue;
		}
		check_is(name, &t->entries, i ? 32 * 6 : 4 * 4);
		check_is(name, &t->ways, i ? 6 : 4);
	}
	machine_close(m);
	machine_close(less);
}
END_TEST

/* Interrupted at any time, it says nothing else of the first array. */
START_TEST(interrupted_tlbs)
{
	struct failure f = { .text = "" };
	int error = -EINTR, decided = 0;

	for (unsigned int n = 1; error == -EINTR; n++) {
		struct machine *m = open_tlbs(4, 6);
		struct machine *less = open_tlbs(4 - (unsigned int)_i, 6);
		struct hierarchy h;
		struct prober prober;

		know_cache(&h);
		prober_begin(&prober, m, 1);
		neighbour_begin(&prober, less, NEIGHBOUR_LEAVES);
		neighbour_interrupts(&prober, n);
		error = tlb_measure(&prober, &h, &f);
		ck_assert(!error || error == -EINTR);
		if (error && h.tlb_count &&
		    parameter_is_measured(&h.tlbs[0].entries)) {
			check_is("L1 TLB", &h.tlbs[0].entries, 4 * 4);
			decided++;
		}
		machine_close(m);
		machine_close(less);
	}
	ck_assert_int_gt(decided, 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("caches");
	int count = (int)(sizeof(neighbours) / sizeof(neighbours[0]));

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, ways_that_somebody_holds, 0, count);
	tcase_add_loop_test(t, interrupted, 0, 2);
	suite_add_tcase(suite, t);
	t = tcase_create("tlbs");
	count = (int)(sizeof(tlb_neighbours) / sizeof(tlb_neighbours[0]));
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, entries_that_somebody_holds, 0, count);
	tcase_add_loop_test(t, interrupted_tlbs, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
