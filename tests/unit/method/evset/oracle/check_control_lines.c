// SPDX-License-Identifier: GPL-2.0
/* check_control_lines.c - lines that hit, in the pages of a list that may not.
 */
#include <stdlib.h>

#include "method/evset/oracle/list_walk.h"
#include "suites.h"

#define PAGE 4096
#define LINE 64
#define PLACES (PAGE / LINE)
#define WAYS 8
#define SET_BITS 11
#define EVICTORS 18
#define PAGES 65536
#define SEEDS 30
#define MOST 4096

/* Each bit of a set is the XOR of three of the address, as in adv-hashed-l2. */
static size_t set_of(uint64_t line)
{
	size_t set = 0;

	for (unsigned int i = 0; i < SET_BITS; i++)
		set |= (size_t)((line >> (6 + i) ^ line >> (17 + i) ^
				 line >> (23 + i)) &
				1)
		       << i;
	return set;
}

/* All that the functions under test sample at. */
struct bench {
	struct prober p;
	struct xray x;
	struct evset_machine e;
	uint64_t lines[MOST];
	struct sequence list;
};

static void bench_begin(struct bench *b, uint64_t seed)
{
	*b = (struct bench){ .p.rng = { seed } };
	b->x.prober = &b->p;
	b->e = (struct evset_machine){ .x = &b->x, .window.low_bytes = PAGE };
	b->e.o.upper_evictors = EVICTORS;
	b->list.offsets = b->lines;
}

static bool holds(const struct bench *b, uint64_t line)
{
	for (size_t i = 0; i < b->list.length; i++)
		if (b->lines[i] == line)
			return true;
	return false;
}

static void add(struct bench *b, uint64_t line)
{
	if (!holds(b, line))
		b->lines[b->list.length++] = line;
}

/* A line at an offset of a random page, in the set of @like or not. */
static uint64_t pick(struct bench *b, uint64_t at, uint64_t like, bool member)
{
	uint64_t line;

	do {
		line = rng_below(&b->p.rng, PAGES) * PAGE + at;
	} while (holds(b, line) || (set_of(line) == set_of(like)) != member);
	return line;
}

/* As in a search: is one of the lines that differ from one of a set in a bit,
 * and in any of @bits above a page, in that set?
 */
static void arrange(struct bench *b, uint64_t bit, size_t bits)
{
	uint64_t at = rng_below(&b->p.rng, PLACES) * LINE;
	uint64_t base = rng_below(&b->p.rng, PAGES) * PAGE + at;

	add(b, base);
	while (b->list.length < WAYS)
		add(b, pick(b, at, base, true));
	while (b->list.length < WAYS + EVICTORS)
		add(b, pick(b, at, base, false));
	for (uint64_t i = 0; i < (uint64_t)1 << bits; i++)
		add(b, base ^ bit ^ i * PAGE);
	for (int i = 0; i < EVICTORS && bit % PAGE; i++)
		add(b, pick(b, at ^ bit, base, false));
}

static size_t most_in_a_set(const struct sequence *s)
{
	size_t counts[1 << SET_BITS] = { 0 }, most = 0;

	for (size_t i = 0; i < s->length; i++)
		if (++counts[set_of(s->offsets[i])] > most)
			most = counts[set_of(s->offsets[i])];
	return most;
}

/* Only other lines of the same pages, in the same order, none twice; all in
 * sets of the level above that have enough lines to miss there.
 */
static void check_lines(const struct bench *b, struct sequence *s)
{
	size_t places[PLACES] = { 0 };

	ck_assert_uint_eq(s->length, b->list.length);
	for (size_t i = 0; i < s->length; i++) {
		ck_assert_uint_eq(s->offsets[i] / PAGE, b->lines[i] / PAGE);
		ck_assert(s->offsets[i] % PAGE != b->lines[i] % PAGE);
		places[s->offsets[i] % PAGE / LINE]++;
	}
	for (size_t i = 0; i < PLACES; i++)
		ck_assert_msg(!places[i] || places[i] >= EVICTORS,
			      "%zu lines in a set above", places[i]);
	ck_assert_int_eq(sequence_check(s), 0);
}

/* The control hits where the list does not, whatever the bit. */
START_SLOW_TEST(test_twin_hits)
{
	static const uint64_t bits[] = { 0x40, 0x800, 1 << 17, 1 << 22 };
	size_t overflows = 0, lists = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (size_t i = 0; i < 4 * 7; i++) {
			struct bench b;
			struct sequence s;

			bench_begin(&b, seed);
			arrange(&b, bits[i % 4], 5 + i / 4);
			if (!evset_has_control_lines(&b.e, b.lines,
						     b.list.length))
				continue;
			lists++;
			overflows += most_in_a_set(&b.list) > WAYS;
			ck_assert_int_eq(evset_control_lines(&b.e, &b.list,
							     WAYS, &s),
					 0);
			check_lines(&b, &s);
			ck_assert_msg(
				most_in_a_set(&s) <= WAYS,
				"seed %d, bit %#llx, %zu lines: %zu in one set",
				(int)seed, (unsigned long long)bits[i % 4],
				b.list.length, most_in_a_set(&s));
			sequence_free(&s);
		}
	/* Otherwise the test is void. */
	ck_assert_msg(lists > SEEDS * 16 && overflows > lists / 4,
		      "%zu of %zu lists overflow", overflows, lists);
}
END_TEST

/* Few lines would hit above, at whatever offset in their pages. */
START_TEST(test_when_it_can)
{
	struct bench b;

	bench_begin(&b, 1);
	for (size_t i = 0; i < 4 * EVICTORS; i++)
		add(&b, i * PAGE);
	ck_assert(!evset_has_control_lines(&b.e, b.lines, b.list.length));
	add(&b, b.list.length * PAGE);
	ck_assert(evset_has_control_lines(&b.e, b.lines, b.list.length));
	/* A second offset needs as many lines as miss there. */
	for (size_t i = 1; i < EVICTORS; i++)
		add(&b, i * PAGE + LINE);
	ck_assert(!evset_has_control_lines(&b.e, b.lines, b.list.length));
	add(&b, LINE);
	ck_assert(evset_has_control_lines(&b.e, b.lines, b.list.length));
	add(&b, 2 * LINE);
	ck_assert(!evset_has_control_lines(&b.e, b.lines, b.list.length));
	/* Without a level above, few lines are enough. */
	b.e.o.upper_evictors = 0;
	ck_assert(!evset_has_control_lines(&b.e, b.lines, b.list.length - 1));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("twin");

	tcase_add_test(t, test_twin_hits);
	tcase_add_test(t, test_when_it_can);
	suite_add_tcase(s, t);
	return s;
}
