// SPDX-License-Identifier: GPL-2.0
/* check_quiet.c - what fits and what does not, while others use the core. */
#include <math.h>

#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/probe/prober.h"
#include "suites.h"

#define MIB (UINT64_C(1) << 20)
#define WAYS 8
#define WAY_BYTES 4096
#define HIT 4
#define MISS 10
#define PROFILE                                                                 \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768," \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"                   \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":2097152,"         \
	"\"ways\":16,\"line_bytes\":64,\"latency_cycles\":14}],"                \
	"\"memory\":{\"latency_cycles\":200}}"

/* An honest machine, beside another thread. */
static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	double every_loads; /* of a full set, one of the other's lines; 0: none */
	double slower; /* times as long takes the control, in nine of ten walks */
	double alone; /* share of samples in which a hypervisor takes no time; 0: all */
	struct rng rng;
} other;

static double random_share(void)
{
	return (double)rng_below(&other.rng, 1 << 20) / (1 << 20);
}

/* Each line of the other's costs as many misses as the set has ways. */
static void take_lines(const struct sequence *s, const struct walk_plan *plan,
		       struct sample *samples)
{
	for (unsigned int i = 0; i < plan->samples; i++) {
		const double often =
			(double)samples[i].loads / other.every_loads;

		if (s->length < WAYS || s->length > 4 * WAYS ||
		    random_share() < exp(-often))
			continue;
		samples[i].ticks += fmax(1, often) * WAYS * MISS;
	}
}

/* A tenth longer, and up to as much again. */
static void take_time(const struct walk_plan *plan, struct sample *samples)
{
	for (unsigned int i = 0; i < plan->samples; i++)
		if (other.alone > 0 && random_share() > other.alone)
			samples[i].ticks *= 1.1 + 0.1 * random_share();
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	int error = other.honest->walk(m, s, plan, samples, f);
	const bool slow = random_share() < 0.9;

	if (other.every_loads > 0)
		take_lines(s, plan, samples);
	take_time(plan, samples);
	for (unsigned int i = 0; slow && i < plan->samples; i++)
		if (s->length > 4 * WAYS && other.slower > 1)
			samples[i].ticks *= other.slower;
	return error;
}

static enum verdict decide(uint64_t seed, size_t lines,
			   const struct reference *r)
{
	const struct shape w = { .inner = 1,
				 .stride = WAY_BYTES,
				 .outer = lines };
	struct machine *m = profilekit_open(PROFILE, 64 * MIB, 1);
	struct failure f = { .text = "" };
	struct reference full = *r;
	enum verdict verdict;
	struct prober p;

	other.honest = m->ops;
	other.ops = *m->ops;
	other.ops.walk = walk;
	other.rng.state = seed;
	m->ops = &other.ops;
	prober_begin(&p, m, seed);
	full.control = prober_words(&p);
	full.penalty_ticks = MISS;
	ck_assert_int_eq(prober_compact(&p, &w, &full, &verdict, NULL, &f), 0);
	machine_close(m);
	return verdict;
}

/* As many lines as ways fit, and no more. */
static void fill_a_set(uint64_t seed, const struct reference *r)
{
	ck_assert_msg(decide(seed, WAYS, r) == VERDICT_COMPACT, "seed %llu",
		      (unsigned long long)seed);
	ck_assert_msg(decide(seed, WAYS + 1, r) == VERDICT_NON_COMPACT,
		      "seed %llu", (unsigned long long)seed);
}

#define SEEDS 20

/* Samples of 2,000 loads miss some 0.6 times a round; of those of 256 a tenth do not. */
START_TEST(lines_of_others_are_outlasted)
{
	const struct reference alone = { .shared = false };
	const struct reference shared = { .shared = true };
	const uint64_t first = levelkit_seed();
	int compact = 0;

	other.every_loads = 110;
	other.slower = 1;
	for (uint64_t seed = first; seed < first + SEEDS; seed++) {
		fill_a_set(seed, &shared);
		compact += decide(seed, WAYS, &alone) == VERDICT_COMPACT;
	}
	/* As hard as it is meant to be. */
	ck_assert_int_lt(compact, SEEDS);
}
END_TEST

/* As code: a control that is five times slower than it was hides the misses of a test. */
START_TEST(a_slow_control_is_none)
{
	const struct reference code = { .shared = true,
					.code_bytes = 64,
					.quiet_ticks = HIT };
	const uint64_t first = levelkit_seed();
	int decided = 0;

	other.every_loads = 0;
	other.slower = 5;
	for (uint64_t seed = first; seed < first + SEEDS; seed++) {
		enum verdict verdict = decide(seed, WAYS + 1, &code);

		ck_assert_msg(verdict != VERDICT_COMPACT, "seed %llu",
			      (unsigned long long)seed);
		decided += verdict == VERDICT_NON_COMPACT;
		ck_assert_msg(decide(seed, WAYS, &code) != VERDICT_NON_COMPACT,
			      "seed %llu", (unsigned long long)seed);
	}
	ck_assert_int_gt(decided, SEEDS / 2);
}
END_TEST

/* As code, where three of four samples take longer on either side. */
START_TEST(few_samples_are_alone)
{
	const struct reference code = { .code_bytes = 64, .quiet_ticks = HIT };
	const uint64_t first = levelkit_seed();

	other.every_loads = 0;
	other.slower = 1;
	other.alone = 0.25;
	for (uint64_t seed = first; seed < first + SEEDS; seed++) {
		fill_a_set(seed, &code);
	}
	other.alone = 0;
}
END_TEST

/* As code: other work takes lines of a long control, and none of a short one. */
START_TEST(a_short_control_loses_less)
{
	struct reference code = { .code_bytes = 64, .quiet_ticks = HIT };
	const uint64_t first = levelkit_seed();
	int decided = 0;

	other.every_loads = 0;
	other.slower = 1.05;
	for (uint64_t seed = first; seed < first + SEEDS; seed++) {
		code.few.outer = 0;
		decided += decide(seed, WAYS, &code) == VERDICT_COMPACT;
		code.few = (struct shape){ .inner = 1,
					   .stride = sizeof(uint64_t),
					   .outer = 2 * WAYS };
		code.few_ticks = HIT;
		fill_a_set(seed, &code);
	}
	/* As hard as it is meant to be. */
	ck_assert_int_lt(decided, SEEDS);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("quiet");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, lines_of_others_are_outlasted);
	tcase_add_test(t, a_slow_control_is_none);
	tcase_add_test(t, few_samples_are_alone);
	tcase_add_test(t, a_short_control_loses_less);
	suite_add_tcase(suite, t);
	return suite;
}
