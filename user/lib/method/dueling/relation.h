/* SPDX-License-Identifier: GPL-2.0 */
/*
 * relation.h - a relation between the numbers of leader sets.
 *
 * Simple circuits choose leaders: constant bits of a set's number, or two parts
 * of it that are equal or complements (Qureshi et al., ISCA 2007,
 * "complement-select"). A relation is stated only if it holds for the sets that
 * were found and no others.
 */
#ifndef PROBE_PHYS_METHOD_DUELING_RELATION_H
#define PROBE_PHYS_METHOD_DUELING_RELATION_H

#include "result/dueling_finding.h"

/**
 * dueling_relate() - find the relation between the sets of a role
 * @relation: (out)
 * Return: false: too few sets, their number in the cache is no power of two, or
 * no such relation holds for exactly these sets.
 */
bool dueling_relate(const struct dueling_finding *found, enum dueling_role role,
		    struct dueling_relation *relation);

#endif
