/* SPDX-License-Identifier: GPL-2.0 */
/* policy_report.h - what "policy" says of a level. */
#ifndef PROBE_PHYS_REPORT_POLICY_REPORT_H
#define PROBE_PHYS_REPORT_POLICY_REPORT_H

#include <jansson.h>

#include "result/dueling_finding.h"
#include "result/policy_finding.h"

/** DUEL_KINDS - of leaders */
#define DUEL_KINDS 2

/**
 * struct leader_policy - what one kind of leaders plays
 * @role: which kind
 * @set: that was asked
 * @found: its policy
 */
struct leader_policy {
	enum duel_role role;
	uint64_t set;
	struct policy_finding found;
};

/**
 * struct level_policy - what was found out of a level
 * @level: from 1
 * @duel: whether its sets duel
 * @set: the policy of a set, where they were not seen to
 * @agreeing: sets without numbers that have it
 * @leaders: where they were, the policies that duel
 */
struct level_policy {
	size_t level;
	struct duel_finding duel;
	struct policy_finding set;
	size_t agreeing;
	struct leader_policy leaders[DUEL_KINDS];
};

/** policy_json() - a member of "caches", new */
json_t *policy_json(const struct level_policy *found);

/** policy_print() - a few lines */
void policy_print(const struct level_policy *found);

#endif
