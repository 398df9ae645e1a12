// SPDX-License-Identifier: GPL-2.0
/* check_page_oracle.c - lists that fit a level or overflow it, by time: whole
 * pages, and contended sets.
 */
#include <math.h>
#include <stdio.h>

#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/oracle/list_walk.h"
#include "method/evset/sort/classes.h"
#include "method/evset/stages.h"
#include "suites.h"

#define PAGE 4096
#define LINE 64
#define MIB (UINT64_C(1) << 20)
#define WAYS 8
#define FEW_CLASSES 8
#define MANY_CLASSES 32
#define OTHERS 24
/* Lines that evict from the first level. */
#define UPPER_EVICTORS 9
#define HIT 14.0
/* Less than half of the later misses, as in a tree of 16 ways. */
#define EARLY 0.45
#define FIRST_ROUNDS 2
#define MISS 40.0
#define FIRST 30
#define ASKED 100
#define FEW 4
#define POOL 800

/* Factor on the ticks of all samples, as if the clock had changed, and walks.
 * One machine. @held: a neighbour holds a way of all sets of class 0. @early:
 * the first rounds of a list show no more than EARLY of its misses.
 */
static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	double times;
	unsigned int walks;
	bool held;
	bool early;
	size_t classes;
} clock_of;

/* Lines of class 0 that miss, if they are as many as fit. */
static double lost(const struct sequence *s)
{
	size_t of_class = 0, at_start = 0;

	for (size_t i = 0; i < s->length; i++) {
		bool own = s->offsets[i] / PAGE % clock_of.classes == 0;

		of_class += own;
		at_start += own && s->offsets[i] % PAGE == s->offsets[0] % PAGE;
	}
	return clock_of.held && at_start >= WAYS ? (double)of_class : 0;
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	int error = clock_of.honest->walk(m, s, plan, samples, f);

	clock_of.walks++;
	for (unsigned int i = 0; !error && i < plan->samples; i++) {
		double rounds = (double)samples[i].loads / (double)s->length;
		double hits = samples[i].loads * HIT * m->timer.ticks_per_ns;

		samples[i].ticks +=
			lost(s) * rounds * (MISS - HIT) * m->timer.ticks_per_ns;
		if (clock_of.early && plan->warm_rounds <= FIRST_ROUNDS)
			samples[i].ticks =
				fmin(samples[i].ticks,
				     hits + EARLY * (samples[i].ticks - hits));
		samples[i].ticks *= clock_of.times;
	}
	return error;
}

/**
 * struct bench - a level of some classes of pages, and its oracle
 * @classes: their number
 * @seed: printed when a test fails
 */
struct bench {
	struct failure f;
	struct prober p;
	struct xray x;
	struct evset_machine e;
	struct evset_page_oracle b;
	size_t classes;
	uint64_t seed;
};

static void bench_begin(struct bench *t, size_t classes)
{
	static const char form[] =
		"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":%zu,\"ways\":8,\"line_bytes\":64,\"latency_cycles\":14}],\"phys_bits\":32,\"cycle_ns\":1,\"noise\":{\"jitter_cycles\":4},\"memory\":{\"latency_cycles\":40}}";
	struct machine *m;
	char text[512];
	uint64_t pages[EVSET_WATCHED];

	*t = (struct bench){ .classes = classes, .seed = levelkit_seed() };
	snprintf(text, sizeof(text), form, classes * WAYS * PAGE);
	m = profilekit_open(text, 64 * MIB, t->seed);
	clock_of.honest = m->ops;
	clock_of.ops = *m->ops;
	clock_of.ops.walk = walk;
	clock_of.times = 1;
	clock_of.walks = 0;
	clock_of.held = false;
	clock_of.early = false;
	clock_of.classes = classes;
	m->ops = &clock_of.ops;
	prober_begin(&t->p, m, t->seed);
	t->x.prober = &t->p;
	t->e = (struct evset_machine){ .x = &t->x,
				       .window.low_bytes = PAGE,
				       .scale.penalty = (MISS - HIT) *
							m->timer.ticks_per_ns };
	t->e.o.upper_evictors = UPPER_EVICTORS;
	ck_assert(evset_page_oracle_begin(&t->b, &t->e, LINE));
	t->b.typical_misses = WAYS + 1;
	for (size_t i = 0; i < EVSET_WATCHED; i++)
		pages[i] = i * PAGE;
	evset_page_oracle_watch(&t->b, pages, EVSET_WATCHED);
}

/* @first random pages of class 0, and three of each other one. */
static size_t choose(struct bench *t, size_t first, uint64_t *pages)
{
	uint64_t classes =
		rng_below(&t->p.rng, 64 * MIB / PAGE / t->classes - 32);

	for (size_t i = 0; i < first; i++)
		pages[i] = (classes + i) * t->classes * PAGE;
	for (size_t i = 0; i < OTHERS; i++)
		pages[first + i] =
			((classes + i / (t->classes - 1)) * t->classes + 1 +
			 i % (t->classes - 1)) *
			PAGE;
	return first + OTHERS;
}

static enum verdict ask(struct bench *t, size_t first)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	uint64_t pages[2 * WAYS + OTHERS];
	size_t count = choose(t, first, pages);
	int error = evset_ask(&t->b.o, pages, count, false, &verdict, &t->f);

	ck_assert_msg(!error, "%s", t->f.text);
	return verdict;
}

/* Some lists that fit, some that do not. @open: may be undecided */
static void ask_all(struct bench *t, int count, bool open)
{
	for (int i = 0; i < count; i++) {
		size_t first = WAYS - 1 + rng_below(&t->p.rng, 4);
		enum verdict right = first > WAYS ? VERDICT_NON_COMPACT :
						    VERDICT_COMPACT;
		enum verdict verdict = ask(t, first);

		ck_assert_msg(verdict == right ||
				      (open && verdict == VERDICT_UNDECIDED),
			      "%zu pages: %d, list %d, clock %g, seed %llu",
			      first, (int)verdict, i, clock_of.times,
			      (unsigned long long)t->seed);
	}
}

START_TEST(test_answers)
{
	struct bench t;

	bench_begin(&t, FEW_CLASSES);
	ask_all(&t, ASKED, false);
	machine_close(t.p.m);
}
END_TEST

/* A list that misses too little at first is sampled again, with time to settle.
 */
START_TEST(test_settles)
{
	struct bench t;

	bench_begin(&t, FEW_CLASSES);
	clock_of.early = true;
	ask_all(&t, ASKED, false);
	machine_close(t.p.m);
}
END_TEST

/* A list that fits takes as long as others that fitted: neither its control nor
 * the watched pages are walked.
 */
START_TEST(test_fits_alone)
{
	struct bench t;

	bench_begin(&t, FEW_CLASSES);
	ask_all(&t, FIRST, false);
	clock_of.walks = 0;
	for (int i = 0; i < ASKED; i++)
		ck_assert_int_eq(ask(&t, WAYS), VERDICT_COMPACT);
	ck_assert_uint_le(clock_of.walks, ASKED + ASKED / 10);
	machine_close(t.p.m);
}
END_TEST

/* After a change of the clock, earlier times prove nothing. A slower clock may
 * be contention.
 */
START_TEST(test_clock)
{
	static const double times[] = { 1, 0.98, 0.9, 0.55, 0.6, 1 };
	double fastest = 1;
	struct bench t;

	bench_begin(&t, FEW_CLASSES);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		clock_of.times = times[i];
		/* Contention is waited out, but not for long. */
		ask_all(&t, times[i] > fastest ? FEW : FIRST,
			times[i] > fastest);
		if (times[i] < fastest)
			fastest = times[i];
	}
	machine_close(t.p.m);
}
END_TEST

/* One of five pools has too few pages of the classes that are tried: this many
 * in a row happen by chance in one of 10^8 cases.
 */
#define POOLS 12

static void thin_pool(struct bench *t, const struct evset_set *set,
		      enum outcome *outcome)
{
	uint64_t pool[POOL];
	size_t prefix = 0;

	t->b.typical_misses = 0;
	for (size_t i = 0; i < POOL; i++)
		pool[i] = i * PAGE;
	sequence_shuffle(&(struct sequence){ pool, POOL }, &t->p.rng);
	ck_assert_int_eq(evset_overflow(&t->b.o, pool, POOL,
					t->b.o.upper_evictors, &prefix, &t->f),
			 0);
	ck_assert_uint_gt(prefix, 0);
	ck_assert_int_eq(evset_thin_pages(&t->b, set, pool, POOL, prefix,
					  outcome, &t->f),
			 0);
}

/* Thins the pages of all classes, by lines of the class that other lines of the
 * level share sets with.
 */
static void thin(struct bench *t)
{
	struct evset_set set = { .count = WAYS + 1 };
	enum outcome outcome = OUTCOME_OPEN;

	for (size_t i = 0; i < set.count; i++)
		set.lines[i] = i * t->classes * PAGE + LINE;
	for (int i = 0; outcome != OUTCOME_DECIDED && i < POOLS; i++)
		thin_pool(t, &set, &outcome);
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	ck_assert_uint_eq(t->b.lines_per_page, 16);
}

/* The given pages are of a class whose sets are contended: another class works.
 */
START_TEST(test_thin_under_contention)
{
	struct bench t;

	bench_begin(&t, MANY_CLASSES);
	clock_of.held = true;
	thin(&t);
	machine_close(t.p.m);
}
END_TEST

/* Half of a page's lines were left out last time: that bit is not tried again,
 * although more could be left out.
 */
START_SLOW_TEST(test_thin_again)
{
	struct bench t;

	bench_begin(&t, MANY_CLASSES);
	for (int i = 0; i < 2 * FEW; i++) {
		t.b.lines_per_page = 32;
		for (size_t j = 0; j < t.b.lines_per_page; j++)
			t.b.places[j] = PAGE / 2 + j * LINE;
		evset_page_oracle_forget(&t.b);
		thin(&t);
		for (size_t j = 0; j < t.b.lines_per_page; j++)
			ck_assert_uint_ge(t.b.places[j], PAGE / 2);
	}
	machine_close(t.p.m);
}
END_TEST

/* Lines of one class at one offset, beside some of others. */
static struct evset_set set_of(const struct bench *t, size_t class)
{
	struct evset_set set = { .count = WAYS + 1,
				 .evictor_count = 2 * UPPER_EVICTORS };

	for (size_t i = 0; i < set.count; i++)
		set.lines[i] = (i * t->classes + class) * PAGE;
	for (size_t i = 0; i < set.evictor_count; i++)
		set.evictors[i] = ((set.count + i / FEW) * t->classes + class +
				   1 + i % FEW) *
				  PAGE;
	return set;
}

/* The first set is none any more: the next one decides. */
START_SLOW_TEST(test_next_set_decides)
{
	char reason[160] = "";
	struct evset_set sets[2];
	uint64_t ways = 0;
	struct bench t;

	bench_begin(&t, FEW_CLASSES);
	t.e.o.compact = evset_compact;
	t.e.o.context = &t.e;
	t.e.window.bytes = 64 * MIB;
	/* They miss in the first level only. */
	t.x.reference.control =
		(struct shape){ .inner = 1, .stride = PAGE, .outer = 32 };
	t.e.effort.warmup_factor = 1;
	evset_allow(&t.e);
	sets[0] = set_of(&t, 0);
	sets[1] = set_of(&t, 2);
	sets[0].lines[0] += PAGE;
	sets[0].lines[1] += PAGE;
	ck_assert_int_eq(evset_ways_crosscheck(&t.e, sets, 1, &ways, reason,
					       sizeof(reason), &t.f),
			 0);
	ck_assert_uint_eq(ways, 0);
	ck_assert_uint_gt(strlen(reason), 0);
	ck_assert_int_eq(evset_ways_crosscheck(&t.e, sets, 2, &ways, reason,
					       sizeof(reason), &t.f),
			 0);
	ck_assert_msg(ways == WAYS, "%s", reason);
	ck_assert_uint_eq(sets[0].lines[0], 2 * PAGE);
	machine_close(t.p.m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("oracle");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_answers);
	tcase_add_test(t, test_settles);
	tcase_add_test(t, test_fits_alone);
	tcase_add_test(t, test_clock);
	tcase_add_test(t, test_thin_under_contention);
	tcase_add_test(t, test_thin_again);
	tcase_add_test(t, test_next_set_decides);
	suite_add_tcase(s, t);
	return s;
}
