/* SPDX-License-Identifier: GPL-2.0 */
/*
 * relation.h - what the numbers of leader sets have in common.
 *
 * Leaders are chosen by simple circuits: constant bits of the number of a set,
 * or two parts of it that are equal or complements of each other (Qureshi et
 * al., ISCA 2007, "complement-select"). A relation is stated only where it holds
 * of the sets that were found and of no others.
 */
#ifndef PROBE_PHYS_METHOD_DUELING_RELATION_H
#define PROBE_PHYS_METHOD_DUELING_RELATION_H

#include "result/dueling_finding.h"

/**
 * duel_relate() - that of the sets of a role
 * @relation: (out)
 * Return: false when they are few, the sets of the cache are no power of two, or
 * no such relation has exactly these.
 */
bool duel_relate(const struct duel_finding *found, enum duel_role role,
		 struct duel_relation *relation);

#endif
