// SPDX-License-Identifier: GPL-2.0
/*
 * check_nonsense.c - machines whose times follow no cache: the clock of an
 * emulator, a counter that stands still. Whatever they say, a measurement ends,
 * and from chance nothing is concluded.
 */
#include <math.h>
#include <stdio.h>

#include "kit/disturber.h"
#include "method/amp/ampkit.h"
#include "method/measure.h"
#include "suites.h"

enum sense {
	BY_LENGTH, /* steps where no cache ends */
	BY_LIST,   /* each list has a time of its own, always the same */
	BY_CHANCE, /* each sample has another one */
	TAILS,	   /* the truth, times anything */
	SOME,	   /* some lists lie */
	CONSTANT,
	NOTHING, /* the clock stands still */
	SENSES,
};

static const double levels[] = { 4, 14, 45, 220 };

static struct {
	enum sense sense;
	struct rng rng;
	double ends[3];
} nonsense;

static uint64_t mixed(uint64_t x)
{
	return rng_next(&(struct rng){ x });
}

static uint64_t name_of(const struct sequence *s)
{
	uint64_t name = s->length;

	for (size_t i = 0; i < s->length; i++)
		name = mixed(name ^ s->offsets[i]);
	return name;
}

static double by_length(size_t length)
{
	int level = 0;

	while (level < 3 && (double)length > nonsense.ends[level])
		level++;
	return levels[level];
}

static double ticks_of(const struct sequence *s, uint64_t name,
		       const struct sample *sample)
{
	double each = sample->ticks / (double)sample->loads;

	switch (nonsense.sense) {
	case BY_LENGTH:
		return by_length(s->length);
	case BY_LIST:
		return levels[name % 4];
	case BY_CHANCE:
		return levels[rng_below(&nonsense.rng, 4)];
	case TAILS:
		return each * exp(3 * rng_uniform(&nonsense.rng));
	case SOME:
		return name % 100 < 30 ? levels[name / 100 % 4] : each;
	case CONSTANT:
		return 50;
	default:
		return 0;
	}
}

static void distort(const struct sequence *s, const struct walk_plan *plan,
		    struct sample *samples)
{
	uint64_t name = name_of(s);

	for (unsigned int i = 0; i < plan->samples; i++)
		samples[i].ticks = (double)samples[i].loads *
				   ticks_of(s, name, &samples[i]) *
				   (1 + 0.02 * rng_uniform(&nonsense.rng));
}

static void begin(struct machine *m, enum sense sense, uint64_t seed)
{
	nonsense.sense = sense;
	nonsense.rng = (struct rng){ seed };
	nonsense.ends[0] = exp2(2 + 9 * rng_uniform(&nonsense.rng));
	for (int i = 1; i < 3; i++)
		nonsense.ends[i] = nonsense.ends[i - 1] *
				   exp2(7 * rng_uniform(&nonsense.rng));
	after_walks(m, distort);
}

static void measure_nonsense(const char *name, enum sense sense, uint64_t seed,
			     struct hierarchy *h)
{
	struct machine *m = ampkit_open_file(name, seed);
	struct failure f = { .text = "" };
	struct prober p;

	begin(m, sense, seed);
	prober_begin(&p, m, seed);
	p.by = PROBER_BY_TIME;
	hierarchy_init(h);
	ck_assert_msg(
		!measure_everything(&p,
				    EVERYTHING_CACHES | EVERYTHING_BEHAVIOUR |
					    EVERYTHING_CODE | EVERYTHING_TLBS,
				    h, &f) ||
			*f.text,
		"no reason");
	machine_close(m);
}

static bool is_decided(const struct cache_result *c)
{
	return parameter_is_measured(&c->ways) ||
	       parameter_is_measured(&c->capacity_bytes) ||
	       parameter_is_measured(&c->line_bytes);
}

START_TEST(nonsense_ends)
{
	static const char *const names[] = { "amp-p5-133", "adv-hashed-l2",
					     "adv-lip", "adv-four-levels" };
	uint64_t first = from_environment("PROBE_PHYS_SEED", 1);
	uint64_t seeds = from_environment("PROBE_PHYS_SEEDS", 1);
	enum sense sense = (enum sense)(_i % SENSES);

	if (!is_in_part(_i))
		return;
	for (uint64_t seed = first; seed < first + seeds; seed++) {
		struct hierarchy h;

		measure_nonsense(names[_i / SENSES], sense, seed, &h);
		if (sense != BY_CHANCE && sense < CONSTANT)
			continue;
		for (size_t i = 0; i < h.cache_count; i++)
			ck_assert_msg(!is_decided(&h.caches[i]),
				      "%s, seed %lu: L%zu: %g ways, %g bytes",
				      names[_i / SENSES], (unsigned long)seed,
				      i + 1, h.caches[i].ways.value,
				      h.caches[i].capacity_bytes.value);
		for (size_t i = 0; i < h.tlb_count; i++)
			ck_assert(!parameter_is_measured(&h.tlbs[i].entries));
		ck_assert(sense != NOTHING ||
			  !parameter_is_measured(&h.caches[0].latency_cycles));
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("nonsense");

	printf("nonsense: PROBE_PHYS_SEED=%lu\n",
	       (unsigned long)from_environment("PROBE_PHYS_SEED", 1));
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, nonsense_ends, 0, 4 * SENSES);
	suite_add_tcase(s, t);
	return s;
}
