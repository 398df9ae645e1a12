/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dueling_finding.h - which sets of a cache are leaders of set dueling, and how
 * their numbers are related.
 */
#ifndef PROBE_PHYS_RESULT_DUELING_FINDING_H
#define PROBE_PHYS_RESULT_DUELING_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum duel_role - the role of a set */
enum duel_role {
	DUEL_UNTOLD,
	DUEL_FOLLOWS,
	/* leader with the policy of followers after thrashing: resists it */
	DUEL_LEADS_THRASH,
	/* leader with the policy of followers after reuse */
	DUEL_LEADS_REUSE,
	DUEL_ROLES,
};

/** enum duel_verdict - whether the cache duels */
enum duel_verdict {
	DUEL_UNDECIDED,
	/* no tested set changes its policy */
	DUEL_NOT_SEEN,
	DUEL_SEEN,
};

/**
 * struct duel_relation - sets s with (s & @fixed) == @value and ((s >> @shift ^
 * s) & @pairs) == @differ
 * @fixed: bits of the set number that all these sets have in common; 0: none
 * @value: the values of these bits
 * @shift: distance between the two bits of a pair
 * @pairs: the lower bits of the pairs; 0: none
 * @differ: the lower bits of pairs whose two bits differ
 */
struct duel_relation {
	uint64_t fixed;
	uint64_t value;
	unsigned int shift;
	uint64_t pairs;
	uint64_t differ;
};

/**
 * struct duel_finding - set dueling of one cache
 * @verdict: whether sets duel
 * @tried: number of random sets tested before the full scan
 * @seen_bound: bound on the probability that DUEL_SEEN is wrong: the sum of the
 *              errors of its tests
 * @sets: number of sets
 * @roles: enum duel_role of each set; NULL unless DUEL_SEEN
 * @counts: number of sets, by role
 * @relations: by role, a relation that holds for exactly the sets of that role,
 *             if @related
 * @related: by role, whether such a relation was found
 * @roles_bound: bound on the probability that any role is wrong
 * @readings: number of times that a set's policy was measured
 * @pushes: number of times that leaders were made to miss, to change the
 *          followers' policy
 * @reason: why something is undecided
 */
struct duel_finding {
	enum duel_verdict verdict;
	size_t tried;
	double seen_bound;
	uint64_t sets;
	unsigned char *roles;
	uint64_t counts[DUEL_ROLES];
	struct duel_relation relations[DUEL_ROLES];
	bool related[DUEL_ROLES];
	double roles_bound;
	unsigned int readings;
	unsigned int pushes;
	char reason[256];
};

/** duel_finding_free() - release the roles */
void duel_finding_free(struct duel_finding *found);

/**
 * struct duel_range - adjacent sets of one role
 * @first: number of the first set
 * @last: number of the last set
 */
struct duel_range {
	uint64_t first;
	uint64_t last;
};

/**
 * duel_ranges() - the sets of a role
 * @ranges: (out) ascending, room for @most
 * Return: their number, which may exceed @most.
 */
size_t duel_ranges(const struct duel_finding *found, enum duel_role role,
		   struct duel_range *ranges, size_t most);

/** duel_related() - whether a relation holds for a set */
bool duel_related(const struct duel_relation *relation, uint64_t set);

/** DUEL_RELATION_TEXT - room for duel_relation_text() */
#define DUEL_RELATION_TEXT 128

/**
 * duel_relation_text() - the relation as a C expression
 * @text: (out) of DUEL_RELATION_TEXT bytes
 */
void duel_relation_text(const struct duel_relation *relation, char *text);

#endif
