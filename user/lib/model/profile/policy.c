// SPDX-License-Identifier: GPL-2.0
/* policy.c - replacement, as a profile words it. */
#include <stdio.h>

#include "model/policy/policy.h"
#include "model/profile/parse.h"

const char *const *profile_policies(void)
{
	static const char *const names[] = {
		"lru",	  "fifo", "tree-plru", "bit-plru",  "nru",
		"random", "lip",  "bip",       "srrip",	    "brrip",
		"drrip",  "qlru", "lru3plru4", "mru3plru4", NULL
	};

	return names;
}

static int read_leaders(const struct value *v, uint64_t sets,
			struct profile_policy *policy)
{
	struct value all = value_member(v, "leaders");
	int error = value_array(&all, 2, PROFILE_MAX_LEADERS,
				&policy->leader_count);

	for (size_t i = 0; !error && i < policy->leader_count; i++) {
		struct value leader = value_element(&all, i);

		error = value_count(&leader, 0, (unsigned int)(sets - 1),
				    &policy->leaders[i]);
		for (size_t j = 0; !error && j < i; j++)
			if (policy->leaders[j] == policy->leaders[i])
				error = value_refuse(
					&leader,
					"set %u leads twice (name it once)",
					policy->leaders[i]);
	}
	return error;
}

static int read_variant(const struct value *v, char *variant, size_t size)
{
	struct policy_qlru qlru;
	bool rightmost;
	int error = value_required(v);

	if (!error)
		error = value_text(v, variant, size);
	if (!error && !policy_parse_qlru(variant, &qlru, &rightmost))
		error = value_refuse(
			v,
			"'%s' is no QLRU variant (give one like H11_M1_R0_U0)",
			variant);
	return error;
}

/* The QLRU variants that duel. */
static int read_variants(const struct value *v, struct profile_policy *policy)
{
	struct value both = value_member(v, "variants"), one;
	size_t count;
	int error = value_array(&both, 2, 2, &count);

	if (error || !both.json)
		return error;
	one = value_element(&both, 0);
	error = read_variant(&one, policy->variant, sizeof(policy->variant));
	one = value_element(&both, 1);
	if (!error)
		error = read_variant(&one, policy->second,
				     sizeof(policy->second));
	return error;
}

static int check_ways(const struct value *name, unsigned int ways,
		      enum profile_policy_name policy)
{
	if (policy == PROFILE_LRU3PLRU4 && ways % 4)
		return value_refuse(
			name,
			"lru3plru4 with %u ways: no trees of four (give a multiple of 4)",
			ways);
	if (policy == PROFILE_MRU3PLRU4 && ways % 4)
		return value_refuse(
			name,
			"mru3plru4 with %u ways: no trees of four (give a multiple of 4)",
			ways);
	return 0;
}

static const char *const *keys_of(enum profile_policy_name name)
{
	static const char *const plain[] = { "name", "seed", NULL };
	static const char *const rare[] = { "name", "seed", "epsilon", NULL };
	static const char *const duel[] = { "name",    "seed",	   "epsilon",
					    "leaders", "variants", NULL };
	static const char *const qlru[] = { "name", "seed", "variant", NULL };

	switch (name) {
	case PROFILE_BIP:
	case PROFILE_BRRIP:
		return rare;
	case PROFILE_DRRIP:
		return duel;
	case PROFILE_QLRU:
		return qlru;
	default:
		return plain;
	}
}

int profile_read_policy(const struct value *v, unsigned int ways, uint64_t sets,
			struct profile_policy *policy)
{
	unsigned int word = PROFILE_LRU;
	struct value name, epsilon, seed, variant;
	int error;

	policy->epsilon = 1.0 / 32;
	policy->seed = 1;
	if (v->json && !json_is_object(v->json))
		return value_object(v, keys_of(PROFILE_LRU));
	name = value_member(v, "name");
	epsilon = value_member(v, "epsilon");
	seed = value_member(v, "seed");
	variant = value_member(v, "variant");
	if (v->json && value_required(&name))
		return -EINVAL;
	error = value_choice(&name, profile_policies(), &word);
	if (!error)
		error = value_object(v, keys_of(word));
	policy->name = word;
	if (!error)
		error = check_ways(&name, ways, policy->name);
	if (!error)
		error = value_integer(&seed, 0, INT64_MAX, &policy->seed);
	if (!error)
		error = value_number(&epsilon, 0, 1, &policy->epsilon);
	if (!error && policy->name == PROFILE_DRRIP)
		error = read_leaders(v, sets, policy);
	if (!error && policy->name == PROFILE_DRRIP)
		error = read_variants(v, policy);
	if (!error && policy->name == PROFILE_QLRU)
		error = read_variant(&variant, policy->variant,
				     sizeof(policy->variant));
	return error;
}
