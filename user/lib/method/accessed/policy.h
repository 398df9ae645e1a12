/* SPDX-License-Identifier: GPL-2.0 */
/* policy.h - the replacement policy of the last array of translations. */
#ifndef PROBE_PHYS_METHOD_ACCESSED_POLICY_H
#define PROBE_PHYS_METHOD_ACCESSED_POLICY_H

#include "method/accessed/array.h"
#include "result/policy_finding.h"

/**
 * accessed_find_policy() - identify the policy of one set, as that of a cache
 * @a: found, with its ways
 * @above: entries of the array above, or an upper bound on them; 0: there is none
 * @found: (out) its answer_bound contains that of @a
 *
 * Where the clearing of accessed bits disturbs, nothing is measured.
 * Return: 0, also where nothing was decided; -EINTR; or another -errno with @f set.
 */
int accessed_find_policy(const struct kept_view *v,
			 const struct accessed_array *a, size_t above,
			 struct policy_finding *found, struct failure *f);

#endif
