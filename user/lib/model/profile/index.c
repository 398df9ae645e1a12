// SPDX-License-Identifier: GPL-2.0
/* index.c - how an array finds its sets. */
#include <stdio.h>
#include <stdlib.h>

#include "model/profile/parse.h"

#define MAX_SLICES 1024
#define MAX_TABLE 65536

/* Rows over GF(2), reduced as they come: each keeps a highest bit of its own.
 */
struct rows {
	uint64_t of_bit[64];
};

/* Return: false when the row depends on those before. */
static bool add_row(struct rows *rows, uint64_t row)
{
	while (row) {
		unsigned int bit = profile_log2(row);

		if (!rows->of_bit[bit]) {
			rows->of_bit[bit] = row;
			return true;
		}
		row ^= rows->of_bit[bit];
	}
	return false;
}

/* Bits inside a line select nothing. */
static uint64_t above_line(uint64_t mask, unsigned int line_bytes)
{
	return line_bytes ? mask & ~(uint64_t)(line_bytes - 1) : mask;
}

static int read_masks(const struct value *v, uint64_t *masks, size_t *count,
		      size_t least, unsigned int line_bytes, struct rows *rows)
{
	int error = value_array(v, least, PROFILE_MAX_MASKS, count);

	for (size_t i = 0; !error && i < *count; i++) {
		struct value mask = value_element(v, i);

		error = value_mask(&mask, &masks[i]);
		if (!error && !add_row(rows, above_line(masks[i], line_bytes)))
			error = value_refuse(
				&mask,
				"%#llx depends on the masks before it (give independent ones)",
				(unsigned long long)masks[i]);
	}
	return error;
}

static int check_power(const struct value *v, uint64_t sets)
{
	if (profile_power_of_two(sets))
		return 0;
	return value_refuse(
		v,
		"linear, but %llu sets are no power of two (change capacity or ways, or use modulo)",
		(unsigned long long)sets);
}

static int read_fold(const struct value *v, uint64_t sets,
		     struct profile_index *index)
{
	struct value fold = value_member(v, "fold");
	int error = value_count(&fold, 1, 24, &index->fold);

	if (!error && UINT64_C(1) << index->fold != sets)
		error = value_refuse(&fold,
				     "%u bits give %llu sets, there are %llu",
				     index->fold, 1ULL << index->fold,
				     (unsigned long long)sets);
	return error;
}

static int read_xor(const struct value *v, uint64_t sets,
		    unsigned int line_bytes, struct profile_index *index,
		    struct rows *rows)
{
	struct value masks = value_member(v, "masks");
	struct value fold = value_member(v, "fold");
	int error;

	if (fold.json && line_bytes)
		return value_refuse(&fold, "is for TLBs (use masks)");
	if (fold.json && masks.json)
		return value_refuse(&fold, "stands beside masks (give one)");
	if (fold.json)
		return read_fold(v, sets, index);
	error = value_required(&masks);
	if (!error)
		error = read_masks(&masks, index->masks, &index->mask_count, 1,
				   line_bytes, rows);
	if (!error && UINT64_C(1) << index->mask_count != sets)
		error = value_refuse(&masks,
				     "%zu masks give %llu sets, there are %llu",
				     index->mask_count,
				     1ULL << index->mask_count,
				     (unsigned long long)sets);
	return error;
}

/* The index within a slice; linear rows count against the slices' masks. */
static int read_inner(const struct value *v, uint64_t sets,
		      unsigned int line_bytes, struct profile_index *index,
		      struct rows *rows)
{
	static const char *const keys[] = { "kind", "masks", NULL };
	static const char *const kinds[] = { "linear", "modulo", "xor", NULL };
	struct value inner = value_member(v, "index");
	struct value kind = value_member(&inner, "kind");
	struct value masks = value_member(&inner, "masks");
	unsigned int word = PROFILE_INDEX_LINEAR;
	int error = value_object(&inner, keys);

	if (!error)
		error = value_choice(&kind, kinds, &word);
	if (error)
		return error;
	index->inner = word;
	if (index->inner == PROFILE_INDEX_XOR)
		return read_xor(&inner, sets, line_bytes, index, rows);
	if (masks.json)
		return value_refuse(&masks, "unknown key (it is for xor)");
	if (index->inner == PROFILE_INDEX_MODULO)
		return 0;
	for (uint64_t bit = 1; bit < sets; bit *= 2)
		add_row(rows, bit * (line_bytes ? line_bytes : 1));
	return check_power(inner.json ? &inner : v, sets);
}

static int read_table(const struct value *v, struct profile_index *index)
{
	struct value table = value_member(v, "slice_table");
	struct value block = value_member(v, "slice_block_lines");
	uint64_t used[MAX_SLICES / 64] = { 0 };
	unsigned int seen = 0;
	size_t count;
	int error = value_array(&table, 1, MAX_TABLE, &count);
	uint64_t lines = count;

	if (!error)
		error = value_integer(&block, 1, MAX_TABLE, &lines);
	if (!error && (lines != count || !profile_power_of_two(count)))
		error = value_refuse(
			&table,
			"%zu entries for blocks of %llu lines (give as many, a power of two)",
			count, (unsigned long long)lines);
	if (error)
		return error;
	index->slice_block_lines = count;
	index->slice_table = calloc(count, sizeof(*index->slice_table));
	if (!index->slice_table)
		return value_refuse(&table, "out of memory (free some)");
	for (size_t i = 0; !error && i < count; i++) {
		struct value entry = value_element(&table, i);
		unsigned int *slice = &index->slice_table[i];

		error = value_count(&entry, 0, index->slices - 1, slice);
		seen += !(used[*slice / 64] >> *slice % 64 & 1);
		used[*slice / 64] |= UINT64_C(1) << *slice % 64;
	}
	if (!error && seen < index->slices)
		error = value_refuse(&table, "names %u of %u slices (use all)",
				     seen, index->slices);
	return error;
}

static int read_permutations(const struct value *v, unsigned int line_bytes,
			     struct profile_index *index)
{
	static const size_t room =
		sizeof(index->permutations) / sizeof(index->permutations[0]);
	struct value all = value_member(v, "slice_permutations");
	uint64_t block = index->slice_block_lines;
	unsigned int least =
		profile_log2(line_bytes ? line_bytes : 1) + profile_log2(block);
	const char *key;
	json_t *json;

	if (all.json && !json_is_object(all.json))
		return value_refuse(&all, "is no object of bit: value");
	json_object_foreach(all.json, key, json)
	{
		struct profile_permutation *p =
			&index->permutations[index->permutation_count];
		struct value one = value_member(&all, key);
		char *end;
		unsigned long bit = strtoul(key, &end, 10);

		if (key[0] < '0' || key[0] > '9' || *end || bit < least ||
		    bit > 63)
			return value_refuse(
				&one,
				"is no address bit above the block (give %u to 63)",
				least);
		if (index->permutation_count == room)
			return value_refuse(&all, "more than %zu bits", room);
		p->bit = (unsigned int)bit;
		if (value_mask(&one, &p->value))
			return -EINVAL;
		if (p->value >= block)
			return value_refuse(
				&one, "%llu is beyond the block of %llu lines",
				(unsigned long long)p->value,
				(unsigned long long)block);
		index->permutation_count++;
	}
	return 0;
}

static int read_slice_masks(const struct value *v, unsigned int line_bytes,
			    struct profile_index *index, struct rows *rows)
{
	struct value masks = value_member(v, "slice_masks");
	int error = read_masks(&masks, index->slice_masks,
			       &index->slice_mask_count, 0, line_bytes, rows);

	if (!error && 1U << index->slice_mask_count != index->slices)
		error = value_refuse(
			&masks,
			"%zu masks give %u slices, there are %u (give a mask per bit, or slice_table)",
			index->slice_mask_count, 1U << index->slice_mask_count,
			index->slices);
	return error;
}

static int read_sliced(const struct value *v, uint64_t sets,
		       unsigned int line_bytes, struct profile_index *index)
{
	struct value slices = value_member(v, "slices");
	struct value masks = value_member(v, "slice_masks");
	struct value table = value_member(v, "slice_table");
	struct rows rows = { { 0 } };
	int error = value_required(&slices);

	if (!error)
		error = value_count(&slices, 1, MAX_SLICES, &index->slices);
	if (!error && sets % index->slices)
		error = value_refuse(&slices,
				     "%llu sets cannot be split into %u",
				     (unsigned long long)sets, index->slices);
	if (!error && masks.json && table.json)
		error = value_refuse(
			&table, "stands beside slice_masks (give one of them)");
	if (error)
		return error;
	if (table.json) {
		error = read_inner(v, sets / index->slices, line_bytes, index,
				   &rows);
		if (!error)
			error = read_table(v, index);
		return error ? error : read_permutations(v, line_bytes, index);
	}
	for (const char *const *key =
		     (const char *const[]){ "slice_block_lines",
					    "slice_permutations", NULL };
	     *key; key++) {
		struct value stray = value_member(v, *key);

		if (stray.json)
			return value_refuse(&stray,
					    "needs slice_table (add it)");
	}
	error = read_inner(v, sets / index->slices, line_bytes, index, &rows);
	return error ? error : read_slice_masks(v, line_bytes, index, &rows);
}

const char *const *profile_index_kinds(void)
{
	static const char *const kinds[] = { "linear", "modulo", "xor",
					     "sliced", NULL };

	return kinds;
}

int profile_read_index(const struct value *v, uint64_t sets,
		       unsigned int line_bytes, struct profile_index *index)
{
	static const char *const plain[] = { "kind", NULL };
	static const char *const xored[] = { "kind", "masks", "fold", NULL };
	static const char *const sliced[] = { "kind",
					      "slices",
					      "slice_masks",
					      "slice_table",
					      "slice_block_lines",
					      "index",
					      "slice_permutations",
					      NULL };
	static const char *const *const keys[] = { plain, plain, xored,
						   sliced };
	unsigned int kind = PROFILE_INDEX_LINEAR;
	struct rows rows = { { 0 } };
	struct value word;
	int error;

	if (v->json && !json_is_object(v->json))
		return value_object(v, plain);
	word = value_member(v, "kind");
	if (v->json && value_required(&word))
		return -EINVAL;
	error = value_choice(&word, profile_index_kinds(), &kind);
	if (!error)
		error = value_object(v, keys[kind]);
	if (error)
		return error;
	index->kind = kind;
	switch (index->kind) {
	case PROFILE_INDEX_LINEAR:
		return check_power(v->json ? v : v->up, sets);
	case PROFILE_INDEX_XOR:
		return read_xor(v, sets, line_bytes, index, &rows);
	case PROFILE_INDEX_SLICED:
		return read_sliced(v, sets, line_bytes, index);
	default:
		return 0;
	}
}

void profile_free_index(struct profile_index *index)
{
	free(index->slice_table);
	index->slice_table = NULL;
}
