// SPDX-License-Identifier: GPL-2.0
/* check_line.c - line size from a minimal set, with an ideal oracle. */
#include "method/evset/stages.h"
#include "suites.h"

#define WAY_BYTES 4096
#define WAYS 4

static struct failure f;

/**
 * struct level - what the oracle knows
 * @line_bytes: line size
 * @held: ways of the set that a neighbour holds
 * @leaves_after: questions; 0: never
 */
static struct level {
	uint64_t line_bytes;
	size_t held;
	unsigned int leaves_after;
	unsigned int list_plan;
} level;

static int compact(void *context, const uint64_t *lines, size_t count,
		   bool surely, enum verdict *verdict, struct failure *failure)
{
	const size_t sets = WAY_BYTES / level.line_bytes;
	size_t in[WAY_BYTES / 8] = { 0 };
	uint64_t seen[EVSET_MOST_WAYS + 1];
	size_t n = 0;

	(void)context;
	(void)surely;
	(void)failure;
	if (++level.list_plan == level.leaves_after)
		level.held = 0;
	*verdict = VERDICT_COMPACT;
	for (size_t i = 0; i < count; i++) {
		const uint64_t line = lines[i] / level.line_bytes;

		if (evset_holds(seen, n, line))
			continue;
		seen[n++] = line;
		if (++in[line % sets] > WAYS - level.held)
			*verdict = VERDICT_NON_COMPACT;
	}
	return 0;
}

/* As many lines of set 0 as do not fit, below lines of @above bytes, or none.
 * Return: line size, 0: undecided.
 */
static uint64_t line_below(uint64_t above, struct level l)
{
	const struct xray_level upper = { .line_bytes = above };
	struct evset_set set = { .count = WAYS - l.held + 1 };
	struct xray x = { .upper = &upper, .upper_count = above ? 1 : 0 };
	struct evset_machine e = { .x = &x, .o.compact = compact };
	char reason[160] = "";
	uint64_t bytes = 1;

	for (size_t i = 0; i < set.count; i++)
		set.lines[i] = i * WAY_BYTES;
	level = l;
	ck_assert_int_eq(evset_measure_line(&e, &set, &bytes, reason,
					    sizeof(reason), &f),
			 0);
	ck_assert(bytes || reason[0]);
	return bytes;
}

static uint64_t line_of(struct level l)
{
	return line_below(0, l);
}

START_TEST(length_of_lines)
{
	for (uint64_t bytes = 8; bytes <= 512; bytes *= 2) {
		ck_assert_uint_eq(
			line_of((struct level){ .line_bytes = bytes }), bytes);
		ck_assert_uint_eq(line_of((struct level){ .line_bytes = bytes,
							  .held = 1 }),
				  bytes);
	}
	/* No word that far away is surely in the same line. */
	ck_assert_uint_eq(line_of((struct level){ .line_bytes = 1024 }), 0);
}
END_TEST

/* No level asks for less than a line of the one above. */
START_TEST(lines_above)
{
	ck_assert_uint_eq(line_below(64, (struct level){ .line_bytes = 64 }),
			  64);
	ck_assert_uint_eq(line_below(32, (struct level){ .line_bytes = 32 }),
			  32);
	ck_assert_uint_eq(line_below(64, (struct level){ .line_bytes = 32 }),
			  0);
	ck_assert_uint_eq(line_below(32, (struct level){ .line_bytes = 8 }), 0);
}
END_TEST

/* When a neighbour leaves, anything seems to fit: right or undecided. */
START_TEST(contention_ends)
{
	unsigned int decided = 0, open = 0, n = 1;

	for (; n == 1 || level.list_plan >= n - 1; n++) {
		const uint64_t bytes = line_of((struct level){
			.line_bytes = 64, .held = 1, .leaves_after = n });

		ck_assert_msg(!bytes || bytes == 64, "question %u: %d bytes", n,
			      (int)bytes);
		decided += !!bytes;
		open += !bytes;
	}
	ck_assert_uint_gt(decided, 0);
	ck_assert_uint_gt(open, 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("line");

	tcase_add_test(t, length_of_lines);
	tcase_add_test(t, lines_above);
	tcase_add_test(t, contention_ends);
	suite_add_tcase(suite, t);
	return suite;
}
