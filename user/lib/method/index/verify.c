// SPDX-License-Identifier: GPL-2.0
/* verify.c - how an index function predicts fresh pairs of lines. */
#include <stdarg.h>
#include <stdio.h>

#include "base/wilson.h"
#include "method/index/search.h"
#include "method/index/tuning.h"

/* Largest share of fresh pairs of either kind that may be predicted wrongly. */
#define MOST_WRONG 0.01

static enum verdict agree_in_sequence(const struct index_function *function,
				      uint64_t a, uint64_t b)
{
	const struct index_sequence *q = &function->sequence;
	size_t at[2] = { 0 };

	if (!q->bits)
		return VERDICT_UNDECIDED;
	for (size_t i = 0; i < q->bits; i++) {
		at[0] |= (size_t)gf2_parity(q->masks[i], a ^ q->origin) << i;
		at[1] |= (size_t)gf2_parity(q->masks[i], b ^ q->origin) << i;
	}
	if (at[0] == at[1])
		return VERDICT_NON_COMPACT;
	/*
	 * The base sequence is known only for lines that agree with the origin.
	 */
	for (size_t i = 0; i < function->rank; i++)
		if (gf2_parity(function->masks[i], a ^ q->origin))
			return VERDICT_UNDECIDED;
	if (q->base[at[0]] == INDEX_NO_SLICE &&
	    q->base[at[1]] == INDEX_NO_SLICE)
		return VERDICT_UNDECIDED;
	return q->base[at[0]] == q->base[at[1]] ? VERDICT_NON_COMPACT :
						  VERDICT_COMPACT;
}

enum verdict index_agree(const struct index_function *function, uint64_t a,
			 uint64_t b)
{
	if (function->modulus_bytes)
		return (a > b ? a - b : b - a) % function->modulus_bytes ?
			       VERDICT_COMPACT :
			       VERDICT_NON_COMPACT;
	for (size_t i = 0; i < function->rank; i++)
		if (gf2_parity(function->masks[i], a ^ b))
			return VERDICT_COMPACT;
	if (function->nonlinear)
		return agree_in_sequence(function, a, b);
	return function->rank || function->kind ? VERDICT_NON_COMPACT :
						  VERDICT_UNDECIDED;
}

/**
 * struct drawing - how lines for predictions are drawn
 * @function: the index function that predicts
 * @bits: bits in which lines may differ
 * @known: differences that leave the parities of all masks unchanged
 */
struct drawing {
	const struct index_function *function;
	uint64_t bits;
	struct gf2_space known;
};

/* Draw a line that shares the set of @from, or one that narrowly does not. */
static uint64_t draw(const struct drawing *d, struct rng *rng, uint64_t from,
		     bool congruent, bool near)
{
	const struct index_function *fn = d->function;
	uint64_t base = from & ~d->bits, inside = rng_next(rng) & d->bits;
	uint64_t modulus = fn->modulus_bytes;

	if (modulus) {
		uint64_t step = modulus & -modulus;

		if (congruent)
			inside += (from & d->bits) % modulus - inside % modulus;
		else if (near)
			inside = (inside & ~(step - 1)) | (from & (step - 1));
		return base + (inside & d->bits);
	}
	if (congruent || fn->nonlinear)
		return from ^ gf2_random(&d->known, rng);
	if (near && fn->rank)
		return from ^ gf2_random(&d->known, rng) ^
		       (UINT64_C(1)
			<< gf2_low_bit(fn->masks[rng_below(rng, fn->rank)]));
	return base | inside;
}

/* Return: false when no such line was drawn. */
static bool draw_pair(const struct drawing *d, struct rng *rng, uint64_t from,
		      bool congruent, bool near, uint64_t *line)
{
	enum verdict wanted = congruent ? VERDICT_NON_COMPACT : VERDICT_COMPACT;

	for (int i = 0; i < VERIFY_DRAWS; i++) {
		*line = draw(d, rng, from, congruent, near);
		if (*line != from &&
		    index_agree(d->function, from, *line) == wanted)
			return true;
	}
	return false;
}

static void begin_drawing(struct drawing *d, const struct index_oracle *oracle,
			  const struct index_function *function)
{
	struct gf2_space rows = { .rank = 0 };

	*d = (struct drawing){ .function = function,
			       .bits = index_bits(oracle) };
	for (size_t i = 0; i < function->rank; i++)
		gf2_add(&rows, function->masks[i]);
	gf2_null_space(&rows, d->bits, &d->known);
}

void index_check_count(struct index_check *c, bool congruent, enum verdict said)
{
	if (said == VERDICT_UNDECIDED)
		c->undecided++;
	else if (congruent) {
		c->congruent++;
		c->false_congruent += said == VERDICT_COMPACT;
	} else {
		c->apart++;
		c->false_apart += said == VERDICT_NON_COMPACT;
	}
}

void index_check_rates(struct index_check *check)
{
	wilson_bounds(check->false_congruent, check->congruent,
		      &check->congruent_low, &check->congruent_high);
	wilson_bounds(check->false_apart, check->apart, &check->apart_low,
		      &check->apart_high);
}

int index_verify(const struct index_oracle *oracle,
		 const struct index_function *function, size_t pairs,
		 uint64_t seed, struct index_check *check, struct failure *f)
{
	const struct index_set *set = &oracle->sets[0];
	struct rng rng = { seed };
	struct drawing d;

	*check = (struct index_check){ .congruent = 0 };
	begin_drawing(&d, oracle, function);
	for (size_t i = 0; i < pairs; i++) {
		uint64_t from = set->lines[rng_below(&rng, set->count)], line;
		enum verdict said = VERDICT_UNDECIDED;
		bool congruent = i % 2;
		int error;

		if (!draw_pair(&d, &rng, from, congruent, i % 4 < 2, &line))
			continue;
		error = oracle->test(oracle->context, 0, &line, 1, &said, f);
		if (error)
			return error;
		index_check_count(check, congruent, said);
	}
	if (!check->congruent && !check->apart && !check->undecided)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"verify: the index function is not known (measure it first)");
	index_check_rates(check);
	return 0;
}

void index_withhold(struct index_function *found, const char *format, ...)
{
	struct index_function open = { .low_bit = found->low_bit,
				       .high_bit = found->high_bit,
				       .check = found->check };
	va_list args;

	va_start(args, format);
	vsnprintf(open.reason, sizeof(open.reason), format, args);
	va_end(args);
	*found = open;
}

void index_judge(struct index_function *found)
{
	const struct index_check *c = &found->check;

	if ((double)c->false_congruent > MOST_WRONG * (double)c->congruent ||
	    (double)c->false_apart > MOST_WRONG * (double)c->apart ||
	    c->undecided >= c->congruent + c->apart)
		index_withhold(
			found,
			"masks were found, but they fail on fresh pairs of lines: %zu of %zu predicted to conflict do not, %zu of %zu others do",
			c->false_congruent, c->congruent, c->false_apart,
			c->apart);
}

void index_check_sets(struct index_function *found, uint64_t sets)
{
	if (sets && found->rank < 64 && UINT64_C(1) << found->rank > sets)
		index_withhold(
			found,
			"%zu masks were found, which would distinguish more sets than the %llu that there are",
			found->rank, (unsigned long long)sets);
}
