// SPDX-License-Identifier: GPL-2.0
#include "report/policy/policy.h"

#include <string.h>

bool policy_is_decided(const struct policy_finding *found)
{
	return found->kind != POLICY_UNDECIDED;
}

/* Test whether two QLRU variants differ only in the age of new lines. */
static bool differ_in_insertion(const char *one, const char *other)
{
	const char *age = strstr(one, "_M"), *other_age = strstr(other, "_M");

	if (strncmp(one, "QLRU_", 5) || !age || !other_age ||
	    age - one != other_age - other ||
	    strncmp(one, other, (size_t)(age - one)))
		return false;
	return !strcmp(strchr(age + 1, '_'), strchr(other_age + 1, '_'));
}

/*
 * Dueling policies are published to differ only in the age of new lines. That
 * is no measurement, so it makes a name only likely.
 */
bool policy_is_likely(const struct level_policy *found,
		      const struct leader_policy *l, size_t name)
{
	for (int i = 0; i < DUELING_KINDS; i++) {
		const struct policy_finding *other = &found->leaders[i].found;

		if (&found->leaders[i] == l || other->kind != POLICY_KNOWN)
			continue;
		for (size_t j = 0; j < other->name_count; j++)
			if (differ_in_insertion(l->found.names[name],
						other->names[j]))
				return true;
	}
	return false;
}
