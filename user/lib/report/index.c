// SPDX-License-Identifier: GPL-2.0
/* index.c - an index function as JSON and below the table. */
#include "report/json_value.h"
#include "report/report.h"

static json_t *hexadecimal(const uint64_t *masks, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			array,
			json_sprintf("%#llx", (unsigned long long)masks[i]));
	return array;
}

static json_t *sequence(const struct index_sequence *q)
{
	json_t *o = json_object(), *base = json_array();

	for (size_t i = 0; i < (size_t)1 << q->bits; i++)
		json_array_append_new(base, q->base[i] == INDEX_NO_SLICE ?
						    json_null() :
						    json_integer(q->base[i]));
	json_set(o, "origin",
		 json_sprintf("%#llx", (unsigned long long)q->origin));
	json_set(o, "position_masks", hexadecimal(q->masks, q->bits));
	json_set(o, "base", base);
	json_set(o, "slices",
		 q->complete ? json_integer((json_int_t)q->slices) :
			       json_null());
	return o;
}

static json_t *rate(size_t pairs, size_t wrong, double low, double high)
{
	return json_pack("{s:I, s:I, s:f, s:f}", "pairs", (json_int_t)pairs,
			 "wrong", (json_int_t)wrong, "rate_low", low,
			 "rate_high", high);
}

static json_t *prediction(const struct index_check *c)
{
	return json_pack("{s:o, s:o, s:I}", "congruent",
			 rate(c->congruent, c->false_congruent,
			      c->congruent_low, c->congruent_high),
			 "apart",
			 rate(c->apart, c->false_apart, c->apart_low,
			      c->apart_high),
			 "undecided", (json_int_t)c->undecided);
}

static bool nothing_known(const struct index_function *function)
{
	return !function->high_bit ||
	       (!function->rank && !function->modulus_bytes &&
		!function->sequence.bits);
}

void json_index_function(json_t *index, const struct index_function *function)
{
	json_t *bits;

	if (function->check.congruent || function->check.apart)
		json_set(index, "prediction", prediction(&function->check));
	if (nothing_known(function)) {
		if (function->reason[0])
			json_set(index, "masks_reason",
				 json_string(function->reason));
		return;
	}
	bits = json_pack("{s:i, s:i}", "low", (int)function->low_bit, "high",
			 (int)function->high_bit);
	json_set(index, "bits_known", bits);
	json_set(index, "masks", hexadecimal(function->masks, function->rank));
	json_set(index, "rank", json_integer((json_int_t)function->rank));
	json_set(index, "linear_over_gf2",
		 function->nonlinear || function->modulus_bytes ? json_false() :
		 function->kind || function->rank		? json_true() :
								  json_null());
	if (function->modulus_bytes)
		json_set(index, "modulus_bytes",
			 json_integer((json_int_t)function->modulus_bytes));
	if (function->sequence.bits)
		json_set(index, "slice_sequence",
			 sequence(&function->sequence));
	if (function->limit[0])
		json_set(index, "limit", json_string(function->limit));
}

/* Masks of a single bit come first and print as ranges; the basis of lowest
 * weight lists them first.
 */
static size_t print_bits(const struct index_function *function, FILE *out)
{
	const uint64_t *masks = function->masks;
	size_t i = 0;

	while (i < function->rank && !(masks[i] & (masks[i] - 1))) {
		size_t last = i;

		while (last + 1 < function->rank &&
		       masks[last + 1] == masks[last] << 1)
			last++;
		fprintf(out, "%s bit%s %d", i ? "," : "", last > i ? "s" : "",
			__builtin_ctzll(masks[i]));
		if (last > i)
			fprintf(out, " to %d", __builtin_ctzll(masks[last]));
		i = last + 1;
	}
	return i;
}

void table_index_masks(const struct index_function *function, FILE *out)
{
	size_t shown;

	if (function->rank) {
		fputs("   lines of a set agree in", out);
		shown = print_bits(function, out);
		if (shown < function->rank)
			fprintf(out, "%s the parity of", shown ? "," : "");
		for (size_t i = shown; i < function->rank; i++)
			fprintf(out, "%s %#llx", i > shown ? "," : "",
				(unsigned long long)function->masks[i]);
		fputc('\n', out);
	}
	if (function->modulus_bytes)
		fprintf(out, "   lines of a set are multiples of %llu apart\n",
			(unsigned long long)function->modulus_bytes);
	if (function->nonlinear)
		fputs("   and is no XOR of address bits beyond that\n", out);
}

/* Print how many fresh pairs of each kind were predicted wrongly. */
static void print_check(const struct index_check *check, FILE *out)
{
	if (!check->congruent && !check->apart)
		return;
	fputs("   of fresh pairs of lines", out);
	if (check->congruent)
		fprintf(out, " %zu of %zu that it puts together are apart%s",
			check->false_congruent, check->congruent,
			check->apart ? "," : "");
	if (check->apart)
		fprintf(out, " %zu of %zu %s together", check->false_apart,
			check->apart,
			check->congruent ? "others" :
					   "that it keeps apart are");
	fputc('\n', out);
}

void table_index_function(const struct index_function *function, FILE *out)
{
	if (nothing_known(function)) {
		if (function->reason[0])
			fprintf(out, "   masks undecided: %s\n",
				function->reason);
		return;
	}
	table_index_masks(function, out);
	print_check(&function->check, out);
	if (function->limit[0])
		fprintf(out, "   %s\n", function->limit);
}
