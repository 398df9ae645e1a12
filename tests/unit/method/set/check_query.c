// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "method/policy/set_model.h"
#include "method/set/query.h"
#include "sequence/access_query.h"
#include "suites.h"

#define WAYS 3

/* What a query came out as: "A B! A?". */
static void write_out(const struct query *q, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < q->length && at < size; i++) {
		const struct query_access *a = &q->accesses[i];

		at += (size_t)snprintf(text + at, size - at, "%s%s%s%s",
				       i ? " " : "", q->names[a->line],
				       a->measured ? "?" : "",
				       a->flush ? "!" : "");
	}
}

static const struct {
	const char *text;
	const char *means;
	unsigned int lines;
	size_t measured;
} right[] = {
	{ "A", "A", 1, 0 },
	{ "A B C A?", "A B C A?", 3, 1 },
	{ "A?B!C", "A? B! C", 3, 1 },
	{ "  line1\tline2 line1? ", "line1 line2 line1?", 2, 1 },
	{ "(A B?)3", "A B? A B? A B?", 2, 3 },
	{ "(A)", "A", 1, 0 },
	{ "@", "@1 @2 @3", 3, 0 },
	{ "@?", "@1? @2? @3?", 3, 3 },
	{ "@ @", "@1 @2 @3 @4 @5 @6", 6, 0 },
	{ "@ A _?", "@1 @2 @3 A @1? @2? @3?", 4, 3 },
	{ "A B _? _!", "A B A? B? A! B!", 2, 2 },
	{ "@ (X)2 @1?", NULL, 0, 0 },
	{ "A (B _)2", "A B A B B A B", 2, 0 },
};

START_TEST(queries)
{
	struct failure f = { .text = "" };
	struct query q;
	char text[256];

	if (!right[_i].means) {
		/* A name begins behind the @: @ fills, 1 is a line. */
		ck_assert_int_eq(query_parse(&q, right[_i].text, WAYS, &f), 0);
		write_out(&q, text, sizeof(text));
		ck_assert_str_eq(text, "@1 @2 @3 X X @4 @5 @6 1?");
		query_free(&q);
		return;
	}
	ck_assert_msg(!query_parse(&q, right[_i].text, WAYS, &f), "%s: %s",
		      right[_i].text, f.text);
	write_out(&q, text, sizeof(text));
	ck_assert_str_eq(text, right[_i].means);
	ck_assert_uint_eq(q.lines, right[_i].lines);
	ck_assert_uint_eq(q.measured, right[_i].measured);
	query_free(&q);
}
END_TEST

static const struct {
	const char *text;
	const char *says;
} wrong[] = {
	{ "", "column 1: empty" },
	{ "   ", "column 4: empty" },
	{ "A ?", "column 3: nothing of the language" },
	{ "A??", "column 3: one mark too many" },
	{ "A?!", "column 3: one mark too many" },
	{ "A!!", "column 3: one mark too many" },
	{ "! A?", "column 1: nothing of the language" },
	{ "A? !", "column 4: nothing of the language" },
	{ "A #", "column 3: nothing of the language" },
	{ "(A", "column 1: nothing closes it" },
	{ "A)", "column 2: nothing of the language" },
	{ "((A))", "column 2: nothing of the language" },
	{ "(A)0", "column 4: cannot repeat" },
	{ "(A)1000", "column 4: cannot repeat" },
	{ "_", "column 1: no lines so far" },
	{ "abcdefghijklmnop", "column 1: name longer" },
	{ "(A B C)999", "more than 1024 accesses" },
	{ "A \x80", "column 3: nothing of the language" },
};

START_TEST(complaints)
{
	struct failure f = { .text = "" };
	struct query q;

	ck_assert_int_eq(query_parse(&q, wrong[_i].text, WAYS, &f), -EINVAL);
	ck_assert_msg(strstr(f.text, wrong[_i].says), "%s: %s", wrong[_i].text,
		      f.text);
	ck_assert_int_eq(f.status, STATUS_USAGE);
	ck_assert_ptr_null(q.accesses);
}
END_TEST

START_TEST(too_many_lines)
{
	char text[QUERY_LINES * 8] = "";
	struct failure f = { .text = "" };
	struct query q;
	size_t at = 0;

	for (int i = 0; i <= QUERY_LINES; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "L%d ", i);
	ck_assert_int_eq(query_parse(&q, text, WAYS, &f), -EINVAL);
	ck_assert_msg(strstr(f.text, "more than 256 lines"), "%s", f.text);
}
END_TEST

/* Whatever comes in, what comes out keeps its bounds. */
START_TEST(anything)
{
	static const char some[] = "ABc1 ?!@_()29\t#\xff";
	struct rng rng = { from_environment("PROBE_PHYS_SEED", 20261121) };

	printf("queries: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)rng.state);
	for (int i = 0; i < 20000; i++) {
		struct failure f = { .text = "" };
		char text[64];
		struct query q;
		size_t length = rng_below(&rng, sizeof(text)), measured = 0;

		for (size_t j = 0; j < length; j++)
			text[j] = some[rng_below(&rng, sizeof(some) - 1)];
		text[length] = '\0';
		if (query_parse(&q, text, 1 + (unsigned int)rng_below(&rng, 24),
				&f)) {
			ck_assert(strstr(f.text, "query: column "));
			continue;
		}
		ck_assert(q.length && q.length <= QUERY_ACCESSES);
		ck_assert(q.lines && q.lines <= QUERY_LINES);
		for (size_t j = 0; j < q.length; j++) {
			ck_assert_uint_lt(q.accesses[j].line, q.lines);
			measured += q.accesses[j].measured;
		}
		ck_assert_uint_eq(measured, q.measured);
		query_free(&q);
	}
}
END_TEST

/** struct lru - a set of four ways; @deaf: flushes do nothing */
struct lru {
	struct policy_set set;
	bool deaf;
};

#define ROUNDS 8

static int misses(void *context, const struct cycle *c, double *per_round,
		  struct failure *f)
{
	struct lru *l = context;
	unsigned int sum = 0;

	(void)f;
	for (int round = 0; round < 2 * ROUNDS; round++) {
		size_t flushed = 0;

		for (size_t i = 0; i <= c->length; i++) {
			for (; flushed < c->flush_count &&
			       c->flushes[flushed].at == i;
			     flushed++)
				if (!l->deaf)
					policy_set_drop(
						&l->set,
						c->flushes[flushed].block);
			if (i < c->length &&
			    policy_set_access(&l->set, c->blocks[i]))
				sum += round >= ROUNDS;
		}
		ck_assert_uint_eq(flushed, c->flush_count);
	}
	*per_round = (double)sum / ROUNDS;
	return 0;
}

/* What a query says of LRU in four ways: h or m for each measured access. */
static int ask_lru(struct lru *l, bool flushes, const char *text, char *said,
		   struct failure *f)
{
	const struct profile_policy policy = { .name = PROFILE_LRU };
	const struct set_oracle oracle = { .ways = 4,
					   .blocks = 16,
					   .most_visits = 8,
					   .most_accesses = 128,
					   .flushes_lines = flushes,
					   .misses = misses,
					   .context = l };
	struct set_query_answer all[16];
	struct query q;
	int error;

	ck_assert_int_eq(policy_set_begin(&l->set, &policy, HABIT_NONE, 4), 0);
	ck_assert_int_eq(query_parse(&q, text, 4, f), 0);
	error = set_query_run(&oracle, &q, all, f);
	for (size_t i = 0; !error && i < q.measured; i++) {
		ck_assert(all[i].agreed);
		ck_assert(all[i].misses == 0 || all[i].misses == 1);
		*said++ = all[i].misses > 0 ? 'm' : 'h';
	}
	*said = '\0';
	query_free(&q);
	policy_set_end(&l->set);
	return error;
}

static const struct {
	const char *text;
	const char *says;
} answers[] = {
	{ "A B A?", "h" },
	{ "A B A! A?", "m" },
	{ "A B! A?", "h" },
	{ "A! A? A?", "mh" },
	{ "A B A? B! A? B? B?", "hhmh" },
	{ "A A! B A?", "m" },
	/* The fifth line takes the way that was freed, not the oldest one. */
	{ "A B C D E A?", "m" },
	{ "A B C D B! E A?", "h" },
	{ "A B C D B! E F A?", "m" },
	/* Flushed twice it leaves one way only. */
	{ "A B C D B! B! E F A?", "m" },
	{ "A B C D B! C! E F A?", "h" },
	{ "@ _! _?", "mmmm" },
	{ "(A A! A?)3 A?", "mmmh" },
	/* What is flushed at the end makes no difference. */
	{ "A A? A!", "h" },
};

START_TEST(flushed_lines)
{
	struct failure f = { .text = "" };
	struct lru l = { .deaf = false };
	char said[17];

	ck_assert_msg(!ask_lru(&l, true, answers[_i].text, said, &f), "%s",
		      f.text);
	ck_assert_msg(!strcmp(said, answers[_i].says), "%s: %s, not %s",
		      answers[_i].text, said, answers[_i].says);
}
END_TEST

/* Said, not answered wrongly; what flushes nothing is answered anyway. */
START_TEST(no_flush)
{
	struct failure f = { .text = "" };
	struct lru l = { .deaf = true };
	char said[17];

	ck_assert_int_eq(ask_lru(&l, false, "A A! A?", said, &f), -EOPNOTSUPP);
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	ck_assert_msg(strstr(f.text, "cannot flush single lines"), "%s",
		      f.text);
	f = (struct failure){ .text = "" };
	ck_assert_int_eq(ask_lru(&l, true, "A A! A?", said, &f), -EOPNOTSUPP);
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	ck_assert_msg(strstr(f.text, "flushing does nothing here"), "%s",
		      f.text);
	ck_assert_int_eq(ask_lru(&l, false, "A A?", said, &f), 0);
	ck_assert_str_eq(said, "h");
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *tests = tcase_create("language");

	tcase_add_loop_test(tests, queries, 0,
			    sizeof(right) / sizeof(right[0]));
	tcase_add_loop_test(tests, complaints, 0,
			    sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tests, too_many_lines);
	tcase_add_test(tests, anything);
	tcase_add_loop_test(tests, flushed_lines, 0,
			    sizeof(answers) / sizeof(answers[0]));
	tcase_add_test(tests, no_flush);
	suite_add_tcase(suite, tests);
	return suite;
}
