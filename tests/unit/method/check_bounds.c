// SPDX-License-Identifier: GPL-2.0
/* check_bounds.c - a published bound is the sum of the errors that were drawn. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/levels/levels.h"
#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/behaviour/behaviour.h"
#include "method/instruction/icache.h"
#include "method/sharing/sharing.h"
#include "method/tlb/measure.h"
#include "suites.h"

#define BYTES (UINT64_C(64) << 20)
#define MOST_PARTS 1000
/* Sums of some hundred errors, in another order. */
#define ROUNDING 1e-15

/**
 * struct part - what was drawn from one line of progress to the next
 * @what: that line
 * @alpha: sum of it
 */
struct part {
	char what[80];
	double alpha;
};

/**
 * struct record - of a measurement
 * @parts: @count of them
 * @least: the smallest error of one test
 * @all: sum of all
 */
struct record {
	struct part parts[MOST_PARTS];
	size_t count;
	double least;
	double all;
};

static struct record record;

static void drawn(void *context, double alpha)
{
	struct record *r = context;

	ck_assert(r->count);
	r->parts[r->count - 1].alpha += alpha;
	r->least = fmin(r->least, alpha);
	r->all += alpha;
}

static void begun(void *context, const char *what, double done)
{
	struct record *r = context;
	struct part *part;

	(void)done;
	ck_assert_uint_lt(r->count, MOST_PARTS);
	part = &r->parts[r->count++];
	*part = (struct part){ .alpha = 0 };
	snprintf(part->what, sizeof(part->what), "%s", what);
}

static void begin(struct prober *p, struct machine *m)
{
	record = (struct record){ .least = INFINITY };
	begun(&record, "", 0);
	prober_begin(p, m, levelkit_seed());
	p->budget.drawn = drawn;
	p->budget.context = &record;
	p->progress = begun;
	p->progress_context = &record;
}

/* In all parts whose line begins so, but for those that come after the report of a
 * level: they deny it or leave it as it is.
 */
static double drawn_in(const char *begin)
{
	double sum = 0;

	for (size_t i = 0; i < record.count; i++)
		if (!strncmp(record.parts[i].what, begin, strlen(begin)) &&
		    !strstr(record.parts[i].what, "a later look") &&
		    !strstr(record.parts[i].what, "whether memory"))
			sum += record.parts[i].alpha;
	return sum;
}

/* The same before the last line size that was tried. */
static double drawn_before_line(const char *begin)
{
	size_t last = 0, count = record.count;
	double sum;

	for (size_t i = 0; i < count; i++)
		if (!strncmp(record.parts[i].what, begin, strlen(begin)) &&
		    strstr(record.parts[i].what, "line of more than"))
			last = i;
	record.count = last;
	sum = drawn_in(begin);
	record.count = count;
	return sum;
}

/* Return: 1 where it is published. */
static int expect(const struct parameter *p, double bound, const char *what)
{
	if (!parameter_is_measured(p))
		return 0;
	ck_assert_msg(p->error_bound >= record.least - ROUNDING,
		      "%s: %g, less than one test of %g", what, p->error_bound,
		      record.least);
	ck_assert_msg(p->error_bound <= BUDGET_RESULT + ROUNDING, "%s: %g",
		      what, p->error_bound);
	ck_assert_msg(fabs(p->error_bound - fmin(bound, 1)) <= ROUNDING,
		      "%s: %g instead of %g", what, p->error_bound, bound);
	return 1;
}

/* What is known before the last test of the level. */
static int expect_part(const struct parameter *p, double least, double most,
		       const char *what)
{
	if (!parameter_is_measured(p))
		return 0;
	ck_assert_msg(p->error_bound >= fmax(least, record.least) - ROUNDING &&
			      p->error_bound <= most + ROUNDING,
		      "%s: %g instead of %g to %g", what, p->error_bound, least,
		      most);
	return 1;
}

static int expect_level(const struct cache_result *c)
{
	char text[80];
	double bound;
	int published;

	snprintf(text, sizeof(text), "L%d: ", c->level);
	bound = drawn_in(text);
	published = expect(&c->ways, bound, "ways") +
		    expect(&c->capacity_bytes, bound, "capacity") +
		    expect(&c->sets, bound, "sets") +
		    expect(&c->index_decision, bound, "index");
	return published + expect_part(&c->line_bytes, drawn_before_line(text),
				       bound, "line");
}

/* Of what is measured by @name of each level. */
static void expect_question(const struct hierarchy *h, const char *name,
			    const struct parameter *first)
{
	int published = 0;

	for (size_t i = 0; i < h->cache_count; i++) {
		const char *at = (const char *)first + i * sizeof(h->caches[0]);
		char text[80];

		snprintf(text, sizeof(text), "L%zu: %s", i + 1, name);
		published += expect((const struct parameter *)at,
				    drawn_in(text), text);
	}
	ck_assert_msg(published, "nothing is known of %s", name);
}

#define PAIRS "[[0,1],[2,3]]"

static const struct level small[LEVELS] = {
	{ 4, 64, "lru", NINE, false, false, NULL },
	{ 8, 128, "lru", NINE, false, false, PAIRS },
	{ 8, 512, "tree-plru", INCLUSIVE, false, false, PAIRS },
};

START_TEST(levels_of_strides)
{
	struct machine *m =
		levelkit_open(small, _i ? COUNTED : TIMED, levelkit_seed());
	struct failure f = { .text = "" };
	static struct hierarchy h;
	struct prober p;
	int published = 0;

	begin(&p, m);
	if (_i)
		p.counters = ALL_COUNTERS;
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	for (size_t i = 0; i < h.cache_count; i++)
		published += expect_level(&h.caches[i]);
	ck_assert_int_ge(published, 10);
	machine_close(m);
}
END_TEST

START_TEST(questions_of_levels)
{
	struct machine *m =
		levelkit_open(small, _i ? COUNTED : TIMED, levelkit_seed());
	struct failure f = { .text = "" };
	static struct hierarchy h;
	struct prober p;

	begin(&p, m);
	if (_i)
		p.counters = ALL_COUNTERS;
	levelkit_know(&h, small);
	for (int i = 0; i < LEVELS; i++)
		parameter_undecided(&h.caches[i].inclusion_decision, "", "-");
	ck_assert_msg(!inclusion_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(!sharing_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(!unified_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(!write_allocate_measure(&p, &h, &f), "%s", f.text);
	ck_assert_msg(!write_back_measure(&p, &h, &f), "%s", f.text);
	expect_question(&h, "inclusion", &h.caches[0].inclusion_decision);
	expect_question(&h, "sharing", &h.caches[0].sharing);
	expect_question(&h, "whether it holds code", &h.caches[0].unified);
	expect_question(&h, "write-allocate", &h.caches[0].write_allocate);
	expect_question(&h, "write-back", &h.caches[0].write_back);
	machine_close(m);
}
END_TEST

/* Each is known a while after the one before it. */
START_SLOW_TEST(eviction_sets)
{
	struct machine *m =
		profilekit_open(PROFILEKIT_HASHED, BYTES, levelkit_seed());
	struct failure f = { .text = "" };
	static struct hierarchy h;
	const struct cache_result *c = &h.caches[1];
	struct prober p;
	double all;

	begin(&p, m);
	ck_assert_msg(!xray_measure(&p, &h, &f), "%s", f.text);
	all = drawn_in("L2: ");
	ck_assert(parameter_is_measured(&c->ways));
	ck_assert_int_eq(expect_part(&c->ways, 0, all, "ways") +
				 expect_part(&c->line_bytes, 0, all, "line") +
				 expect_part(&c->sets, 0, all, "sets") +
				 expect_part(&c->index_decision, 0, all,
					     "index"),
			 4);
	ck_assert(c->ways.error_bound > 64 * p.rules.alpha + ROUNDING);
	ck_assert(c->line_bytes.error_bound > c->ways.error_bound);
	ck_assert(c->sets.error_bound > c->line_bytes.error_bound);
	ck_assert(c->index_decision.error_bound >=
		  c->sets.error_bound + c->function.error_bound - ROUNDING);
	machine_close(m);
}
END_TEST

#define CODE                                                                \
	"{\"phys_bits\":36,\"page_bytes\":4096,"                            \
	"\"huge_page_bytes\":[2097152],\"caches\":["                        \
	"{\"level\":1,\"type\":\"data\",\"ways\":8,"                        \
	"\"capacity_bytes\":32768,\"line_bytes\":64,\"latency_cycles\":4}," \
	"{\"level\":1,\"type\":\"instruction\",\"ways\":4,"                 \
	"\"capacity_bytes\":16384,\"line_bytes\":64,\"latency_cycles\":3,"  \
	"\"policy\":{\"name\":\"lru\"}},"                                   \
	"{\"level\":2,\"type\":\"unified\",\"ways\":16,"                    \
	"\"capacity_bytes\":1048576,\"line_bytes\":64,"                     \
	"\"latency_cycles\":14}],\"memory\":{\"latency_cycles\":200},"      \
	"\"timer\":{\"overhead_cycles\":20},\"cycle_ns\":0.5}"

START_TEST(instruction_cache)
{
	struct machine *m = profilekit_open(CODE, BYTES, levelkit_seed());
	struct failure f = { .text = "" };
	static struct hierarchy h;
	const struct cache_result *c = &h.instruction;
	struct prober p;

	begin(&p, m);
	hierarchy_init(&h);
	hierarchy_add(&h);
	parameter_measured(&hierarchy_add(&h)->latency_ns, 7, 0, "known");
	ck_assert_msg(!icache_measure(&p, &h, &f), "%s", f.text);
	ck_assert_int_eq(
		expect(&c->ways, record.all, "ways") +
			expect(&c->capacity_bytes, record.all, "size") +
			expect(&c->sets, record.all, "sets") +
			expect(&c->index_decision, record.all, "index") +
			expect_part(&c->line_bytes, drawn_before_line("L1: "),
				    record.all, "line"),
		5);
	machine_close(m);
}
END_TEST

#define ARRAYS                                                            \
	"{\"phys_bits\":36,\"page_bytes\":4096,\"caches\":["              \
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":32768,"        \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":4},"             \
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":262144,"    \
	"\"ways\":8,\"line_bytes\":64,\"latency_cycles\":12}],"           \
	"\"tlbs\":[{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096]," \
	"\"entries\":64,\"ways\":4},{\"level\":2,\"type\":\"unified\","   \
	"\"page_bytes\":[4096],\"entries\":512,\"ways\":4,"               \
	"\"latency_cycles\":7}],\"walk\":{\"latency_cycles\":30},"        \
	"\"cycle_ns\":0.5,\"memory\":{\"latency_cycles\":200}}"

START_TEST(translation_arrays)
{
	struct machine *m = profilekit_open(ARRAYS, BYTES, levelkit_seed());
	struct failure f = { .text = "" };
	static struct hierarchy h;
	struct cache_result *c;
	struct prober p;
	int published = 0;

	begin(&p, m);
	hierarchy_init(&h);
	c = hierarchy_add(&h);
	parameter_measured(&c->capacity_bytes, 32768, 0, "test");
	parameter_measured(&c->ways, 8, 0, "test");
	parameter_measured(&c->line_bytes, 64, 0, "test");
	ck_assert_msg(!tlb_measure(&p, &h, &f), "%s", f.text);
	for (size_t i = 0; i < h.tlb_count; i++) {
		const struct tlb_result *t = &h.tlbs[i];
		char text[80];
		double bound;

		snprintf(text, sizeof(text), "TLB level %d, %s of %llu KiB",
			 t->level,
			 strcmp(t->type, "instruction") ? "loads" : "fetches",
			 (unsigned long long)(t->page_bytes >> 10));
		bound = drawn_in(text);
		published +=
			expect(&t->entries, bound, text) +
			expect(&t->ways, bound, text) +
			expect(&t->sets, bound, text) +
			expect(&t->index_decision, bound, text) +
			expect_part(&t->coalesced_pages, 0, record.all, text);
	}
	ck_assert_int_ge(published, 8);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("bounds");

	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, levels_of_strides, 0, 2);
	tcase_add_loop_test(t, questions_of_levels, 0, 2);
	tcase_add_test(t, eviction_sets);
	tcase_add_test(t, instruction_cache);
	tcase_add_test(t, translation_arrays);
	suite_add_tcase(s, t);
	suite_add_tcase(s, make_policy_bounds_case());
	return s;
}
