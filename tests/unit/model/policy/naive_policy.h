/* SPDX-License-Identifier: GPL-2.0 */
/*
 * naive_policy.h - one set, replaced by the definitions taken word by word:
 * slow, plain, and written apart from the model's.
 */
#ifndef PROBE_PHYS_UNIT_MODEL_POLICY_NAIVE_POLICY_H
#define PROBE_PHYS_UNIT_MODEL_POLICY_NAIVE_POLICY_H

#include "model/profile/profile.h"

#define NAIVE_WAYS 200

/** struct naive_set - lines and what the policy remembers of each way */
struct naive_set {
	enum profile_policy_name policy;
	const char *variant;
	unsigned int ways;
	bool used[NAIVE_WAYS];
	uint64_t tag[NAIVE_WAYS];
	int age[NAIVE_WAYS];
	int64_t stamp[NAIVE_WAYS];
	int tree[2 * 256];
	int64_t now;
};

void naive_init(struct naive_set *s, enum profile_policy_name policy,
		const char *variant, unsigned int ways);
/** naive_access() - Return: was it a hit? Deterministic policies only. */
bool naive_access(struct naive_set *s, uint64_t tag);
void naive_flush(struct naive_set *s, uint64_t tag);

#endif
