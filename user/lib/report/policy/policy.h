/* SPDX-License-Identifier: GPL-2.0 */
/* policy.h - the report of "policy" on one level. */
#ifndef PROBE_PHYS_REPORT_POLICY_POLICY_H
#define PROBE_PHYS_REPORT_POLICY_POLICY_H

#include <jansson.h>

#include "result/dueling_finding.h"
#include "result/policy_finding.h"

/** DUELING_KINDS - number of kinds of leaders */
#define DUELING_KINDS 2

/**
 * struct leader_policy - the policy of one kind of leaders
 * @role: kind of the leaders
 * @set: number of the leader set that was measured
 * @found: its policy
 */
struct leader_policy {
	enum dueling_role role;
	uint64_t set;
	struct policy_finding found;
};

/**
 * struct level_policy - the policies of one level
 * @level: from 1
 * @duel: set dueling of the level
 * @set: the policy of a set, if no dueling was found
 * @agreeing: number of sets without numbers that have this policy
 * @leaders: the policies of both kinds of leaders, if sets duel
 */
struct level_policy {
	size_t level;
	struct dueling_finding duel;
	struct policy_finding set;
	size_t agreeing;
	struct leader_policy leaders[DUELING_KINDS];
};

/** policy_is_decided() - whether a set's policy has a name, a class or vectors */
bool policy_is_decided(const struct policy_finding *found);

/** policy_is_likely() - whether candidate @name of leaders @l differs from a policy
 * of the other leaders in the age of new lines alone
 */
bool policy_is_likely(const struct level_policy *found,
		      const struct leader_policy *l, size_t name);

/** policy_json() - a new element of "caches" */
json_t *policy_json(const struct level_policy *found);

/** policy_print() - print a few lines */
void policy_print(const struct level_policy *found);

#endif
