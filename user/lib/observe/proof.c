// SPDX-License-Identifier: GPL-2.0
#include "observe/proof.h"

#include <errno.h>

#include "observe/sampler.h"

#define LEAST_BYTES ((PROOF_COLD_LINES - 1) * PROOF_COLD_STRIDE + 8)

#define SAMPLES 16
#define HOT_LOADS 2048
#define WARM_ROUNDS 64

/* A wrong event is off by much more, a disturbance by less: of the samples the
 * median is taken.
 */
#define HOT_MOST 0.25
#define COLD_LEAST (0.75 * PROOF_COLD_LINES)
#define COLD_MOST (1.5 * PROOF_COLD_LINES)

/* Median of counts per load; *answered: it counted at all. */
static int median(struct machine *m, const struct sequence *s,
		  const struct walk_plan *plan, enum machine_counter counter,
		  double *per_load, bool *answered, struct failure *f)
{
	struct readings r = { .count = 0 };
	int error = sampler_observe(m, s, plan, 1U << counter, &r, f);

	*per_load = statistics_quantile(r.values, r.count, 0.5);
	*answered = *answered && !error && r.count;
	return error;
}

int proof_of_counter(struct machine *m, uint64_t offset, uint64_t bytes,
		     enum machine_counter counter, struct proof *proof,
		     struct failure *f)
{
	const struct walk_plan hot_plan = { .warm_rounds = WARM_ROUNDS,
					    .loads = HOT_LOADS,
					    .samples = SAMPLES };
	const struct walk_plan cold_plan = { .flags = WALK_COLD,
					     .samples = SAMPLES };
	uint64_t hot[PROOF_HOT_LOADS], cold[PROOF_COLD_LINES];
	const struct sequence hits = { hot, PROOF_HOT_LOADS };
	const struct sequence misses = { cold, PROOF_COLD_LINES };
	bool answered = true;
	int error;

	*proof = (struct proof){ .answered = false };
	if (bytes < LEAST_BYTES)
		return -ERANGE;
	for (size_t i = 0; i < PROOF_HOT_LOADS; i++)
		hot[i] = offset + i * sizeof(uint64_t);
	/* Not in their order, or a stream could be recognised. */
	for (size_t i = 0; i < PROOF_COLD_LINES; i++)
		cold[i] = offset + i * 29 % PROOF_COLD_LINES *
					   (uint64_t)PROOF_COLD_STRIDE;
	error = median(m, &hits, &hot_plan, counter, &proof->hot, &answered, f);
	if (!error)
		error = median(m, &misses, &cold_plan, counter, &proof->cold,
			       &answered, f);
	proof->hot *= PROOF_HOT_LOADS;
	proof->cold *= PROOF_COLD_LINES;
	proof->answered = !error && answered;
	proof->believed = proof->answered && proof->hot <= HOT_MOST &&
			  proof->cold >= COLD_LEAST && proof->cold <= COLD_MOST;
	return error;
}
