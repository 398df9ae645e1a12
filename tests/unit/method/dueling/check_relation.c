// SPDX-License-Identifier: GPL-2.0
/* What numbers of leader sets have in common, where it is known. */
#include <string.h>

#include "base/rng.h"
#include "method/dueling/relation.h"
#include "suites.h"

#define RELATED 1024

/* Published and likely choices of leaders, as one writes them down. */
static bool constant_range(uint64_t s)
{
	return s >> 6 == 8;
}

static bool every_32nd(uint64_t s)
{
	return s % 32 == 5;
}

static bool equal_parts(uint64_t s)
{
	return ((s >> 5 ^ s) & 31) == 0;
}

static bool complements(uint64_t s)
{
	return ((s >> 5) + (s & 31)) == 31;
}

static bool complements_in_a_range(uint64_t s)
{
	return ((s >> 4 ^ s) & 7) == 6 && s >> 8 == 2;
}

static const struct {
	bool (*leads)(uint64_t set);
	const char *text;
} relations[] = {
	{ constant_range, "(s & 0x3c0) == 0x200" },
	{ every_32nd, "(s & 0x1f) == 0x5" },
	{ equal_parts, "((s >> 5 ^ s) & 0x1f) == 0x0" },
	{ complements, "((s >> 5 ^ s) & 0x1f) == 0x1f" },
	{ complements_in_a_range,
	  "(s & 0x300) == 0x200 && ((s >> 4 ^ s) & 0x7) == 0x6" },
};

START_TEST(relation)
{
	unsigned char roles[RELATED] = { DUELING_ROLE_UNDECIDED };
	struct dueling_finding found = { .roles = roles, .sets = RELATED };
	struct dueling_relation r;
	char text[DUELING_RELATION_TEXT];
	uint64_t last = 0;

	for (uint64_t set = 0; set < RELATED; set++)
		if (relations[_i].leads(set)) {
			roles[set] = DUELING_LEADS_REUSE;
			last = set;
		}
	ck_assert(dueling_relate(&found, DUELING_LEADS_REUSE, &r));
	dueling_relation_text(&r, text);
	ck_assert_str_eq(text, relations[_i].text);
	for (uint64_t set = 0; set < RELATED; set++)
		ck_assert(dueling_related(&r, set) == relations[_i].leads(set));
	ck_assert(!dueling_relate(&found, DUELING_LEADS_THRASH, &r));
	/* One less, and one more elsewhere. */
	roles[last] = DUELING_ROLE_UNDECIDED;
	ck_assert(!dueling_relate(&found, DUELING_LEADS_REUSE, &r));
	roles[last ^ 2] = DUELING_LEADS_REUSE;
	ck_assert(!dueling_relate(&found, DUELING_LEADS_REUSE, &r));
}
END_TEST

/* Those of chance have none, and what is stated holds of no other sets. */
START_TEST(no_relation)
{
	unsigned char roles[RELATED];
	struct dueling_finding found = { .roles = roles, .sets = RELATED };
	struct rng rng = { 6 };
	struct dueling_relation r;

	for (int round = 0; round < 200; round++) {
		memset(roles, DUELING_FOLLOWS, sizeof(roles));
		for (int i = 0; i < 8 << round % 4; i++)
			roles[rng_below(&rng, RELATED)] = DUELING_LEADS_REUSE;
		ck_assert(!dueling_relate(&found, DUELING_LEADS_REUSE, &r));
	}
	/* Too few, no power of two. */
	memset(roles, DUELING_FOLLOWS, sizeof(roles));
	memset(roles, DUELING_LEADS_REUSE, 4);
	ck_assert(!dueling_relate(&found, DUELING_LEADS_REUSE, &r));
	memset(roles, DUELING_LEADS_REUSE, 8);
	ck_assert(dueling_relate(&found, DUELING_LEADS_REUSE, &r));
	found.sets = 640;
	ck_assert(!dueling_relate(&found, DUELING_LEADS_REUSE, &r));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *tests = tcase_create("relations");

	tcase_add_loop_test(tests, relation, 0,
			    sizeof(relations) / sizeof(relations[0]));
	tcase_add_test(tests, no_relation);
	suite_add_tcase(suite, tests);
	return suite;
}
