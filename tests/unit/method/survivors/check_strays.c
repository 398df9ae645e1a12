// SPDX-License-Identifier: GPL-2.0
/* check_strays.c - lines of another set make none hold more. */
#include <string.h>

#include "kit/simcache.h"
#include "method/survivors/internal.h"
#include "suites.h"

#define WAYS 16
#define LINES 24
#define PAGES 4096
#define PUSH 16
#define LEVEL(w, s, cycles, replaces)                              \
	.ways = w, .sets = s, .line_bytes = 64, .latency = cycles, \
	.policy = replaces

static const enum sim_policy policies[] = { SIM_LRU, SIM_TREE_PLRU,
					    SIM_RANDOM };
#define POLICIES ((int)(sizeof(policies) / sizeof(policies[0])))

/* Lines of a set of L2, 8 KiB apart, are of 16 sets of L3 by the next four bits. */
static uint64_t line_of(unsigned int set, unsigned int i)
{
	return (uint64_t)(16 * i + set) << 13;
}

struct opened {
	struct machine *m;
	struct prober p;
	struct hierarchy h;
	struct survivors s;
	uint64_t push[RESULT_SET_LINES];
	uint64_t left[PAGES + 2 * SURVIVOR_SET_LINES + RESULT_SET_LINES];
};

static void know(struct hierarchy *h)
{
	static const double ns[] = { 4, 14, 50 };

	hierarchy_init(h);
	for (int i = 0; i < 3; i++)
		parameter_measured(&hierarchy_add(h)->latency_ns, ns[i], 0,
				   "test");
	parameter_measured(&h->memory_latency_ns, 250, 0, "test");
}

static void open_machine(enum sim_policy policy, struct opened *o)
{
	const struct sim_config config = {
		.levels = { { LEVEL(8, 64, 4, SIM_LRU) },
			    { LEVEL(8, 128, 14, SIM_LRU) },
			    { LEVEL(WAYS, 2048, 50, policy) } },
		.memory_latency = 250,
		.region_bytes = 256 << 20,
		.times_each = true,
		.seed = 1,
	};
	struct failure f = { .text = "" };

	o->m = sim_open(&config);
	o->m->flushes_lines = true;
	prober_begin(&o->p, o->m, 1);
	know(&o->h);
	o->s = (struct survivors){ .p = &o->p,
				   .above = &o->h.caches[1],
				   .push = { o->push, PUSH },
				   .left = { o->left, 0 },
				   .last_access = UINT64_MAX };
	for (unsigned int i = 0; i < PUSH; i++)
		o->push[i] = line_of(15, i + 32);
	ck_assert_msg(!survivors_scale(&o->s, &o->h, &o->h.caches[2], &f), "%s",
		      f.text);
}

static void make_set(size_t strays, struct survivor_set *set)
{
	memset(set, 0, sizeof(*set));
	for (unsigned int i = 0; i < LINES; i++)
		set->lines[set->count++] = line_of(0, i);
	for (unsigned int i = 0; i < strays; i++)
		set->lines[set->count++] = line_of(i + 1, 0);
	for (unsigned int i = 0; i < PUSH; i++)
		set->others[set->other_count++] = line_of(15, i + 64);
}

START_TEST(strays_are_not_counted)
{
	const size_t strays = (size_t)_i % 4;
	struct failure f = { .text = "" };
	static struct opened o;
	struct survivor_set set;
	size_t ways = 0;

	open_machine(policies[_i / 4], &o);
	make_set(strays, &set);
	ck_assert_msg(!survivors_count(&o.s, &set, 1e-7, &ways, &f), "%s",
		      f.text);
	ck_assert_uint_eq(set.count, LINES);
	ck_assert_uint_eq(ways, WAYS);
	machine_close(o.m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("strays");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, strays_are_not_counted, 0, 4 * POLICIES);
	suite_add_tcase(s, t);
	return s;
}
