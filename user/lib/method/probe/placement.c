// SPDX-License-Identifier: GPL-2.0
/* placement.c - where a shape lies, in which order, and how it is walked. */
#include "method/probe/prober.h"
#include "method/probe/tuning.h"

/* Rounds until any deterministic policy has settled, and bimodal insertion
 * nearly so, but no more loads than this.
 */
#define LONG_WARM_ROUNDS 250
/* No line of any level is longer; bases are aligned to it. */
#define BASE_ALIGN 1024
/* Where none is shared by two addresses anyway, any place in a line will do. */
#define BASE_ALIGN_APART 64

/* Addresses further apart than any line is long share the same sets wherever in
 * their lines they are. Nearly all sets come up then: in some of them the program
 * keeps lines of its own as long as it runs.
 */
static uint64_t base_align(const struct shape *w)
{
	bool apart = shape_columns(w) == 1 && !w->skews &&
		     w->stride % BASE_ALIGN == 0;

	return apart ? BASE_ALIGN_APART : BASE_ALIGN;
}

bool prober_choose_base(struct prober *p, const struct shape *w, uint64_t *base)
{
	uint64_t span = shape_span(w), align = base_align(w);

	if (span > p->arena_bytes)
		return false;
	*base = p->arena_offset +
		rng_below(&p->rng, (p->arena_bytes - span) / align + 1) * align;
	return true;
}

struct walk_plan prober_plan(size_t length, unsigned int flags,
			     unsigned int loads)
{
	size_t warm = WARM_LOADS / (length ? length : 1);

	if (warm > WARM_ROUNDS)
		warm = WARM_ROUNDS;
	if (warm < WARM_ROUNDS_LEAST)
		warm = WARM_ROUNDS_LEAST;
	if (flags & PROBER_SHORT_WARMUP)
		warm = WARM_ROUNDS_LEAST;
	else if (flags & PROBER_LONG_WARMUP)
		warm = length > MANY_LINES ? WARM_ROUNDS : LONG_WARM_ROUNDS;
	return (struct walk_plan){
		.flags = flags & ~(PROBER_LONG_WARMUP | PROBER_SHORT_WARMUP),
		.warm_rounds = (unsigned int)warm,
		.loads = loads,
		.samples = PROBER_BLOCK_SAMPLES,
	};
}

int prober_build(struct prober *p, const struct shape *w, uint64_t base,
		 struct sequence *s, struct failure *f)
{
	int error = sequence_place(s, w, base);

	/* Copies may fall onto each other when a level above is not what it
	 * was taken for (an emulator's): no such sequence can be walked.
	 */
	if (!error && shape_columns(w) > 1)
		error = sequence_check(s);
	if (!error && w->scatter)
		sequence_scatter(s, w, &p->rng);
	if (!error)
		error = sequence_shuffle_shape(s, w, &p->rng);
	if (!error)
		return 0;
	sequence_free(s);
	return error == -EEXIST ? -ERANGE : prober_out_of_memory(f);
}
