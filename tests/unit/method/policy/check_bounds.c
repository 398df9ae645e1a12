// SPDX-License-Identifier: GPL-2.0
/*
 * check_bounds.c - the bound of a policy, and of set dueling, is the sum of the
 * errors that its tests have drawn.
 */
#include <math.h>

#include "method/dueling/duelingkit.h"
#include "method/dueling/search.h"
#include "method/policy/policykit.h"
#include "method/policy/random_policies.h"
#include "suites.h"

#define MOST_DRAWS 4096
/* Sums of some hundred errors, in another order. */
#define ROUNDING 1e-15

/** struct record - errors that were drawn, in order; @count of them */
struct record {
	double alphas[MOST_DRAWS];
	size_t count;
};

static struct record record;

static void drawn(void *context, double alpha)
{
	struct record *r = context;

	ck_assert_uint_lt(r->count, MOST_DRAWS);
	r->alphas[r->count++] = alpha;
}

static struct budget begin(void)
{
	struct budget budget = budget_begin();

	record.count = 0;
	budget.drawn = drawn;
	budget.context = &record;
	return budget;
}

/* How often @alpha was drawn. */
static size_t count_of(double alpha)
{
	size_t count = 0;

	for (size_t i = 0; i < record.count; i++)
		count += fabs(record.alphas[i] - alpha) <= ROUNDING;
	return count;
}

static const struct {
	const char *name;
	enum policy_kind kind;
	bool flushes;
} policies[] = {
	{ "LRU", POLICY_KNOWN, false },
	{ "QLRU_H00_M1_R2_U1", POLICY_KNOWN, true },
	{ "random", POLICY_RANDOMISED, false },
};

#define POLICIES ((int)(sizeof(policies) / sizeof(policies[0])))

static void identify_known(int i, struct budget *budget,
			   struct policy_finding *found)
{
	const bool random = policies[i].kind == POLICY_RANDOMISED;
	struct known_set k = { .rounds = random ? RANDOM_ROUNDS : 0 };
	struct set_oracle oracle = oracle_for(&k, 4, policies[i].flushes);
	const struct hypothesis *h;
	struct failure f = { .text = "" };
	struct policy_catalogue catalogue;

	make_catalogue(&catalogue, 4, policies[i].flushes);
	h = catalogue.known.all;
	while (strcmp(h->name, policies[i].name) != 0)
		h++;
	ck_assert_int_eq(policy_set_begin(&k.set, &h->policy, h->habit, 4), 0);
	ck_assert_int_eq(
		policy_identify(&oracle, &catalogue, budget, found, &f), 0);
	policy_set_end(&k.set);
	policy_catalogue_free(&catalogue);
}

START_TEST(each_answer_counts)
{
	struct budget budget = begin();
	struct policy_finding found;
	size_t answers, sifts;

	identify_known(_i, &budget, &found);
	ck_assert_msg(found.kind == policies[_i].kind, "%s", found.reason);
	answers = count_of(SET_ASK_ALPHA);
	sifts = count_of(RANDOM_SIFT_ALPHA);
	ck_assert_uint_eq(count_of(SET_RATE_ALPHA), 1);
	ck_assert_uint_eq(1 + answers + sifts, record.count);
	if (found.kind == POLICY_RANDOMISED)
		ck_assert_uint_ge(sifts, 2);
	else
		ck_assert_uint_ge(answers, found.cycles);
	ck_assert_double_eq_tol(found.answer_bound,
				SET_RATE_ALPHA +
					(double)answers * SET_ASK_ALPHA +
					(double)sifts * RANDOM_SIFT_ALPHA,
				ROUNDING);
}
END_TEST

/* Where less error is left than the questions take, nothing is decided. */
START_TEST(policies_within_a_budget)
{
	struct budget budget = begin();
	struct policy_finding found;

	budget.alpha_result = SET_RATE_ALPHA + 5.5 * SET_ASK_ALPHA;
	identify_known(_i, &budget, &found);
	ck_assert_int_eq(found.kind, POLICY_UNDECIDED);
	ck_assert_str_ne(found.reason, "");
	ck_assert_uint_eq(record.count, 6);
}
END_TEST

static void look(struct budget *budget, struct dueling_finding *found)
{
	struct profile_policy policy = duelingkit_policy(2);
	struct duelingkit c = { .wrong = 0 };
	struct dueling_oracle oracle =
		duelingkit_begin(&c, &policy, 8, duelingkit_seed());
	struct rng rng = { duelingkit_seed() };
	struct failure f = { .text = "" };

	ck_assert_int_eq(dueling_look(&oracle, budget, &rng, found, &f), 0);
	duelingkit_end(&c, found);
}

START_TEST(leaders_and_their_roles)
{
	struct budget budget = begin();
	struct dueling_finding found;
	size_t looks;

	look(&budget, &found);
	ck_assert_msg(found.verdict == DUELING_SEEN, "%s", found.reason);
	looks = count_of(DUELING_SEEN_ALPHA);
	ck_assert_uint_ge(looks, 1);
	ck_assert_uint_le(looks, 10);
	ck_assert_uint_eq(record.count, looks + 1);
	ck_assert_double_eq_tol(found.seen_bound,
				(double)looks * DUELING_SEEN_ALPHA, ROUNDING);
	ck_assert_double_eq_tol(found.roles_bound,
				DUELING_ROLES_ALPHA + DUELING_RATE_ALPHA,
				ROUNDING);
}
END_TEST

/* Enough error to see that sets duel, not to say which lead. */
START_TEST(dueling_within_a_budget)
{
	struct budget budget = begin();
	struct dueling_finding found;

	budget.alpha_result = _i ? DUELING_ROLES_ALPHA : DUELING_SEEN_ALPHA / 2;
	look(&budget, &found);
	ck_assert_int_eq(found.verdict, _i ? DUELING_SEEN : DUELING_UNDECIDED);
	ck_assert_uint_eq(found.counts[DUELING_FOLLOWS], 0);
	ck_assert_str_ne(found.reason, "");
}
END_TEST

TCase *make_policy_bounds_case(void)
{
	TCase *t = tcase_create("policies");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, each_answer_counts, 0, POLICIES);
	tcase_add_loop_test(t, policies_within_a_budget, 0, POLICIES);
	tcase_add_test(t, leaders_and_their_roles);
	tcase_add_loop_test(t, dueling_within_a_budget, 0, 2);
	return t;
}
