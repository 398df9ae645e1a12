// SPDX-License-Identifier: GPL-2.0
#include "kit/liar.h"

#include <check.h>
#include <stdlib.h>

#include "base/rng.h"
#include "kit/profilekit.h"
#include "observe/proof.h"

/**
 * struct liar - a machine whose counters count wrongly
 * @machine: the machine that methods use
 * @honest: the machine that walks
 * @lie: how the counters differ from it
 * @rng: of false counts
 */
struct liar {
	struct machine machine;
	struct machine *honest;
	enum lie lie;
	struct rng rng;
};

static double less_what_reading_costs(double counted, double more)
{
	return counted + more < 0 ? 0 : counted + more;
}

static void falsify(struct liar *l, struct sample *s, bool cold)
{
	double *l1 = &s->counts[COUNTER_L1D_MISS];
	double *l2 = &s->counts[COUNTER_L2_MISS];
	double *l3 = &s->counts[COUNTER_L3_MISS];
	double more = 0, times = 1;

	switch (l->lie) {
	case TRUTH:
		return;
	case MULTIPLEXED:
		s->counted = 0;
		return;
	case LEVEL_ABOVE:
		*l2 = *l1;
		return;
	case LEVEL_BELOW:
		*l2 = *l3;
		return;
	case DEAD:
		times = 0;
		break;
	case STUCK:
		times = 0;
		more = PROOF_COLD_LINES;
		break;
	case EVERY_LOAD:
		more = (double)s->loads;
		break;
	case HALF:
		times = 0.5;
		break;
	case FALSE_COUNTS:
		if (rng_uniform(&l->rng) < 0.2)
			more = (double)(1 + rng_below(&l->rng, 20));
		break;
	case COLD_READS:
		if (cold)
			more = (double)rng_below(&l->rng, 14) - 5;
		break;
	}
	*l1 = less_what_reading_costs(*l1 * times, more);
	*l2 = less_what_reading_costs(*l2 * times, more);
	*l3 = less_what_reading_costs(*l3 * times, more);
}

static int walk(struct machine *m, const struct sequence *q,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct liar *l = (struct liar *)m;
	struct walk_plan all = *plan;
	int error;

	if (plan->counters)
		all.counters = l->honest->counters;
	error = l->honest->ops->walk(l->honest, q, &all, samples, f);
	for (unsigned int i = 0; !error && i < plan->samples; i++) {
		falsify(l, &samples[i], plan->step_count);
		samples[i].counted &= plan->counters;
	}
	return error;
}

static double add_chain(struct machine *m, unsigned int adds)
{
	struct liar *l = (struct liar *)m;

	return l->honest->ops->add_chain(l->honest, adds);
}

static void no_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

static void close_liar(struct machine *m)
{
	struct liar *l = (struct liar *)m;

	machine_close(l->honest);
	free(l);
}

static const struct machine_ops ops = {
	.kind = "liar",
	.walk = walk,
	.add_chain = add_chain,
	.pause = no_pause,
	.close = close_liar,
};

struct machine *open_liar(const char *text, enum lie lie, uint64_t seed)
{
	struct liar *l = calloc(1, sizeof(*l));

	ck_assert_ptr_nonnull(l);
	l->honest = profilekit_open(text, UINT64_C(64) << 20, seed);
	l->machine = *l->honest;
	l->machine.ops = &ops;
	l->lie = lie;
	l->rng.state = seed;
	return &l->machine;
}
