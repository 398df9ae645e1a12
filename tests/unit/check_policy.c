// SPDX-License-Identifier: GPL-2.0
/* Replacement policies identified on sets whose policy is known. */
#include <stdio.h>
#include <stdlib.h>

#include "method/policy_identify.h"
#include "suites.h"

#define WARM_ROUNDS 60
#define ROUNDS 24
/* Of sets that throw dice, as a machine counts: samples of many rounds each. */
#define DICE_ROUNDS 128
/* Blocks that nobody asks for. */
#define STRANGER 200000
/* Questions until one class is left. */
#define MOST_CYCLES 5

/**
 * struct known_set - a set under a policy, asked like one of a machine
 * @wrong: share of answers that are off
 * @burst: as many accesses a burst of somebody else lasts, and a pause after
 *         it; 0: nobody comes
 * @taken: in bursts, one line is taken in so many accesses
 * @accesses: so far
 * @rounds: that answers are means of; 0: ROUNDS
 */
struct known_set {
	struct policy_set set;
	struct rng rng;
	double wrong;
	unsigned int burst;
	unsigned int taken;
	unsigned int accesses;
	unsigned int rounds;
};

/* Somebody else's lines come into the set, in bursts. */
static void disturb(struct known_set *k)
{
	k->accesses++;
	if (k->burst && k->accesses / k->burst % 2 &&
	    !rng_below(&k->rng, k->taken))
		policy_set_access(&k->set, STRANGER + (unsigned int)rng_below(
							      &k->rng, 1000));
}

static int misses(void *context, const struct cycle *c, double *per_round,
		  struct failure *f)
{
	struct known_set *k = context;
	unsigned int sum = 0, rounds = k->rounds ? k->rounds : ROUNDS;

	(void)f;
	for (unsigned int i = 0; i < WARM_ROUNDS + rounds; i++) {
		for (size_t j = 0; c->cold && j < c->length; j++)
			policy_set_drop(&k->set, c->blocks[j]);
		/* Nobody asks it to flush later in a round. */
		for (size_t j = 0; j < c->flush_count && !c->flushes[j].at; j++)
			policy_set_drop(&k->set, c->flushes[j].block);
		for (size_t j = 0; j < c->length; j++) {
			bool miss = policy_set_access(&k->set, c->blocks[j]);

			sum += miss && i >= WARM_ROUNDS;
			disturb(k);
		}
	}
	*per_round = (double)sum / rounds;
	if (rng_uniform(&k->rng) < k->wrong)
		*per_round += 1 + (double)rng_below(&k->rng, 3);
	return 0;
}

static struct set_oracle oracle_for(struct known_set *k, unsigned int ways,
				    bool flushes)
{
	return (struct set_oracle){ .ways = ways,
				    .blocks = 4 * ways,
				    .most_visits = 8,
				    .most_accesses = 512,
				    .flushes = flushes,
				    .flushes_lines = flushes,
				    .misses = misses,
				    .context = k };
}

static uint64_t test_seed(void)
{
	const char *given = getenv("PROBE_PHYS_SEED");

	return given ? strtoull(given, NULL, 0) : 1;
}

static bool names(const struct policy_finding *found, const char *name)
{
	for (size_t i = 0; i < found->name_count; i++)
		if (!strcmp(found->names[i], name))
			return true;
	return false;
}

static void identify(const struct policy_book *book, struct known_set *k,
		     const struct hypothesis *truth, bool flushes,
		     struct policy_finding *found)
{
	struct set_oracle oracle = oracle_for(k, book->zoo.ways, flushes);
	struct profile_policy policy = truth->policy;
	struct failure f = { .text = "" };

	policy.seed = test_seed() + 77;
	k->rng.state = policy.seed;
	ck_assert_int_eq(policy_set_begin(&k->set, &policy, truth->habit,
					  book->zoo.ways),
			 0);
	ck_assert_int_eq(policy_identify(&oracle, book, found, &f), 0);
	policy_set_end(&k->set);
}

static const unsigned int sizes[] = { 4, 8, 12, 16 };

static void make_book(struct policy_book *book, unsigned int ways, bool flushes)
{
	struct set_oracle oracle = oracle_for(NULL, ways, flushes);

	ck_assert_int_eq(policy_book_make(book, &oracle, POLICY_SEED), 0);
}

/* What processors are known to have (algorithms of the literature). */
static bool is_real(const char *name)
{
	static const char *const real[] = {
		"LRU",
		"FIFO",
		"tree-PLRU",
		"bit-PLRU (MRU)",
		"MRU_N",
		"NRU",
		"LIP",
		"LRU3PLRU4",
		"MRU3PLRU4",
		"SRRIP-HP",
		"SRRIP-FP",
		"QLRU_H00_M1_R2_U1",
		"QLRU_H00_M1_R0_U1",
		"QLRU_H11_M1_R0_U0",
		"QLRU_H11_M1_R1_U2",
	};

	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++)
		if (!strcmp(real[i], name))
			return true;
	return false;
}

/* How many samples of the zoo are taken: the check-full target takes all. */
static unsigned int samples(void)
{
	const char *given = getenv("PROBE_PHYS_SEEDS");

	return given ? (unsigned int)strtoul(given, NULL, 0) : 1;
}

/* One of some tens is taken, by the seed; in fewer ways each takes less time. */
static bool is_sampled(size_t i, unsigned int ways, unsigned int how_many)
{
	unsigned int step = ways < 20 ? ways : 20;

	return (i + test_seed()) % step < how_many;
}

/*
 * Nothing is disturbed: each is found, to its class, with few questions. A tree
 * of 16 leaves over 12 ways never evicts from three of them: left open.
 */
START_TEST(exact)
{
	struct policy_book book;

	printf("policies: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)test_seed());
	make_book(&book, sizes[_i], false);
	for (size_t i = 0; i < book.zoo.deterministic; i++) {
		const struct hypothesis *h = &book.zoo.all[i];
		bool stuck = sizes[_i] == 12 && !strcmp(h->name, "tree-PLRU");
		struct known_set k = { .wrong = 0 };
		struct policy_finding found;

		if (!is_real(h->name) && !is_sampled(i, sizes[_i], samples()))
			continue;
		identify(&book, &k, h, false, &found);
		ck_assert_msg(found.kind == (stuck ? POLICY_UNDECIDED :
						     POLICY_KNOWN) &&
				      names(&found, h->name),
			      "%u ways, %s: %s %s %s", sizes[_i], h->name,
			      policy_kind_name(found.kind), found.names[0],
			      found.reason);
		ck_assert_msg(found.split <= MOST_CYCLES,
			      "%u ways, %s: %zu cycles", sizes[_i], h->name,
			      found.split);
	}
	policy_book_free(&book);
}
END_TEST

/* Answers are off now and then: found, or left open, never another one. */
START_TEST(disturbed)
{
	unsigned int found_some = 0;
	struct policy_book book;

	printf("policies: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)test_seed());
	make_book(&book, sizes[_i], false);
	for (size_t i = 0; i < book.zoo.deterministic; i++) {
		const struct hypothesis *h = &book.zoo.all[i];
		struct known_set k = { .wrong = 0.02 };
		struct policy_finding found;

		if (!is_real(h->name) && !is_sampled(i, sizes[_i], 1))
			continue;
		identify(&book, &k, h, false, &found);
		ck_assert_msg(found.kind == POLICY_UNDECIDED ||
				      (found.kind == POLICY_KNOWN &&
				       names(&found, h->name)),
			      "%u ways, %s: %s %s", sizes[_i], h->name,
			      policy_kind_name(found.kind), found.names[0]);
		found_some += found.kind == POLICY_KNOWN;
	}
	ck_assert_uint_gt(found_some, 12);
	policy_book_free(&book);
}
END_TEST

/* Flushing tells more of a class apart. */
START_TEST(free_ways)
{
	struct policy_book book;

	make_book(&book, 8, true);
	for (size_t i = 0; i < book.zoo.deterministic; i++) {
		const struct hypothesis *h = &book.zoo.all[i];
		struct known_set k = { .wrong = 0 };
		struct policy_finding found;

		if (strcmp(h->name, "MRU_N") &&
		    strcmp(h->name, "QLRU_H00_M1_R2_U1"))
			continue;
		identify(&book, &k, h, true, &found);
		ck_assert_int_eq(found.kind, POLICY_KNOWN);
		ck_assert(names(&found, h->name));
		ck_assert(!names(&found, "bit-PLRU (MRU)"));
		if (!found.reason[0])
			ck_assert(!names(&found, "QLRU_H00_M1_R0_U1"));
	}
	policy_book_free(&book);
}
END_TEST

/*
 * A tree of 16 leaves over 12 ways keeps what is in three of them: it is known
 * by what it does after a flush, unless a stranger is there.
 */
START_TEST(never_forgets)
{
	struct profile_policy policy = { .name = PROFILE_TREE_PLRU };
	struct known_set k = { .wrong = 0 };
	struct set_oracle oracle = oracle_for(&k, 12, true);
	struct policy_finding found;
	struct failure f = { .text = "" };
	struct policy_book book;

	make_book(&book, 12, true);
	k.rng.state = test_seed();
	ck_assert_int_eq(policy_set_begin(&k.set, &policy, HABIT_NONE, 12), 0);
	if (_i)
		policy_set_place(&k.set, 9, 100000);
	ck_assert_int_eq(policy_identify(&oracle, &book, &found, &f), 0);
	ck_assert_int_eq(found.kind, _i ? POLICY_UNDECIDED : POLICY_KNOWN);
	ck_assert(found.reason[0]);
	ck_assert(_i || (found.name_count == 1 && names(&found, "tree-PLRU")));
	policy_set_end(&k.set);
	policy_book_free(&book);
}
END_TEST

/* As processors throw them; Ivy Bridge's L3 has the last one in some sets. */
static const char *const thrown[] = {
	"random",   "BIP (1 of 32)", "BRRIP (1 of 32)",
	"RandPLRU", "PLRURand",	     "QLRU_H11_MR31_R1_U2"
};

#define DICE ((int)(sizeof(thrown) / sizeof(thrown[0])))

/* Of other ways only in long runs: averages take their time. */
static bool is_thrown_today(unsigned int ways)
{
	return ways == 4 || samples() >= 20;
}

/*
 * Dice are noticed, and how they are thrown is told; of many ways it may stay
 * open.
 */
START_TEST(dice)
{
	const char *name = thrown[_i % DICE];
	unsigned int ways = sizes[_i / DICE];
	struct policy_book book;

	if (!is_thrown_today(ways))
		return;
	make_book(&book, ways, false);
	for (size_t i = book.zoo.deterministic; i < book.zoo.count; i++) {
		const struct hypothesis *h = &book.zoo.all[i];
		struct known_set k = { .rounds = DICE_ROUNDS };
		struct policy_finding found;

		if (strcmp(h->name, name))
			continue;
		identify(&book, &k, h, false, &found);
		ck_assert_msg(found.kind == POLICY_RANDOMISED ||
				      found.kind == POLICY_UNDECIDED,
			      "%u ways, %s: %s %s", ways, h->name,
			      policy_kind_name(found.kind), found.names[0]);
		if (ways <= 8)
			ck_assert_msg(found.kind == POLICY_RANDOMISED, "%s: %s",
				      h->name, found.reason);
		if (found.kind == POLICY_RANDOMISED)
			ck_assert_msg(names(&found, h->name), "%u ways, %s: %s",
				      ways, h->name, found.names[0]);
	}
	policy_book_free(&book);
}
END_TEST

/* One way goes more often than the others. */
static unsigned int loaded_victim(struct policy *p, uint64_t set)
{
	(void)set;
	if (!rng_below(&p->rng, 4))
		return 0;
	return (unsigned int)rng_below(&p->rng, p->ways);
}

/**
 * struct stranger - none of the known, but like one of them
 * @name: of that one
 * @rarity: what is rare is so many times as frequent
 * @loaded: instead, dice that prefer a way
 */
struct stranger {
	const char *name;
	double rarity;
	bool loaded;
};

static const struct stranger strangers[] = {
	{ "random", 1, true },
	{ "BIP (1 of 32)", 4.0 / 3, false },
	{ "QLRU_H11_MR31_R1_U2", 0.5, false },
	{ "BRRIP (1 of 32)", 2.0 / 3, false },
	/* In long runs. */
	{ "BIP (1 of 32)", 2.0 / 3, false },
	{ "BRRIP (1 of 32)", 4.0 / 3, false },
	{ "QLRU_H11_MR31_R1_U2", 4, false },
	{ "QLRU_H11_MR31_R1_U2", 4.0 / 3, false },
	{ "QLRU_H11_MR32_R0_U0", 2.0 / 3, false },
};

#define STRANGERS ((int)(sizeof(strangers) / sizeof(strangers[0])))
#define STRANGERS_TODAY 4

/* Other dice than those that have a name do not get one. */
START_TEST(stranger)
{
	const struct stranger *one = &strangers[_i];
	struct policy_ops loaded = policy_random;
	struct policy_book book;

	if (_i >= STRANGERS_TODAY && samples() < 20)
		return;
	loaded.victim = loaded_victim;
	make_book(&book, 4, false);
	for (size_t i = book.zoo.deterministic; i < book.zoo.count; i++) {
		const struct hypothesis *h = &book.zoo.all[i];
		struct profile_policy policy = h->policy;
		struct known_set k = { .rounds = DICE_ROUNDS };
		struct set_oracle oracle = oracle_for(&k, 4, false);
		struct policy_finding found;
		struct failure f = { .text = "" };

		if (strcmp(h->name, one->name))
			continue;
		policy.seed = test_seed() + 78;
		ck_assert_int_eq(policy_set_begin(&k.set, &policy, h->habit, 4),
				 0);
		k.set.policy.rare =
			(uint64_t)(one->rarity * (double)k.set.policy.rare);
		if (one->loaded)
			k.set.policy.ops = &loaded;
		ck_assert_int_eq(policy_identify(&oracle, &book, &found, &f),
				 0);
		policy_set_end(&k.set);
		ck_assert_msg(found.kind == POLICY_UNDECIDED ||
				      found.kind == POLICY_NONE_KNOWN,
			      "%s: %s %s", h->name,
			      policy_kind_name(found.kind), found.names[0]);
		ck_assert(found.reason[0]);
	}
	policy_book_free(&book);
}
END_TEST

/* LRU, but a hit moves a line up by one place only: none of the known. */
START_TEST(vectors)
{
	struct permutation_policy one_up = { .ways = 8 };
	struct known_set k = { .wrong = 0 };
	struct set_oracle oracle = oracle_for(&k, 8, false);
	struct policy_finding found;
	struct failure f = { .text = "" };
	struct policy_book book;

	for (unsigned int i = 0; i < 8; i++) {
		for (unsigned int j = 0; j < 8; j++)
			one_up.hit[i][j] = (unsigned char)j;
		if (i) {
			one_up.hit[i][i] = (unsigned char)(i - 1);
			one_up.hit[i][i - 1] = (unsigned char)i;
		}
		one_up.miss[i] = (unsigned char)((i + 1) % 8);
	}
	make_book(&book, 8, false);
	policy_set_begin_permutation(&k.set, &one_up);
	ck_assert_int_eq(policy_identify(&oracle, &book, &found, &f), 0);
	ck_assert_msg(found.kind == POLICY_PERMUTATION, "%s %s %s",
		      policy_kind_name(found.kind), found.names[0],
		      found.reason);
	for (unsigned int i = 0; i < 8; i++) {
		ck_assert_mem_eq(found.permutation.hit[i], one_up.hit[i], 8);
		ck_assert_uint_eq(found.permutation.miss[i], one_up.miss[i]);
	}
	policy_set_end(&k.set);
	policy_book_free(&book);
}
END_TEST

Suite *make_policy_suite(void)
{
	Suite *suite = suite_create("policies");
	TCase *matrix = tcase_create("matrix"), *rest = tcase_create("rest");
	int count = sizeof(sizes) / sizeof(sizes[0]);

	tcase_set_timeout(matrix, 300);
	tcase_add_loop_test(matrix, exact, 0, count);
	tcase_add_loop_test(matrix, disturbed, 0, count);
	tcase_add_loop_test(matrix, dice, 0, count * DICE);
	tcase_add_loop_test(matrix, stranger, 0, STRANGERS);
	tcase_set_timeout(rest, 300);
	tcase_add_test(rest, free_ways);
	tcase_add_loop_test(rest, never_forgets, 0, 2);
	tcase_add_test(rest, vectors);
	suite_add_tcase(suite, matrix);
	suite_add_tcase(suite, rest);
	return suite;
}
