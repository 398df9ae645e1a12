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

/** enum dueling_role - the role of a set */
enum dueling_role {
	DUELING_ROLE_UNDECIDED,
	DUELING_FOLLOWS,
	/* leader with the policy of followers after thrashing: resists it */
	DUELING_LEADS_THRASH,
	/* leader with the policy of followers after reuse */
	DUELING_LEADS_REUSE,
	DUELING_ROLES,
};

/** enum dueling_verdict - whether the cache duels */
enum dueling_verdict {
	DUELING_UNDECIDED,
	/* no tested set changes its policy */
	DUELING_NOT_SEEN,
	DUELING_SEEN,
};

/**
 * struct dueling_relation - sets s with (s & @fixed) == @value and ((s >> @shift ^
 * s) & @pairs) == @differ
 * @fixed: bits of the set number that all these sets have in common; 0: none
 * @value: the values of these bits
 * @shift: distance between the two bits of a pair
 * @pairs: the lower bits of the pairs; 0: none
 * @differ: the lower bits of pairs whose two bits differ
 */
struct dueling_relation {
	uint64_t fixed;
	uint64_t value;
	unsigned int shift;
	uint64_t pairs;
	uint64_t differ;
};

/**
 * struct dueling_finding - set dueling of one cache
 * @verdict: whether sets duel
 * @tried: number of random sets tested before the full scan
 * @seen_bound: bound on the probability that DUELING_SEEN is wrong: the sum of the
 *              errors of its tests
 * @sets: number of sets
 * @roles: enum dueling_role of each set; NULL unless DUELING_SEEN
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
struct dueling_finding {
	enum dueling_verdict verdict;
	size_t tried;
	double seen_bound;
	uint64_t sets;
	unsigned char *roles;
	uint64_t counts[DUELING_ROLES];
	struct dueling_relation relations[DUELING_ROLES];
	bool related[DUELING_ROLES];
	double roles_bound;
	unsigned int readings;
	unsigned int pushes;
	char reason[256];
};

/** dueling_finding_free() - release the roles */
void dueling_finding_free(struct dueling_finding *found);

/**
 * struct dueling_range - adjacent sets of one role
 * @first: number of the first set
 * @last: number of the last set
 */
struct dueling_range {
	uint64_t first;
	uint64_t last;
};

/**
 * dueling_ranges() - the sets of a role
 * @ranges: (out) ascending, room for @most
 * Return: their number, which may exceed @most.
 */
size_t dueling_ranges(const struct dueling_finding *found,
		      enum dueling_role role, struct dueling_range *ranges,
		      size_t most);

/** dueling_related() - whether a relation holds for a set */
bool dueling_related(const struct dueling_relation *relation, uint64_t set);

/** DUELING_RELATION_TEXT - room for dueling_relation_text() */
#define DUELING_RELATION_TEXT 128

/**
 * dueling_relation_text() - the relation as a C expression
 * @text: (out) of DUELING_RELATION_TEXT bytes
 */
void dueling_relation_text(const struct dueling_relation *relation, char *text);

#endif
