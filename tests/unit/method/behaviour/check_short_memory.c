// SPDX-License-Identifier: GPL-2.0
/* check_short_memory.c - pinned lines where little memory is contiguous, as in guests. */
#include "kit/levelkit.h"
#include "method/behaviour/behaviour.h"
#include "suites.h"

/* Lines of one set of L2: 32, fewer than three times the ways and twice besides. */
#define ARENA_BYTES (UINT64_C(2) << 20)

static const struct {
	struct level levels[LEVELS];
	enum inclusion wanted;
} cases[] = {
	{ { { 4, 32, "lru", NINE, false, false, NULL },
	    { 8, 1024, "lru", NINE, false, false, NULL },
	    { 16, 4096, "lru", NINE, false, false, NULL } },
	  INCLUSION_NINE },
	{ { { 4, 32, "lru", NINE, false, false, NULL },
	    { 8, 1024, "tree-plru", NINE, false, false, NULL },
	    { 16, 4096, "lru", NINE, false, false, NULL } },
	  INCLUSION_NINE },
};

START_TEST(few_lines_evict)
{
	const struct level *levels = cases[_i].levels;
	const uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);
	struct machine *m = levelkit_open(levels, TIMED, seed);
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	p.arena_bytes = ARENA_BYTES;
	levelkit_know(&h, levels);
	for (int i = 0; i < LEVELS; i++)
		h.caches[i].inclusion = INCLUSION_UNKNOWN;
	ck_assert_msg(inclusion_measure(&p, &h, &f) == 0, "%s", f.text);
	ck_assert_msg(h.caches[1].inclusion == cases[_i].wanted, "%d: %s",
		      h.caches[1].inclusion,
		      h.caches[1].inclusion_decision.reason);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("short memory");

	tcase_add_loop_test(t, few_lines_evict, 0,
			    (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(suite, t);
	return suite;
}
