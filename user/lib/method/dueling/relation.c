// SPDX-License-Identifier: GPL-2.0
#include "method/dueling/relation.h"

/* Few sets are related by chance: one choice of four in 64 sets in 61. */
#define LEAST_SETS 8

/**
 * struct alike - bits that are the same in all sets of a role
 * @all: all bits of a set's number
 * @first: number of the first of the sets
 * @changes: bits that differ from @first in some set
 * @count: number of the sets
 */
struct alike {
	uint64_t all;
	uint64_t first;
	uint64_t changes;
	uint64_t count;
};

static struct alike compare(const struct dueling_finding *found,
			    enum dueling_role role)
{
	struct alike a = { .all = found->sets - 1 };

	for (uint64_t set = 0; set < found->sets; set++) {
		if (found->roles[set] != role)
			continue;
		if (!a.count++)
			a.first = set;
		a.changes |= set ^ a.first;
	}
	return a;
}

static uint64_t gray(uint64_t set, unsigned int shift)
{
	return set >> shift ^ set;
}

/* Bits that change only together with the bit @shift places higher. */
static uint64_t pairs_of(const struct dueling_finding *found,
			 enum dueling_role role, const struct alike *a,
			 unsigned int shift)
{
	uint64_t pairs = a->changes & a->changes >> shift;

	for (uint64_t set = 0; pairs && set < found->sets; set++)
		if (found->roles[set] == role)
			pairs &= ~(gray(set, shift) ^ gray(a->first, shift));
	return pairs;
}

/*
 * Each fixed bit and each pair halves the number of sets: they are independent.
 */
static bool leaves(const struct alike *a, uint64_t fixed, uint64_t pairs)
{
	int halves = __builtin_popcountll(fixed) + __builtin_popcountll(pairs);

	return halves && (a->all + 1) >> halves == a->count;
}

bool dueling_relate(const struct dueling_finding *found, enum dueling_role role,
		    struct dueling_relation *relation)
{
	struct alike a;

	*relation = (struct dueling_relation){ .fixed = 0 };
	if (!found->roles || !found->sets || found->sets & (found->sets - 1))
		return false;
	a = compare(found, role);
	if (a.count < LEAST_SETS)
		return false;
	relation->fixed = a.all & ~a.changes;
	relation->value = a.first & relation->fixed;
	if (leaves(&a, relation->fixed, 0))
		return true;
	for (unsigned int shift = 1; a.all >> shift; shift++) {
		uint64_t pairs = pairs_of(found, role, &a, shift);

		if (!leaves(&a, relation->fixed, pairs))
			continue;
		relation->shift = shift;
		relation->pairs = pairs;
		relation->differ = gray(a.first, shift) & pairs;
		return true;
	}
	return false;
}
