// SPDX-License-Identifier: GPL-2.0
/* check_reference_strings.c - the reference strings of Cooper and Sandoval. */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "sequence/reference_strings.h"
#include "suites.h"

#define PAGE UINT64_C(4096)
#define BASE (5 * PAGE)

static struct rng seeded(void)
{
	uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);

	printf("strings: seed %llu\n", (unsigned long long)seed);
	return (struct rng){ seed };
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool is_sorted(const struct sequence *s)
{
	for (size_t i = 1; i < s->length; i++)
		if (s->offsets[i] < s->offsets[i - 1])
			return false;
	return true;
}

static void sort(struct sequence *s)
{
	qsort(s->offsets, s->length, sizeof(*s->offsets), by_value);
}

START_TEST(gap_has_its_locations)
{
	struct rng rng = seeded();
	struct sequence s;

	ck_assert(!string_gap(&s, BASE, 9, 1024, 64, &rng));
	ck_assert_uint_eq(s.length, 9);
	ck_assert(!is_sorted(&s));
	sort(&s);
	for (size_t i = 0; i < 8; i++)
		ck_assert_uint_eq(s.offsets[i], BASE + i * 1024);
	ck_assert_uint_eq(s.offsets[8], BASE + UINT64_C(8) * 1024 + 64);
	sequence_free(&s);
}
END_TEST

/* The same pages, and no more than two words in any set of 32 lines. */
START_TEST(twin_of_a_gap_conflicts_nowhere)
{
	struct rng rng = seeded();
	struct sequence s;
	int used[32] = { 0 };

	ck_assert(!string_gap_twin(&s, BASE, 33, 4 * PAGE, PAGE, &rng));
	ck_assert_uint_eq(s.length, 33);
	ck_assert(!sequence_check(&s));
	for (size_t i = 0; i < s.length; i++)
		ck_assert_int_le(++used[s.offsets[i] % PAGE / 128], 2);
	sort(&s);
	for (size_t i = 0; i < s.length; i++)
		ck_assert_uint_eq(s.offsets[i] / PAGE, BASE / PAGE + i * 4);
	sequence_free(&s);
}
END_TEST

/* Each line of the array once, and nothing outside. */
static void check_cover(const struct string_array *a, const struct sequence *s)
{
	struct sequence sorted = { calloc(s->length, sizeof(uint64_t)),
				   s->length };

	ck_assert_uint_eq(s->length, a->bytes / a->line_bytes);
	memcpy(sorted.offsets, s->offsets, s->length * sizeof(uint64_t));
	sort(&sorted);
	for (size_t i = 0; i < s->length; i++)
		ck_assert_uint_eq(sorted.offsets[i],
				  a->base + i * a->line_bytes);
	sequence_free(&sorted);
}

/* Visits of pages: positions at which the page changes. */
static size_t count_visits(const struct string_array *a,
			   const struct sequence *s)
{
	size_t visits = 1;

	for (size_t i = 1; i < s->length; i++)
		visits += (s->offsets[i] - a->base) / a->page_bytes !=
			  (s->offsets[i - 1] - a->base) / a->page_bytes;
	return visits;
}

static size_t count_ascents(const struct sequence *s)
{
	size_t ascents = 0;

	for (size_t i = 1; i < s->length; i++)
		ascents += s->offsets[i] > s->offsets[i - 1];
	return ascents;
}

/* With a partial last page, pages of a line, an array of less than a page. */
START_TEST(cache_string_goes_page_by_page)
{
	static const struct string_array arrays[] = {
		{ BASE, 20 * PAGE, PAGE, 64, 1 },
		{ BASE, 20 * PAGE + 3 * 128, PAGE, 128, 0 },
		{ BASE, 1024, PAGE, 64, 1 },
		{ BASE, 64, PAGE, 64, 1 },
		{ BASE, 50 * PAGE, 64, 64, 1 },
	};
	const struct string_array *a = &arrays[_i];
	struct rng rng = seeded();
	struct sequence s;
	size_t pages = (a->bytes + a->page_bytes - 1) / a->page_bytes, ascents;

	ck_assert(!string_cache(&s, a, &rng));
	check_cover(a, &s);
	ck_assert_uint_eq(count_visits(a, &s), pages);
	ascents = count_ascents(&s);
	if (s.length > 10) {
		ck_assert_uint_gt(ascents, s.length / 4);
		ck_assert_uint_lt(ascents, s.length * 3 / 4);
	}
	sequence_free(&s);
}
END_TEST

START_TEST(cache_string_comes_back_to_pages)
{
	const struct string_array a = { BASE, 20 * PAGE + 128, PAGE, 64, 2 };
	struct rng rng = seeded();
	struct sequence s;
	size_t visits;

	ck_assert(!string_cache(&s, &a, &rng));
	check_cover(&a, &s);
	visits = count_visits(&a, &s);
	ck_assert_uint_eq(visits, 2 * 21);
	/* As many pages lie between the visits of any page. */
	for (size_t i = 0; i + 32 < s.length / 2; i += 32)
		ck_assert_uint_eq(s.offsets[i] / PAGE,
				  s.offsets[i + s.length / 2] / PAGE);
	sequence_free(&s);
}
END_TEST

START_TEST(cache_string_is_another_each_time)
{
	const struct string_array a = { BASE, 20 * PAGE, PAGE, 64, 1 };
	struct rng rng = seeded();
	struct sequence s, t;

	ck_assert(!string_cache(&s, &a, &rng));
	ck_assert(!string_cache(&t, &a, &rng));
	ck_assert_mem_ne(s.offsets, t.offsets, s.length * sizeof(uint64_t));
	sequence_free(&s);
	sequence_free(&t);
}
END_TEST

/* Both patterns share lines of 64 bytes with 32 bytes a stripe, and do not with
 * 64.
 */
START_TEST(stripes_fit_into_holes)
{
	const uint64_t pages[] = { 7 * PAGE, 2 * PAGE, 30 * PAGE, 4 * PAGE };
	uint64_t stripe = UINT64_C(8) << _i;
	size_t half = PAGE / stripe;
	struct rng rng = seeded();
	struct sequence s;

	ck_assert(!string_stripes(&s, pages, 4, PAGE, stripe, &rng));
	ck_assert_uint_eq(s.length, 2 * half);
	ck_assert(!sequence_check(&s));
	for (size_t i = 0; i < s.length; i++) {
		uint64_t page = s.offsets[i] / PAGE * PAGE;
		uint64_t in = s.offsets[i] % PAGE;
		bool first = i < half;

		ck_assert(page == pages[first ? 0 : 2] ||
			  page == pages[first ? 1 : 3]);
		ck_assert_uint_eq(in % (2 * stripe), first ? 0 : stripe);
	}
	if (half > 16)
		ck_assert_uint_lt(count_ascents(&s), s.length * 3 / 4);
	sequence_free(&s);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("strings");

	tcase_add_test(t, gap_has_its_locations);
	tcase_add_test(t, twin_of_a_gap_conflicts_nowhere);
	tcase_add_loop_test(t, cache_string_goes_page_by_page, 0, 5);
	tcase_add_test(t, cache_string_comes_back_to_pages);
	tcase_add_test(t, cache_string_is_another_each_time);
	tcase_add_loop_test(t, stripes_fit_into_holes, 0, 9);
	suite_add_tcase(suite, t);
	return suite;
}
