// SPDX-License-Identifier: GPL-2.0
/* check_occupancy.c - numbers of sets against lists that fill them. */
#include <stdlib.h>

#include "kit/disturber.h"
#include "method/evset/count/pages.h"
#include "method/evset/guestkit.h"
#include "suites.h"

static struct failure f;

static const struct guest_level levels[] = {
	{ 16, 10, 4, "lru\"", 0, 0, 0, false },
	{ 16, 10, 4, "random\"", 10, 10, 20, false },
	{ 8, 10, 3, "tree-plru\"", 0, 10, 0, false },
	{ 8, 9, 9, "bit-plru\"", 10, 10, 0, false },
	{ 4, 10, 4, "lru\"", 0, 10, 0, false },
	{ 12, 9, 3, "srrip\"", 0, 10, 0, false },
	{ 16, 9, 4, "qlru\",\"variant\":\"H11_M1_R0_U0\"", 0, 10, 0, false },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))
/* Three of them, each with three costs. */
#define COSTLY 9

/* A prober's view of a guest, as for sorting pages. */
struct guest {
	struct prober p;
	struct xray x;
	struct evset_machine e;
	struct evset_count count;
};

static void begin(struct guest *g, struct machine *m)
{
	*g = (struct guest){ .x = { .hit_ticks = 14, .upper_count = 1 },
			     .e = { .scale.penalty = 46,
				    .window = { .low_bytes = GUEST_PAGE_BYTES,
						.bytes = GUEST_BYTES },
				    .effort.warmup_factor = 1,
				    .o.upper_evictors = 12 } };
	prober_begin(&g->p, m, 1);
	g->x.prober = &g->p;
	g->e.x = &g->x;
}

/* Half as many sets are contradicted, and twice as many; the right number is
 * not.
 */
START_TEST(test_occupancy)
{
	if (!is_in_part_of(_i, LEVELS))
		return;

	const struct guest_level *l = &levels[_i];
	const uint64_t sets = UINT64_C(1) << l->bits;
	struct machine *m = guest_open(l, (uint64_t)_i + 1);
	enum outcome outcome = OUTCOME_OPEN;
	struct guest g;

	begin(&g, m);
	ck_assert_msg(!evset_occupancy(&g.e, sets, l->ways, 64, &outcome, &f),
		      "%s", f.text);
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	ck_assert_msg(!evset_occupancy(&g.e, 2 * sets, l->ways, 64, &outcome,
				       &f),
		      "%s", f.text);
	ck_assert_int_ne(outcome, OUTCOME_DECIDED);
	/* With half as many ways, sets that are half as full overflow by
	 * chance.
	 */
	ck_assert(!evset_occupancy(&g.e, sets / 2, l->ways, 64, &outcome, &f));
	ck_assert(outcome != OUTCOME_DECIDED || l->ways < 8);
	machine_close(m);
}
END_TEST

/* Too few pages contradict nothing, nor do more than there are. */
START_TEST(test_no_occupancy)
{
	struct machine *m = guest_open(&levels[0], 1);
	enum outcome outcome = OUTCOME_OPEN;
	struct guest g;

	begin(&g, m);
	ck_assert(!evset_occupancy(&g.e, 16, 16, 64, &outcome, &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	ck_assert(!evset_occupancy(&g.e, 1 << 18, 16, 64, &outcome, &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	ck_assert(!evset_occupancy(&g.e, 1 << 12, 2, 64, &outcome, &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	machine_close(m);
}
END_TEST

/* As many lines as fit are sixteen thousand. */
static bool is_of_all(const struct walk_plan *plan, const struct sample *sample)
{
	(void)plan;
	return sample->loads > 16 * 512;
}

/* Disturbed samples confirm nothing. */
START_TEST(test_disturbed)
{
	const struct guest_level *l = &levels[0];
	struct machine *m = guest_open(l, 1);
	enum outcome outcome = OUTCOME_DECIDED;
	struct guest g;

	begin(&g, m);
	disturb_samples(m, is_of_all);
	ck_assert(!evset_occupancy(&g.e, UINT64_C(1) << l->bits, l->ways, 64,
				   &outcome, &f));
	ck_assert_int_ne(outcome, OUTCOME_DECIDED);
	machine_close(m);
}
END_TEST

/* Lines at one place, sorted by truth. */
static void sort_by_truth(const struct guest_level *l, struct machine *m,
			  struct evset_classes *c, struct rng *rng)
{
	const size_t count = ((size_t)1 << l->bits) >> l->folded;
	const size_t all = 4 * count * l->ways;
	uint64_t *lines = calloc(all, sizeof(*lines));
	size_t *set = calloc(all, sizeof(*set)), n = 0;

	guest_places(lines, all, rng);
	*c = (struct evset_classes){ .ways = l->ways,
				     .checked = true,
				     .lines = calloc(all, sizeof(*lines)) };
	for (size_t i = 0; i < all; i++)
		set[i] = guest_set(l, m, lines[i]);
	for (size_t i = 0; i < all; i++) {
		if (set[i] == SIZE_MAX)
			continue;
		c->begin[c->count++] = n;
		for (size_t j = all; j-- > i;)
			if (set[j] == set[i]) {
				c->lines[n++] = lines[j];
				set[j] = j == i ? set[i] : SIZE_MAX;
			}
	}
	c->begin[c->count] = n;
	c->line_count = n;
	ck_assert_uint_eq(c->count, count);
	free(lines);
	free(set);
}

/* Its pages, sorted by truth. */
static struct evset_pages *begin_pages(struct guest *g, struct machine *m,
				       const struct guest_level *l)
{
	struct evset_pages *p = calloc(1, sizeof(*p));

	begin(g, m);
	p->e = &g->e;
	g->count.line_bytes = 64;
	p->count = &g->count;
	sort_by_truth(l, m, &p->c, &g->p.rng);
	return p;
}

static void end_pages(struct evset_pages *p)
{
	free(p->c.lines);
	free(p->lines);
	free(p);
}

/* Of each @every walks of short lists one takes as long as if all missed. */
static struct {
	size_t longest;
	unsigned int every, walks, spoilt;
} burst;

static void spoil_thin(const struct sequence *s, const struct walk_plan *plan,
		       struct sample *samples)
{
	if (s->length > burst.longest || ++burst.walks % burst.every)
		return;
	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].ticks += 46 * samples[i].loads;
	burst.spoilt++;
}

/* Whenever the thin list is walked a neighbour disturbs it: no bit of the
 * offset leads to sets of its own because of that.
 */
START_TEST(test_burst)
{
	const struct guest_level *l = &levels[_i / 2];
	struct machine *m = guest_open(l, 1);
	struct guest g;
	struct evset_pages *p = begin_pages(&g, m, l);

	burst.longest = 2 * p->c.count * l->ways;
	burst.every = 2 + (unsigned int)_i % 2;
	burst.walks = burst.every - 2;
	after_walks(m, spoil_thin);
	ck_assert_msg(!evset_count_page_sets(p, &f), "%s", f.text);
	ck_assert_msg(g.count.sets == UINT64_C(1) << l->bits, "%llu: %s",
		      (unsigned long long)g.count.sets, g.count.reason);
	ck_assert_uint_ge(burst.spoilt, 3);
	end_pages(p);
	machine_close(m);
}
END_TEST

/* A penalty that was too large, under contention, makes lists seem to miss
 * less: no more sets are counted than there are.
 */
START_TEST(test_costly_misses)
{
	if (!is_in_part_of(_i, COSTLY))
		return;

	const struct guest_level *l = &levels[_i / 3];
	struct machine *m = guest_open(l, 1);
	struct guest g;
	struct evset_pages *p = begin_pages(&g, m, l);
	const uint64_t truth = UINT64_C(1) << l->bits;
	enum outcome outcome = OUTCOME_DECIDED;

	g.e.scale.penalty *= 2 + _i % 3;
	ck_assert_msg(!evset_count_page_sets(p, &f), "%s", f.text);
	ck_assert_msg(!g.count.sets || g.count.sets == truth, "%llu sets",
		      (unsigned long long)g.count.sets);
	ck_assert(g.count.sets || g.count.reason[0]);
	ck_assert(!evset_occupancy(&g.e, 2 * truth, l->ways, 64, &outcome, &f));
	ck_assert_int_ne(outcome, OUTCOME_DECIDED);
	end_pages(p);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("sets");

	tcase_add_loop_test(t, test_occupancy, 0, LEVELS);
	tcase_add_test(t, test_no_occupancy);
	tcase_add_test(t, test_disturbed);
	tcase_add_loop_test(t, test_burst, 0, 2);
	tcase_add_loop_test(t, test_costly_misses, 0, COSTLY);
	suite_add_tcase(suite, t);
	return suite;
}
