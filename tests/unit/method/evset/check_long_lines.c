// SPDX-License-Identifier: GPL-2.0
/* check_long_lines.c - a hashed level of long lines, below short ways: lines a page apart
 * are fewer than it has, in all memory.
 */
#include "kit/profilekit.h"
#include "machine/sim/sim.h"
#include "method/levels/levels.h"
#include "suites.h"

#define REGION_BYTES (UINT64_C(64) << 20)
#define WAYS 16
#define SETS 2048
#define LINE 128

/* 64 MiB are 16,384 lines 4 KiB apart, and the level has twice as many. */
static const char machine[] =
	"{\"caches\":["
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":32,"
	"\"line_bytes\":128,\"latency_cycles\":3},"
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":4194304,"
	"\"ways\":16,\"line_bytes\":128,\"latency_cycles\":40,"
	"\"index\":{\"kind\":\"xor\",\"masks\":[\"0x40080\",\"0x80100\","
	"\"0x100200\",\"0x200400\",\"0x400800\",\"0x801000\",\"0x1002000\","
	"\"0x2004000\",\"0x8000\",\"0x10000\",\"0x20000\"]}}],"
	"\"memory\":{\"latency_cycles\":200}}";

/* Return: L2 is measured; then it is right. */
static bool is_measured(uint64_t seed)
{
	struct machine *m = profilekit_open(machine, REGION_BYTES, 1);
	struct failure f = { .text = "" };
	const struct cache_result *c;
	struct hierarchy found;
	struct prober p;

	prober_begin(&p, m, seed);
	ck_assert_msg(xray_measure(&p, &found, &f) == 0, "%s", f.text);
	machine_close(m);
	ck_assert_int_ge(found.cache_count, 2);
	c = &found.caches[1];
	if (!parameter_is_measured(&c->ways))
		return false;
	ck_assert(c->ways.value == WAYS);
	ck_assert(c->line_bytes.value == LINE);
	ck_assert(c->sets.value == SETS);
	ck_assert(c->index == INDEX_HASHED);
	return true;
}

/* With one seed in six too few lines show the number of sets. */
START_TEST(hashed)
{
	unsigned int measured = 0;

	for (uint64_t seed = 1; seed <= 3; seed++)
		measured += is_measured(seed);
	ck_assert_uint_ge(measured, 2);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("long-lines");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, hashed);
	suite_add_tcase(suite, t);
	return suite;
}
