// SPDX-License-Identifier: GPL-2.0
/* check_index_held.c - the index of a level with one contended set. */
#include <string.h>

#include "method/levels/levels.h"
#include "base/gf2.h"
#include "kit/disturber.h"
#include "kit/profilekit.h"
#include "machine/sim/walk.h"
#include "suites.h"

#define BYTES (UINT64_C(64) << 20)
#define WAYS 8
#define MISS_CYCLES 186
/* Walks out of ten that are undisturbed, and misses of the others. */
#define LEFT_ALONE 1
#define MISSES 3

static const uint64_t masks[] = { PROFILEKIT_MASKS };

static struct {
	struct machine *m;
	struct rng rng;
	bool index; /* is being measured */
	int set;    /* contended; -1: the first one that is sampled */
} held;

static struct failure f;

static int set_of(uint64_t offset)
{
	uint64_t phys = sim_memory_phys(&sim_of(held.m)->memory, offset);
	int set = 0;

	for (int i = 0; i < 8; i++)
		set |= (int)gf2_parity(masks[i], phys) << i;
	return set;
}

/* The set that a list has nearly as many lines of as it has ways, or -1. */
static int filled(const struct sequence *s)
{
	int lines[256] = { 0 };

	for (size_t i = 0; i < s->length && i < 512; i++)
		if (++lines[set_of(s->offsets[i])] == WAYS)
			return set_of(s->offsets[i]);
	return -1;
}

/* A list that fills that set is disturbed most of the time. */
static void use_it(const struct sequence *s, const struct walk_plan *plan,
		   struct sample *samples)
{
	int set = held.index ? filled(s) : -1;

	if (set >= 0 && held.set < 0)
		held.set = set;
	if (set < 0 || set != held.set)
		return;
	if (rng_below(&held.rng, 10) < LEFT_ALONE)
		return;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].ticks += MISSES * MISS_CYCLES / (double)s->length *
				    (double)samples[i].loads;
}

static void see(void *context, const char *what, double done)
{
	(void)context;
	(void)done;
	held.index = strstr(what, "index function");
}

START_TEST(another_set_answers)
{
	if (!is_in_part_of(_i, 4))
		return;

	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	held.m = profilekit_open(PROFILEKIT_HASHED, BYTES, (uint64_t)_i);
	held.rng = (struct rng){ (uint64_t)_i };
	held.set = -1;
	after_walks(held.m, use_it);
	prober_begin(&p, held.m, (uint64_t)_i);
	p.by = PROBER_BY_TIME;
	p.progress = see;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_int_ge(held.set, 0);
	ck_assert_uint_ge(h.cache_count, 2);
	c = &h.caches[1];
	ck_assert_double_eq(c->ways.value, WAYS);
	ck_assert_msg(c->function.rank == 8, "%zu masks: %s", c->function.rank,
		      c->function.reason);
	for (size_t i = 0; i < 8; i++) {
		bool there = false;

		for (size_t k = 0; k < 8; k++)
			there |= c->function.masks[k] == masks[i];
		ck_assert_msg(there, "no mask %#llx",
			      (unsigned long long)masks[i]);
	}
	machine_close(held.m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("held");

	tcase_set_timeout(t, 240);
	tcase_add_loop_test(t, another_set_answers, 1, 5);
	suite_add_tcase(s, t);
	return s;
}
