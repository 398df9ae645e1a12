// SPDX-License-Identifier: GPL-2.0
/*
 * check_small.c - hashed levels of few sets, by time: random lines fill all of
 * them, and so do control lines.
 */
#include <stdio.h>

#include "method/levels/levels.h"
#include "kit/profilekit.h"
#include "suites.h"

#define BYTES (UINT64_C(512) << 20)
#define SET_BITS 8
#define FIRST_BIT 6
#define SEEDS 3

/* Each bit of a set's number is the XOR of its own address bit and of those
 * that are this much higher. 0: none.
 */
static const unsigned int hashes[][2] = {
	{ 8, 0 }, { 14, 0 }, { 16, 0 }, { 8, 14 }, { 8, 16 }, { 9, 17 },
};

#define HASHES (sizeof(hashes) / sizeof(hashes[0]))

static struct failure f;

static struct machine *open_hashed(const unsigned int *higher, uint64_t seed)
{
	char masks[256], text[1024];
	size_t n = 0;

	for (unsigned int i = 0; i < SET_BITS; i++) {
		uint64_t bit = UINT64_C(1) << (FIRST_BIT + i), mask = bit;

		for (int j = 0; j < 2; j++)
			mask |= bit << higher[j] & (BYTES - 1);
		n += (size_t)snprintf(masks + n, sizeof(masks) - n,
				      "%s\"0x%llx\"", i ? "," : "",
				      (unsigned long long)mask);
	}
	snprintf(text, sizeof(text), PROFILEKIT_HASHED_BY("%s"), masks);
	return profilekit_open(text, BYTES, seed);
}

START_TEST(is_decided_by_time)
{
	if (!is_in_part_of(_i, HASHES * SEEDS))
		return;

	uint64_t seed = (uint64_t)_i + 1;
	struct machine *m = open_hashed(hashes[(size_t)_i % HASHES], seed);
	const struct cache_result *c;
	struct hierarchy h;
	struct prober p;

	prober_begin(&p, m, seed);
	p.by = PROBER_BY_TIME;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	ck_assert_int_eq(h.cache_count, 2);
	c = &h.caches[1];
	ck_assert_msg(parameter_is_measured(&c->sets), "%s", c->sets.reason);
	ck_assert_double_eq(c->sets.value, 1 << SET_BITS);
	ck_assert_double_eq(c->ways.value, 8);
	ck_assert_double_eq(c->capacity_bytes.value, 131072);
	ck_assert_double_eq(c->line_bytes.value, 64);
	ck_assert_int_eq(c->index, INDEX_HASHED);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("evset small");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, is_decided_by_time, 0, (int)(HASHES * SEEDS));
	suite_add_tcase(s, t);
	return s;
}
