// SPDX-License-Identifier: GPL-2.0
/* check_pages.c - sets of levels so large that a list has millions of lines. */
#include <stdlib.h>
#include <string.h>

#include "method/evset/count/pages.h"
#include "method/evset/count/rank.h"
#include "method/level/level.h"
#include "suites.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define LINE_BYTES 64
#define HIT_TICKS 40
#define MISS_TICKS 100
#define WAYS 12

static struct failure f;

/**
 * struct flat - a machine of one level, in the steady state of LRU: in each
 * set, all lines of a list hit, or all of them miss
 * @machine: what methods see
 * @p: its prober
 * @x: the level
 * @e: lists of its lines
 * @slices: each page belongs to one of them, evenly
 * @in: lines of a list in each set
 * @longest: lines of the longest list that was walked
 */
struct flat {
	struct machine machine;
	struct prober p;
	struct xray x;
	struct evset_machine e;
	size_t slices;
	unsigned int *in;
	size_t longest;
};

static size_t set_count(const struct flat *t)
{
	return t->slices * (t->e.window.low_bytes / LINE_BYTES);
}

/* No index that is linear over GF(2), unless the number of slices is a power of
 * two: then the lowest bits select them.
 */
static size_t set_of(const struct flat *t, uint64_t line)
{
	const uint64_t page = line / t->e.window.low_bytes;

	if (!(t->slices & (t->slices - 1)))
		return line / LINE_BYTES % set_count(t);
	return page * 7 % t->slices +
	       t->slices * (line % t->e.window.low_bytes / LINE_BYTES);
}

static size_t count_misses(struct flat *t, const uint64_t *lines, size_t count)
{
	size_t misses = 0;

	for (size_t i = 0; i < count; i++)
		t->in[set_of(t, lines[i])]++;
	for (size_t i = 0; i < count; i++)
		misses += t->in[set_of(t, lines[i])] > WAYS;
	for (size_t i = 0; i < count; i++)
		t->in[set_of(t, lines[i])] = 0;
	if (count > t->longest)
		t->longest = count;
	return misses;
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *unused)
{
	struct flat *t = (struct flat *)m;
	const double share = (double)count_misses(t, s->offsets, s->length) /
			     (double)s->length;

	(void)unused;
	for (unsigned int i = 0; i < plan->samples; i++) {
		samples[i] = (struct sample){ .loads = plan->loads,
					      .counted = plan->counters };
		samples[i].ticks =
			(double)plan->loads * (HIT_TICKS + share * MISS_TICKS);
		samples[i].counts[COUNTER_L2_MISS] =
			share * (double)plan->loads;
	}
	return 0;
}

static void no_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

static const struct machine_ops ops = { .kind = "flat",
					.walk = walk,
					.pause = no_pause };

static int compact(void *context, const uint64_t *lines, size_t count,
		   bool surely, enum verdict *verdict, struct failure *unused)
{
	(void)surely;
	(void)unused;
	*verdict = count_misses(context, lines, count) ? VERDICT_NON_COMPACT :
							 VERDICT_COMPACT;
	return 0;
}

static void begin(struct flat *t, size_t slices, uint64_t low_bytes)
{
	*t = (struct flat){
		.machine = { .ops = &ops,
			     .region = { .bytes = 256 * MIB },
			     .timer = { .ticks_per_ns = 1 } },
		.x = { .hit_ticks = HIT_TICKS,
		       .upper_count = 1,
		       .reference = { .counter = 1U << COUNTER_L2_MISS } },
		.e = { .scale.penalty = 1,
		       .window = { .low_bytes = low_bytes, .bytes = 256 * MIB },
		       .effort.warmup_factor = 1 },
		.slices = slices,
	};
	prober_begin(&t->p, &t->machine, 1);
	t->x.prober = &t->p;
	t->e.x = &t->x;
	t->e.o.compact = compact;
	t->e.o.context = t;
	t->in = calloc(set_count(t), sizeof(*t->in));
	if (!t->in)
		abort();
}

static struct evset_count measure(struct flat *t)
{
	const struct evset_set set = { .count = WAYS + 1 };
	struct evset_count c = { .set = &set, .line_bytes = LINE_BYTES };

	ck_assert_int_eq(evset_page_sets(&t->e, &c, &f), 0);
	return c;
}

/* More than two million lines overfill all sets; the number is right. */
START_SLOW_TEST(test_many_sets)
{
	struct evset_count c;
	struct flat t;

	begin(&t, 36, 256 * KIB);
	c = measure(&t);
	ck_assert_msg(c.sets == set_count(&t), "%llu sets: %s",
		      (unsigned long long)c.sets, c.reason);
	ck_assert_uint_gt(t.longest, (size_t)1 << 21);
	ck_assert_uint_gt(t.longest, WAYS * set_count(&t));
	free(t.in);
}
END_TEST

/* More offsets than there is room for are none. */
START_TEST(test_many_offsets)
{
	struct evset_count c;
	struct flat t;

	begin(&t, 3, 512 * KIB);
	c = measure(&t);
	ck_assert_uint_eq(c.sets, 0);
	ck_assert_msg(strstr(c.reason, "no more than 4096 offsets"), "%s",
		      c.reason);
	free(t.in);
}
END_TEST

/* If address bits distinguish more sets than a list has lines for, that is no
 * reason to say that the lines do not fit.
 */
START_TEST(test_many_linear)
{
	struct evset_set set = { .count = WAYS + 1 };
	struct evset_count c = { .set = &set,
				 .line_bytes = LINE_BYTES,
				 .sets = 1 };
	struct flat t;

	begin(&t, 64, 256 * KIB);
	t.e.window.block_bytes = t.e.window.bytes;
	for (size_t i = 0; i < set.count; i++)
		set.lines[i] = i * LINE_BYTES * set_count(&t);
	ck_assert_int_eq(evset_linear_sets(&t.e, &c, &f), 0);
	ck_assert_uint_eq(c.sets, 0);
	ck_assert_msg(strstr(c.reason, "18 address bits") &&
			      strstr(c.reason, "more than are walked"),
		      "%s", c.reason);
	free(t.in);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("large");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_many_sets);
	tcase_add_test(t, test_many_offsets);
	tcase_add_test(t, test_many_linear);
	suite_add_tcase(s, t);
	return s;
}
