// SPDX-License-Identifier: GPL-2.0
/*
 * bench_index.c - questions that an index function takes, against the best
 * figures known (algorithms 3.3: 68 for 8 slices in a GiB, answers that never
 * err, one eviction set).
 *
 * The search of that figure is done here too, on the same oracle: from each
 * bit down, sums of up to three higher bits that are independent, one line a
 * question; bits that select a set inside a slice are tried by themselves.
 */
#include <stdio.h>

#include "base/gf2.h"
#include "bench.h"
#include "method/index/find.h"

#define LINE_BIT 6
#define HIGH_BIT 29
#define INNER_BITS 10
#define MOST_SLICE_BITS 6
#define WAYS 16
#define SEEDS 100
#define REFERENCE 68
#define MOST_RATIO 1.2
#define KILO 1000.0

/**
 * struct cost - of one index function
 * @questions: their number
 * @loads: lines of all of them
 */
struct cost {
	double questions;
	double loads;
};

/**
 * struct truth - an index of slices over sets by low bits
 * @masks: of the slices
 * @mask_count: their number
 * @lines: of the eviction set
 * @set: these
 * @spent: cost so far
 */
struct truth {
	uint64_t masks[MOST_SLICE_BITS];
	size_t mask_count;
	uint64_t lines[WAYS];
	struct index_set set;
	struct cost spent;
};

static uint64_t set_of(const struct truth *t, uint64_t address)
{
	uint64_t set = address >> LINE_BIT & ((1 << INNER_BITS) - 1);

	for (size_t i = 0; i < t->mask_count; i++)
		set |= (uint64_t)gf2_parity(address, t->masks[i])
		       << (INNER_BITS + i);
	return set;
}

static int ask(void *context, size_t set, const uint64_t *lines, size_t count,
	       enum verdict *verdict, struct failure *f)
{
	struct truth *t = context;

	(void)set;
	(void)f;
	t->spent.questions++;
	t->spent.loads += (double)(WAYS + count);
	*verdict = VERDICT_COMPACT;
	for (size_t i = 0; i < count; i++)
		if (set_of(t, lines[i]) == set_of(t, t->lines[0]))
			*verdict = VERDICT_NON_COMPACT;
	return 0;
}

static uint64_t random_line(struct rng *rng)
{
	return rng_next(rng) & ((UINT64_C(2) << HIGH_BIT) - (1 << LINE_BIT));
}

/* @given: lines of the eviction set, at random places. */
static void begin(struct truth *t, size_t slice_bits, size_t given,
		  uint64_t seed)
{
	static const uint64_t published[] = { 0x1b5f575440, 0x2eb5faa880,
					      0x3cccc93100 };
	struct rng rng = { seed };
	size_t count = 1;

	*t = (struct truth){ .mask_count = slice_bits };
	for (size_t i = 0; i < slice_bits; i++)
		t->masks[i] = slice_bits == 3 ? published[i] :
						random_line(&rng);
	t->lines[0] = random_line(&rng);
	while (count < given) {
		uint64_t line = random_line(&rng);

		if (set_of(t, line) == set_of(t, t->lines[0]))
			t->lines[count++] = line;
	}
	t->set = (struct index_set){ t->lines, given };
}

static bool is_member(struct truth *t, uint64_t difference)
{
	uint64_t line = t->lines[0] ^ difference;
	enum verdict verdict;

	ask(t, 0, &line, 1, &verdict, NULL);
	return verdict == VERDICT_NON_COMPACT;
}

/* Return: whether a sum of @left more of the first @count bits cancels. */
static bool cancels(struct truth *t, uint64_t sum, const uint64_t *bits,
		    size_t count, size_t left)
{
	if (!left)
		return is_member(t, sum);
	while (count-- >= left)
		if (cancels(t, sum ^ bits[count], bits, count, left - 1))
			return true;
	return false;
}

/* @all: sums of any number of bits, also of those that select inner sets. */
static struct cost ask_reference(struct truth *t, bool all)
{
	uint64_t independent[HIGH_BIT];
	size_t count = 0;

	t->spent = (struct cost){ 0, 0 };
	for (unsigned int b = HIGH_BIT; b >= LINE_BIT; b--) {
		size_t most = b < LINE_BIT + INNER_BITS ? 0 : 3;
		bool found = false;

		for (size_t w = 0;
		     w <= (all ? count : most) && w <= count && !found; w++)
			found = cancels(t, UINT64_C(1) << b, independent, count,
					w);
		if (!found && (most || all))
			independent[count++] = UINT64_C(1) << b;
	}
	return t->spent;
}

static size_t true_rank(const struct truth *t)
{
	struct gf2_space rows = { .rank = 0 };

	for (unsigned int i = 0; i < INNER_BITS; i++)
		gf2_add(&rows, UINT64_C(1) << (LINE_BIT + i));
	for (size_t i = 0; i < t->mask_count; i++)
		gf2_add(&rows, t->masks[i] & ((UINT64_C(2) << HIGH_BIT) - 1));
	return rows.rank;
}

/**
 * struct total - mean of all seeds
 * @reference: cost of the published search
 * @thorough: the same with all sums
 * @ours: cost of our search; its loads include those of @checked
 * @checked: questions that only confirm, not counted in @ours
 * @wrong: answers that are undecided or whose rank is wrong
 */
struct total {
	struct cost reference;
	struct cost thorough;
	struct cost ours;
	double checked;
	int wrong;
};

static void add(struct cost *sum, const struct cost *c)
{
	sum->questions += c->questions / SEEDS;
	sum->loads += c->loads / SEEDS;
}

static struct total measure(size_t slice_bits, size_t given, size_t most_lines,
			    struct failure *f)
{
	struct total total = { .wrong = 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct index_function found;
		struct cost c;
		struct truth t;
		const struct index_oracle oracle = {
			.test = ask,
			.context = &t,
			.sets = &t.set,
			.set_count = 1,
			.low_bit = LINE_BIT,
			.high_bit = HIGH_BIT,
			.most_lines = most_lines,
			.most_alike = WAYS,
			.false_yes = 1e-6,
			.false_no = 1e-6,
		};

		begin(&t, slice_bits, given, seed);
		c = ask_reference(&t, false);
		add(&total.reference, &c);
		c = ask_reference(&t, true);
		add(&total.thorough, &c);
		t.spent = (struct cost){ 0, 0 };
		if (index_find(&oracle, seed, &found, f))
			break;
		t.spent.questions -= (double)found.checked;
		add(&total.ours, &t.spent);
		total.checked += (double)found.checked / SEEDS;
		total.wrong += found.kind != INDEX_HASHED ||
			       found.rank != true_rank(&t);
	}
	return total;
}

static void print_row(size_t slice_bits, size_t given, size_t most_lines,
		      const struct total *t)
{
	printf("%6zu %5zu %5zu %7.1f %7.1f %6.2f %7.1f %8.2f %8.2f %6.2f %8.2f %6.2f%s\n",
	       (size_t)1 << slice_bits, given, most_lines, t->ours.questions,
	       t->reference.questions,
	       t->ours.questions / t->reference.questions, t->checked,
	       t->ours.loads / KILO, t->reference.loads / KILO,
	       t->ours.loads / t->reference.loads, t->thorough.loads / KILO,
	       t->ours.loads / t->thorough.loads, t->wrong ? "  WRONG" : "");
}

/* The cost of a function without previous results, with its eviction set. */
static int print_whole(const struct total *t, struct failure *f)
{
	double ours = 0, best = 0;
	int error = bench_evset_accesses(&ours, &best, f);

	if (error)
		return error;
	ours += t->ours.loads;
	best += t->reference.loads;
	printf("thousands of loads for 8 slices, with the eviction set (of 16 ways among 64 sets):\nours %.1f, best %.1f, ratio %.2f\n",
	       ours / KILO, best / KILO, ours / best);
	if (ours > MOST_RATIO * best)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"bench: an index function takes more than %.1f times the loads of the reference",
			MOST_RATIO);
	return 0;
}

int bench_index(struct failure *f)
{
	static const size_t given[] = { 1, WAYS }, most[] = { 1024, 256 };
	struct total eight = { .wrong = 0 };
	bool cheap = true;

	printf("\nan index function in a GiB, means of %d, by lines known before and lines of one question; best:\n%d questions for 8 slices, most sums of bits untried; all: the same, no sum untried, as ours\n%18s %30s %40s\n%6s %5s %5s %7s %7s %6s %7s %8s %8s %6s %8s %6s\n",
	       SEEDS, REFERENCE, "", "questions", "thousands of loads",
	       "slices", "known", "lines", "ours", "best", "ratio", "checks",
	       "ours", "best", "ratio", "all", "ratio");
	for (size_t i = 0; i < 16; i++) {
		size_t bits = 2 + i / 4, m = i % 2;
		struct total t = measure(bits, given[i / 2 % 2], most[m], f);

		print_row(bits, given[i / 2 % 2], most[m], &t);
		if (t.wrong)
			return fail(
				f, STATUS_FAILED, EINVAL,
				"bench: an index function is wrong or undecided");
		cheap &= t.ours.loads <= MOST_RATIO * t.thorough.loads;
		if (bits == 3 && i % 4 == 0)
			eight = t;
		if (bits == 3 && !m)
			cheap &= t.ours.questions <= MOST_RATIO * REFERENCE;
	}
	if (!cheap)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"bench: an index function takes more than %.1f times the questions or loads of the reference",
			MOST_RATIO);
	return print_whole(&eight, f);
}
